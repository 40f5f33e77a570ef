#include "bif/library/file_name.h"

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/unicode.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/export.h"
#include "sys/native_text.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/iolist.h"

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

/* The characters of a list, which may hold others in its place of them, at any depth: their bytes, written to `out`
 * unless that is NULL. -1: it holds anything else, or a NUL, or has another end. */
static int64_t list_bytes(Term list, uint8_t *out) {
    int64_t bytes = 0;
    ESTACK(behind);
    estack_push(&behind, list);
    while (!estack_is_empty(&behind)) {
        Term t = estack_pop(&behind);
        while (is_list(t)) {
            Term c = list_head(t);
            if (is_list(c) || is_nil(c)) {
                estack_push(&behind, list_tail(t));
                t = c;
                continue;
            }
            if (!is_small(c) || small_value(c) == 0 || !unicode_is_valid(small_value(c)))
                return -1;
            size_t length = native_text_put((uint32_t)small_value(c), out != NULL ? out + bytes : NULL);
            if (length == 0)
                return -1;
            bytes += (int64_t)length;
            t = list_tail(t);
        }
        if (!is_nil(t))
            return -1;
    }
    return bytes;
}

static Term list_name(Process *p, Term list) {
    int64_t bytes = list_bytes(list, NULL);
    if (bytes < 0)
        return NON_VALUE;
    uint8_t *out;
    Term result = binary_make(process_area(p), (size_t)bytes + 1, &out);
    list_bytes(list, out);
    out[bytes] = 0;
    return result;
}

Term prim_file_name_to_native(Process *p, const Term *a) {
    Term result = is_binary(a[0]) ? binary_name(p, a[0]) : list_name(p, a[0]);
    return is_value(result) ? result : native_badarg(p);
}

/* NON_VALUE when it should be UTF-8 and is not. */
static Term characters(Process *p, const uint8_t *bytes, size_t count) {
    if (native_text.is_latin1)
        return list_from_bytes(process_area(p), bytes, count, NIL);
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
    static const Term told[] = {
        [UNTRANSLATABLE_WARNS] = am_warning, [UNTRANSLATABLE_IGNORED] = am_ignore, [UNTRANSLATABLE_FAILS] = am_error};
    return is_value(name) ? name : area_tuple2(process_area(p), am_error, told[native_text.untranslatable]);
}

static bool is_utf8(Term binary) {
    NativeBytes in;
    native_bytes(binary, &in);
    bool valid = utf8_count(in.bytes, in.count, NULL) >= 0;
    native_bytes_release(&in);
    return valid;
}

/* The characters composed where they can be: module unicode knows how. */
Term prim_file_normalize_utf8(Process *p, const Term *a) {
    if (!is_binary(a[0]) || !is_utf8(a[0]))
        return native_badarg(p);
    return bif_trap(p, export_put(am_unicode, am_characters_to_nfc_list, 1), 1, a);
}

Term prim_file_is_translatable(Process *p, const Term *a) {
    if (!is_binary(a[0]))
        return native_badarg(p);
    return bool_term(native_text.is_latin1 || is_utf8(a[0]));
}
