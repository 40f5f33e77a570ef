#include "bif/library/file_name.h"

#include "alloc/alloc.h"
#include "base/unicode.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/export.h"
#include "term/atom.h"
#include "term/bits.h"

FileName file_name_take(Term native) {
    FileName name = {NULL, NULL};
    if (!is_binary(native))
        return name;
    size_t count;
    const uint8_t *bytes = binary_bytes(native, &count, &name.copy);
    if (count > 0 && memchr(bytes, 0, count) == bytes + count - 1)
        name.text = (const char *)bytes;
    return name;
}

void file_name_release(FileName *name) { mem_free(ALLOC_TEMP, name->copy); }

static Term binary_name(Process *p, Term binary) {
    NativeBytes in;
    native_bytes(binary, &in);
    Term result = NON_VALUE;
    if (!memchr(in.bytes, 0, in.count)) {
        uint8_t *out;
        result = binary_make(process_area(p), in.count + 1, &out);
        memcpy(out, in.bytes, in.count);
        out[in.count] = 0;
    }
    native_bytes_release(&in);
    return result;
}

/* Bytes of a list of characters as UTF-8, -1 when it holds anything else or a NUL. */
static int64_t list_bytes(Term list) {
    int64_t bytes = 0;
    for (; is_list(list); list = list_tail(list)) {
        Term c = list_head(list);
        if (!is_small(c) || small_value(c) == 0 || !unicode_is_valid(small_value(c)))
            return -1;
        bytes += (int64_t)utf8_length((uint32_t)small_value(c));
    }
    return is_nil(list) ? bytes : -1;
}

Term prim_file_name_to_native(Process *p, const Term *a) {
    Term result = NON_VALUE;
    if (is_binary(a[0])) {
        result = binary_name(p, a[0]);
    } else if (list_bytes(a[0]) >= 0) {
        size_t bytes = (size_t)list_bytes(a[0]);
        uint8_t *out;
        result = binary_make(process_area(p), bytes + 1, &out);
        for (Term l = a[0]; is_list(l); l = list_tail(l))
            out += utf8_encode((uint32_t)small_value(list_head(l)), out);
        *out = 0;
    }
    return is_value(result) ? result : native_badarg(p);
}

/* NON_VALUE when it is not UTF-8. */
static Term characters(Process *p, const uint8_t *bytes, size_t count) {
    int64_t n = utf8_count(bytes, count, NULL);
    if (n < 0)
        return NON_VALUE;
    if (n == 0)
        return NIL;
    Term *cell = area_alloc(process_area(p), 2 * (size_t)n);
    Term list = list_make(cell);
    const uint8_t *end = bytes + count;
    for (; n > 0; n--, cell += 2) {
        uint32_t c;
        utf8_decode(&bytes, end, &c);
        cell[0] = small_make(c);
        cell[1] = n > 1 ? list_make(cell + 2) : NIL;
    }
    return list;
}

static Term binary_characters(Process *p, Term binary) {
    NativeBytes in;
    native_bytes(binary, &in);
    Term list = characters(p, in.bytes, in.count);
    native_bytes_release(&in);
    return list;
}

Term prim_file_native_to_name(Process *p, const Term *a) {
    if (!is_binary(a[0]))
        return native_badarg(p);
    Term name = binary_characters(p, a[0]);
    return is_value(name) ? name : area_tuple2(process_area(p), am_error, am_warning);
}

/* The characters composed where they can be: module unicode knows how. */
Term prim_file_normalize_utf8(Process *p, const Term *a) {
    if (!is_binary(a[0]) || prim_file_is_translatable(p, a) != am_true)
        return native_badarg(p);
    return bif_trap(p, export_put(am_unicode, am_characters_to_nfc_list, 1), 1, a);
}

Term prim_file_is_translatable(Process *p, const Term *a) {
    if (!is_binary(a[0]))
        return native_badarg(p);
    NativeBytes in;
    native_bytes(a[0], &in);
    bool valid = utf8_count(in.bytes, in.count, NULL) >= 0;
    native_bytes_release(&in);
    return bool_term(valid);
}
