#include "bif/library/file_name.h"

#include "alloc/alloc.h"
#include "base/unicode.h"
#include "bif/argument.h"
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

static Term list_name(Process *p, Term list) {
    TEXT(text);
    if (!native_from_characters(&text, list))
        return NON_VALUE;
    uint8_t *out;
    Term result = binary_make(process_area(p), text.size + 1, &out);
    memcpy(out, text_cstring(&text), text.size + 1);
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
    return utf8_count(bytes, count, NULL) < 0 ? NON_VALUE : list_from_utf8(process_area(p), bytes, count);
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
