/*
 * The code of one module: its words, and what of them is native. That is one span, written when the module is loaded
 * (jit/emit.h), or pieces, into which functions go one by one when they are called (jit/by_need.h). Native code is
 * written before anybody can see it, and not any more but for the entries of functions and the ways to them; the words
 * stay writable.
 */
#ifndef VIV_CODE_NATIVE_BLOCK_H
#define VIV_CODE_NATIVE_BLOCK_H

#include "code/code_space.h"
#include "term/term.h"

struct NativeNames;
struct NativeNeed;

typedef struct NativePiece {
    struct NativePiece *next;
    CodeSpan span;
    size_t used;
} NativePiece;

typedef struct {
    CodeSpan words;            /* none: there is no block */
    CodeSpan code;             /* none: there are pieces, or the words are all there is */
    NativePiece *pieces;       /* the last one first; written by who makes code (jit/by_need.h), with release */
    struct NativeNames *names; /* NULL, or what tools of the system were told of it: jit/names.h */
    struct NativeNeed *need;   /* NULL, or from what functions are made when they are called: jit/by_need.h */
} NativeBlock;

/* To be written. No room for words: there is no block. No room for code, or `code_size` 0: there is none. */
NativeBlock native_block_create(size_t code_size, size_t word_count);
/* Of the code, when it is written, and before anybody can see it. */
void native_block_seal(NativeBlock block);
/* When nobody is in it, nor looks at words that lead to it. */
void native_block_free(NativeBlock *block);

/* In a piece, at a multiple of 16 bytes: for who makes code, one at a time. No room: `address` is NULL. */
typedef struct {
    uint8_t *address, *written;
    bool is_new; /* else other code stood there once: a code_barrier is due before anybody can run what is written */
} NativeRoom;
NativeRoom native_block_room(NativeBlock *block, size_t size);
/* Where the bytes are written that are executed there. */
uint8_t *native_block_written(const NativeBlock *block, uint32_t address);

/* What the first word of a function leads to until it is made (jit/by_need.h): has it made, by the thread that runs a
 * process, and gives where to go on, as its words do. Set once at start. */
extern uint32_t (*native_make)(const Word *entry);

/*
 * A function that its module calls has an entry in native code. It begins with two bytes, at an even address: nothing,
 * or a jump to where the function is entered by its word. They are exchanged by one store, through the mapping that is
 * written. Who runs through them sees the ones or the others, each instruction of two bytes whole. To go by the word is
 * right at any time; not to go there is, until native_writes_end, as if the call had come before the word was changed.
 */
#define NATIVE_ENTRY_BYTES 7 /* of the entry: the function's first instruction follows */
#define NATIVE_ENTRY_BY_WORD 0xf3eb /* jmp .-11 */
#define NATIVE_ENTRY_STRAIGHT 0x9066 /* nop */
/* Under LOCK_FUNCTION_ENTRY. */
void native_entry_lead(const NativeBlock *block, uint32_t entry, bool by_word);
/* As the holder of the code modification permission: after that no thread runs what was there before. */
void native_writes_end(void);

#endif
