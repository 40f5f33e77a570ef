#include "bif/magic_object.h"

#include "alloc/alloc.h"
#include "base/estack.h"
#include "process/reference.h"
#include "sys/errno_name.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/node.h"

#include <string.h>

static Term reference_to(Process *p, RefcBinary *binary, void **object) {
    reference_new_numbers(binary->magic_numbers);
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

static void emit_binary(Term binary, void (*each)(const uint8_t *, size_t, void *), void *data) {
    size_t count;
    uint8_t *copy;
    const uint8_t *bytes = binary_bytes(binary, &count, &copy);
    each(bytes, count, data);
    mem_free(ALLOC_TEMP, copy);
}

/* Calls each(bytes, count) for the parts of a list in order. False where it is no iolist; the parts before were
 * given. */
static bool each_part(Term t, void (*each)(const uint8_t *, size_t, void *), void *data) {
    ESTACK(rests);
    for (;;) {
        while (is_list(t)) {
            Term head = list_head(t), tail = list_tail(t);
            t = tail;
            if (is_small(head) && small_value(head) >= 0 && small_value(head) < 256) {
                uint8_t byte = (uint8_t)small_value(head);
                each(&byte, 1, data);
            } else if (is_list(head)) {
                estack_push(&rests, tail);
                t = head;
            } else if (is_binary(head)) {
                emit_binary(head, each, data);
            } else if (!is_nil(head)) {
                return false;
            }
        }
        if (is_binary(t))
            emit_binary(t, each, data);
        else if (!is_nil(t))
            return false;
        if (estack_is_empty(&rests))
            return true;
        t = estack_pop(&rests);
    }
}

static void add_count(const uint8_t *bytes, size_t count, void *data) { *(size_t *)data += count; }

static void add_bytes(const uint8_t *bytes, size_t count, void *data) {
    uint8_t **to = data;
    memcpy(*to, bytes, count);
    *to += count;
}

bool native_bytes(Term iodata, NativeBytes *out) {
    out->copy = NULL;
    if (is_binary(iodata)) {
        out->bytes = binary_bytes(iodata, &out->count, &out->copy);
        return true;
    }
    size_t total = 0;
    if ((!is_list(iodata) && !is_nil(iodata)) || !each_part(iodata, add_count, &total))
        return false;
    uint8_t *to = out->copy = mem_alloc(ALLOC_TEMP, total + 1);
    each_part(iodata, add_bytes, &to);
    out->bytes = out->copy;
    out->count = total;
    return true;
}

void native_bytes_release(NativeBytes *b) { mem_free(ALLOC_TEMP, b->copy); }
