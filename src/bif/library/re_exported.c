#include "bif/library/re_exported.h"

#include <string.h>
#include <zlib.h>

#include "bif/argument.h"
#include "bif/magic_object.h"
#include "term/atom.h"
#include "term/bits.h"

static const char mark[] = "re-PCRE2";
#define MARK_BYTES (sizeof mark - 1)
#define HEADER_BYTES (MARK_BYTES + 6)
#define VERSION 1

static void write_header(uint8_t *to, Term code, bool is_unicode) {
    NativeBytes b;
    native_bytes(code, &b);
    uint32_t sum = (uint32_t)crc32(0, b.bytes, (uInt)b.count);
    native_bytes_release(&b);
    memcpy(to, mark, MARK_BYTES);
    for (unsigned i = 0; i < 4; i++)
        to[MARK_BYTES + i] = (uint8_t)(sum >> (24 - 8 * i));
    to[MARK_BYTES + 4] = VERSION;
    to[MARK_BYTES + 5] = is_unicode;
}

Term re_exported_make(Area *area, const Exported *e) {
    uint8_t *header;
    Term binary = binary_make(area, HEADER_BYTES, &header);
    write_header(header, e->code, e->is_unicode);
    Term *tuple = area_alloc(area, 6);
    tuple[0] = header_make(KIND_TUPLE, 5);
    tuple[1] = am_re_exported_pattern;
    tuple[2] = binary;
    tuple[3] = e->text;
    tuple[4] = e->options;
    tuple[5] = e->code;
    return boxed_make(tuple);
}

static bool is_header_of(Term t, Term code, bool *is_unicode) {
    uint8_t expected[HEADER_BYTES];
    NativeBytes b;
    native_bytes(t, &b);
    *is_unicode = b.count == HEADER_BYTES && b.bytes[HEADER_BYTES - 1] == 1;
    write_header(expected, code, *is_unicode);
    bool is_it = b.count == HEADER_BYTES && memcmp(b.bytes, expected, HEADER_BYTES) == 0;
    native_bytes_release(&b);
    return is_it;
}

bool re_exported_read(Term t, Exported *e) {
    if (!is_tuple_arity(t, 5) || tuple_elements(t)[0] != am_re_exported_pattern)
        return false;
    const Term *elements = tuple_elements(t);
    *e = (Exported){.text = elements[2], .options = elements[3], .code = elements[4]};
    return is_binary(elements[1]) && is_binary(e->code) && is_header_of(elements[1], e->code, &e->is_unicode);
}
