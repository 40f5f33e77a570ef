/*
 * A block of native code, of one module (jit/emit.h), and behind it the module's words, which it belongs to. The code
 * is written before anybody can see it, then executable, and not written any more but for the entries of functions; the
 * words stay writable, in pages of their own. Both are below 2 GB: an instruction's word has 32 bits for where its code
 * stands, and code that names words has 32 bits for that.
 */
#ifndef VIV_CODE_NATIVE_BLOCK_H
#define VIV_CODE_NATIVE_BLOCK_H

#include "base/defs.h"

struct NativeNames;

typedef struct {
    void *address; /* NULL: there is none */
    Word *words;
    size_t size; /* of both */
    struct NativeNames *names; /* NULL, or what tools of the system were told of it: jit/names.h */
} NativeBlock;

/* To be written. No memory there: the runtime says so, and ends. */
NativeBlock native_block_create(size_t code_size, size_t word_count);
/* Of the code. False: it may not be executed; it is still the caller's. That the system forbids it is said once, on
 * standard error. */
must_check bool native_block_seal(NativeBlock block);
/* When nobody is in it, nor looks at words that lead to it. */
void native_block_free(NativeBlock block);

/*
 * A function that its module calls has an entry in native code. It begins with two bytes, at an even address: nothing,
 * or a jump to where the function is entered by its word. They are exchanged by one store, through a second mapping of
 * the code, which is there only while that is done: no page is ever writable where it may be executed. Who runs through
 * them sees the ones or the others, each instruction of two bytes whole. To go by the word is right at any time; not to
 * go there is, until native_writes_end, as if the call had come before the word was changed.
 */
#define NATIVE_ENTRY_BYTES 7 /* of the entry: the function's first instruction follows */
#define NATIVE_ENTRY_BY_WORD 0xf3eb /* jmp .-11 */
#define NATIVE_ENTRY_STRAIGHT 0x9066 /* nop */
/* As the holder of the code modification permission, as the end: after that no thread runs what was there before. */
void native_entry_lead(NativeBlock block, uint32_t entry, bool by_word);
void native_writes_end(void);

#endif
