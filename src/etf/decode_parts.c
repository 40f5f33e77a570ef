#include "etf/decode_parts.h"

#include <string.h>

#include "etf/tags.h"
#include "term/atom.h"
#include "term/float_text.h"
#include "term/node.h"

bool etf_float_text(const uint8_t text[], double *value) {
    return float_parse((const char *)text, strnlen((const char *)text, ETF_FLOAT_TEXT_BYTES), value);
}

Term etf_read_atom(Reader *in, const Term *atoms, bool *full) {
    uint8_t tag = reader_u8(in);
    if (tag == ETF_ATOM_CACHE_REF)
        return atoms[reader_u8(in)];
    bool latin1 = tag == ETF_ATOM || tag == ETF_SMALL_ATOM;
    size_t bytes = tag == ETF_ATOM || tag == ETF_ATOM_UTF8 ? reader_u16(in) : reader_u8(in);
    const uint8_t *text = reader_take(in, bytes);
    if (text == NULL)
        return NON_VALUE;
    return latin1 ? atom_put_latin1(text, bytes, full) : atom_put(text, bytes, full);
}

Term etf_read_node(Reader *in, const Term *atoms, bool *full) {
    if (reader_left(in) == 0 || in->at[0] != ETF_NIL)
        return etf_read_atom(in, atoms, full);
    reader_u8(in);
    return node_this_name();
}

int64_t etf_read_integer(Reader *in) {
    return reader_u8(in) == ETF_SMALL_INTEGER ? reader_u8(in) : (int32_t)reader_u32(in);
}
