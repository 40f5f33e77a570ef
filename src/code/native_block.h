/*
 * A block of native code, of one module (jit/emit.h), and behind it the module's words, which it belongs to. The code
 * is written before anybody can see it, then executable, and not written any more; the words stay writable, in pages of
 * their own. Both are below 2 GB: an instruction's word has 32 bits for where its code stands, and code that names
 * words has 32 bits for that.
 */
#ifndef VIV_CODE_NATIVE_BLOCK_H
#define VIV_CODE_NATIVE_BLOCK_H

#include "base/defs.h"

typedef struct {
    void *address; /* NULL: there is none */
    Word *words;
    size_t size; /* of both */
} NativeBlock;

/* To be written. None: no memory. */
NativeBlock native_block_create(size_t code_size, size_t word_count);
/* Of the code. False: it may not be executed; it is still the caller's. */
must_check bool native_block_seal(NativeBlock block);
/* When nobody is in it, nor looks at words that lead to it. */
void native_block_free(NativeBlock block);

#endif
