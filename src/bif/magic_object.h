/*
 * What the natives of library modules (prim_file, zlib, ...) share: objects behind magic references, and their results.
 *
 * In the stock runtime these functions come from NIF libraries, so their failures carry no error_info; here they are
 * built-in functions that fail in the same form.
 *
 * An object lives in a reference-counted binary whose destructor names its type; native_object finds it behind a
 * magic reference and is NULL for any other term. The object stays while some term refers to it, so the pointer is good
 * for the length of a call. Nothing here collects.
 */
#ifndef VIV_BIF_MAGIC_OBJECT_H
#define VIV_BIF_MAGIC_OBJECT_H

#include "process/process.h"
#include "term/refc_binary.h"

/* A reference to a new object of `bytes` zero bytes (*object). */
Term native_new(Process *p, size_t bytes, RefcDestructor *type, void **object);
/* The same when `bytes` is what somebody asked for. NON_VALUE: system_limit, there is no memory. */
Term native_try_new(Process *p, size_t bytes, RefcDestructor *type, void **object);
void *native_object(Term t, RefcDestructor *type);

Term native_badarg(Process *p);
Term native_error(Process *p, Term reason); /* class error, any reason */
Term native_ok(Process *p, Term value);     /* {ok, Value} */
Term native_posix(Process *p, int error);   /* ok when 0, else {error, Name} */

/* The bytes of a binary or an iolist; release with native_bytes_release. False: it is neither. Large ones are long work
 * (base/long_work.h). */
typedef struct {
    const uint8_t *bytes;
    size_t count;
    uint8_t *copy;
} NativeBytes;
bool native_bytes(Term iodata, NativeBytes *out);
void native_bytes_release(NativeBytes *b);

#endif
