/*
 * The code of one module: its words, and what of them is native (jit/emit.h). Native code is written before anybody can
 * see it, and not any more but for the entries of functions; the words stay writable.
 */
#ifndef VIV_CODE_NATIVE_BLOCK_H
#define VIV_CODE_NATIVE_BLOCK_H

#include "code/code_space.h"

struct NativeNames;

typedef struct {
    CodeSpan words;           /* none: there is no block */
    CodeSpan code;            /* none: the words are all there is */
    struct NativeNames *names; /* NULL, or what tools of the system were told of it: jit/names.h */
} NativeBlock;

/* To be written. No room for words: there is no block. No room for code, or `code_size` 0: there is none. */
NativeBlock native_block_create(size_t code_size, size_t word_count);
/* Of the code, when it is written, and before anybody can see it. */
void native_block_seal(NativeBlock block);
/* When nobody is in it, nor looks at words that lead to it. */
void native_block_free(NativeBlock block);

/*
 * A function that its module calls has an entry in native code. It begins with two bytes, at an even address: nothing,
 * or a jump to where the function is entered by its word. They are exchanged by one store, through the mapping that is
 * written. Who runs through them sees the ones or the others, each instruction of two bytes whole. To go by the word is
 * right at any time; not to go there is, until native_writes_end, as if the call had come before the word was changed.
 */
#define NATIVE_ENTRY_BYTES 7 /* of the entry: the function's first instruction follows */
#define NATIVE_ENTRY_BY_WORD 0xf3eb /* jmp .-11 */
#define NATIVE_ENTRY_STRAIGHT 0x9066 /* nop */
/* As the holder of the code modification permission, as the end: after that no thread runs what was there before. */
void native_entry_lead(NativeBlock block, uint32_t entry, bool by_word);
void native_writes_end(void);

#endif
