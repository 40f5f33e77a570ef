/*
 * A block of native code, of one module (jit/emit.h): written before anybody can see it, then executable, and not
 * written any more. Its addresses are below 2 GB, as an instruction's word has 32 bits for where its code stands.
 */
#ifndef VIV_CODE_NATIVE_BLOCK_H
#define VIV_CODE_NATIVE_BLOCK_H

#include "base/defs.h"

typedef struct {
    void *address; /* NULL: there is none */
    size_t size;
} NativeBlock;

/* To be written. None: no memory. */
NativeBlock native_block_create(size_t size);
/* False: it may not be executed; it is still the caller's. */
must_check bool native_block_seal(NativeBlock block);
/* When nobody is in it, nor looks at words that lead to it. */
void native_block_free(NativeBlock block);

#endif
