/* erlang:decode_packet/3. Source: erlang(3) decode_packet/3, inet(3). */
#include "packet/packet.h"

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

static bool is_raw(Term type) { return type == am_raw || type == small_make(0); }

static Term packet_term(Area *area, Term type, Term binary, const PacketInput *in, const PacketFrame *frame) {
    HttpForm form = {area, type == am_http_bin || type == am_httph_bin};
    switch (type) {
    case am_http:
    case am_http_bin: return http_first_line(form, (const char *)in->bytes, frame->size);
    case am_httph:
    case am_httph_bin: return http_header_line(form, (const char *)in->bytes, frame->size);
    default: break;
    }
    Term packet = bits_sub(area, binary, frame->skip * 8, frame->packet_size * 8);
    return type == am_ssl_tls ? packet_tls_term(area, NIL, in->bytes, packet, frame->packet_size) : packet;
}

static bool packet_option(PacketOptions *to, Term option) {
    uint64_t value;
    if (!is_tuple_arity(option, 2) || !integer_to_uint64(tuple_elements(option)[1], &value) || value > UINT32_MAX)
        return false;
    switch (tuple_elements(option)[0]) {
    case am_packet_size: to->packet_size = value; return true;
    case am_line_length: to->line_length = value; return true;
    case am_line_delimiter: to->line_delimiter = (uint8_t)value; return value <= 255;
    default: return false;
    }
}

static bool packet_options(PacketOptions *to, Term list) {
    *to = PACKET_DEFAULTS;
    for (; is_list(list); list = list_tail(list))
        if (!packet_option(to, list_head(list)))
            return false;
    return is_nil(list);
}

static Term decoded(Process *p, Term type, Term binary, const PacketInput *in, const PacketOptions *options) {
    Area *area = process_area(p);
    PacketFrame frame;
    PacketResult result = packet_find(type, in, options, &frame);
    if (result == PACKET_MORE)
        return area_tuple2(area, am_more, am_undefined);
    if (result == PACKET_INVALID)
        return area_tuple2(area, am_error, am_invalid);
    if (frame.size > in->count)
        return area_tuple2(area, am_more, small_make((SWord)frame.size));
    Term packet = packet_term(area, type, binary, in, &frame);
    Term rest = bits_sub(area, binary, frame.size * 8, bits_size(binary) - frame.size * 8);
    return area_tuple3(area, am_ok, packet, rest);
}

Term erlang_decode_packet_3(Process *p, const Term *a) {
    PacketOptions options;
    if (!packet_is_type(a[0]))
        return fail_badarg_cause(p, am_badopt);
    if (!is_taken_for_binary(a[1]) || !packet_options(&options, a[2]))
        return fail_badarg(p);
    BitsView view;
    bits_view(a[1], &view);
    PacketInput in = {view.bytes, view.bit_size / 8};
    if (is_raw(a[0]) && in.count > 0) {
        Area *area = process_area(p);
        Term all = bits_sub(area, a[1], 0, 8 * in.count);
        return area_tuple3(area, am_ok, all, bits_sub(area, a[1], 8 * in.count, view.bit_size % 8));
    }
    if (view.bit_offset == 0)
        return decoded(p, a[0], a[1], &in, &options);
    uint8_t *copy = mem_alloc(ALLOC_TEMP, in.count + 1);
    bits_copy(copy, 0, view.bytes, view.bit_offset, in.count * 8);
    in.bytes = copy;
    Term result = decoded(p, a[0], a[1], &in, &options);
    mem_free(ALLOC_TEMP, copy);
    return result;
}
