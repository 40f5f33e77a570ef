#include "bif/magic_object.h"

#include "alloc/alloc.h"
#include "process/reference.h"
#include "sys/errno_name.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/iolist.h"
#include "term/node.h"

#include <stdint.h>
#include <string.h>

static Term reference_to(Process *p, RefcBinary *binary, void **object) {
    reference_new_magic_numbers(binary->magic_numbers);
    *object = binary->bytes;
    return magic_ref_make(process_area(p), binary->magic_numbers, binary);
}

Term native_new(Process *p, size_t bytes, RefcDestructor *type, void **object) {
    RefcBinary *binary = refc_magic_create(bytes, type);
    memset(binary->bytes, 0, bytes);
    return reference_to(p, binary, object);
}

Term native_try_new(Process *p, size_t bytes, RefcDestructor *type, void **object) {
    RefcBinary *binary = refc_magic_try_create(bytes, type);
    return binary != NULL ? reference_to(p, binary, object) : fail_system_limit(p);
}

void *native_object(Term t, RefcDestructor *type) {
    if (!is_magic_ref(t) || magic_ref_binary(t)->destructor != type)
        return NULL;
    return magic_ref_binary(t)->bytes;
}

Term native_badarg(Process *p) {
    fail_badarg(p);
    p->fail.info_module = NON_VALUE;
    return NON_VALUE;
}

Term native_error(Process *p, Term reason) {
    fail_value(p, FAIL_ERROR, reason);
    p->fail.info_module = NON_VALUE;
    return NON_VALUE;
}

Term native_ok(Process *p, Term value) { return area_tuple2(process_area(p), am_ok, value); }

Term native_posix(Process *p, int error) {
    if (error == 0)
        return am_ok;
    return area_tuple2(process_area(p), am_error, atom_from_cstring(errno_name(error)));
}

/* The whole of an iolist is too much for a machine's memory long before its size is none. */
bool native_bytes(Term iodata, NativeBytes *out) {
    uint64_t bytes;
    out->copy = NULL;
    if (is_binary(iodata)) {
        out->bytes = binary_bytes(iodata, &out->count, &out->copy);
        return true;
    }
    if ((!is_list(iodata) && !is_nil(iodata)) || !iolist_bytes(iodata, &bytes, NULL) || bytes >= PTRDIFF_MAX)
        return false;
    out->copy = mem_alloc(ALLOC_TEMP, bytes + 1);
    iolist_copy(iodata, out->copy);
    out->bytes = out->copy;
    out->count = bytes;
    return true;
}

void native_bytes_release(NativeBytes *b) { mem_free(ALLOC_TEMP, b->copy); }
