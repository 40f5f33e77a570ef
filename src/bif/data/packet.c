/*
 * erlang:decode_packet/3: where a packet of one of many protocols ends. Source: erlang(3) decode_packet/3, inet(3).
 *
 * A frame is a header of known length that tells the length of the body. How much of both belongs to the packet
 * differs: see `skip` and `packet_size` below.
 */
#include "bif/data/packet.h"

#include <string.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

#define LONGEST_FRAME INT32_MAX

typedef struct {
    uint64_t packet_size, line_length; /* 0: no limit */
    uint8_t line_delimiter;
} PacketOptions;

typedef struct {
    const uint8_t *bytes;
    size_t count;
} Input;

/* [skip, skip + packet_size) of the input is the packet; the rest begins at `size`. */
typedef struct {
    uint64_t skip, packet_size, size;
    uint64_t body; /* what the option packet_size limits */
} Frame;

static uint64_t big_endian(const uint8_t *bytes, unsigned count) {
    uint64_t n = 0;
    while (count-- > 0)
        n = n << 8 | *bytes++;
    return n;
}

static uint64_t little_endian_32(const uint8_t *b) {
    return b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
}

static Frame frame_all(uint64_t header, uint64_t body) {
    return (Frame){.packet_size = header + body, .size = header + body, .body = body};
}

static Frame frame_body(uint64_t header, uint64_t body) {
    return (Frame){.skip = header, .packet_size = body, .size = header + body, .body = body};
}

static PacketResult frame_counted(const Input *in, unsigned header, Frame *frame) {
    if (in->count < header)
        return PACKET_MORE;
    *frame = frame_body(header, big_endian(in->bytes, header));
    return PACKET_WHOLE;
}

static PacketResult frame_sunrm(const Input *in, Frame *frame) {
    if (in->count < 4)
        return PACKET_MORE;
    *frame = frame_all(4, big_endian(in->bytes, 4) & 0x7fffffff); /* the top bit marks the last fragment */
    return PACKET_WHOLE;
}

/* ITU-T X.690: tag (one byte or more), length (short, long or indefinite: taken as no body). */
static PacketResult frame_asn1(const Input *in, Frame *frame) {
    size_t at = 1;
    if (in->count < 2)
        return PACKET_MORE;
    if ((in->bytes[0] & 0x1f) == 0x1f) {
        while (at < in->count && in->bytes[at] & 0x80)
            at++;
        at++;
        if (at >= in->count)
            return PACKET_MORE;
    }
    uint8_t first = in->bytes[at++];
    unsigned count = first & 0x80 ? first & 0x7f : 0;
    if (count > 4)
        return PACKET_INVALID;
    if (in->count < at + count)
        return PACKET_MORE;
    *frame = frame_all(at + count, first & 0x80 ? big_endian(in->bytes + at, count) : first);
    return PACKET_WHOLE;
}

/* CORBA's GIOP: magic, version, flags (bit 0: little-endian), type, size. */
static PacketResult frame_cdr(const Input *in, Frame *frame) {
    if (in->count < 12)
        return PACKET_MORE;
    if (memcmp(in->bytes, "GIOP", 4) != 0)
        return PACKET_INVALID;
    const uint8_t *size = in->bytes + 8;
    *frame = frame_all(12, in->bytes[6] & 1 ? little_endian_32(size) : big_endian(size, 4));
    return PACKET_WHOLE;
}

/* FastCGI: version, type, id, content length, padding length, reserved. The padding is dropped. */
static PacketResult frame_fcgi(const Input *in, Frame *frame) {
    if (in->count < 8)
        return PACKET_MORE;
    if (in->bytes[0] != 1)
        return PACKET_INVALID;
    *frame = frame_all(8, big_endian(in->bytes + 4, 2));
    frame->size += in->bytes[6];
    return PACKET_WHOLE;
}

/* RFC 1006: version 3, reserved, length of all. */
static PacketResult frame_tpkt(const Input *in, Frame *frame) {
    if (in->count < 4)
        return PACKET_MORE;
    uint64_t length = big_endian(in->bytes + 2, 2);
    if (in->bytes[0] != 3 || length < 4)
        return PACKET_INVALID;
    *frame = frame_all(4, length - 4);
    return PACKET_WHOLE;
}

/* An SSL 2.0 client hello: two bytes of length with the top bit set, type 1. */
static bool is_ssl2_hello(const uint8_t *bytes) { return bytes[0] & 0x80 && bytes[2] == 1; }

static PacketResult frame_tls(const Input *in, Frame *frame) {
    if (in->count < 5)
        return PACKET_MORE;
    uint64_t body = big_endian(in->bytes + 3, 2);
    if (is_ssl2_hello(in->bytes)) {
        uint64_t length = big_endian(in->bytes, 2) & 0x7fff;
        if (length < 3)
            return PACKET_INVALID;
        body = length - 3;
    }
    *frame = frame_body(5, body);
    return PACKET_WHOLE;
}

static PacketResult frame_line(const Input *in, const PacketOptions *options, Frame *frame) {
    const uint8_t *end = memchr(in->bytes, options->line_delimiter, in->count);
    uint64_t length = end ? (uint64_t)(end + 1 - in->bytes) : in->count, most = options->line_length;
    bool cut = most != 0 && (end ? length > most : length >= most);
    if (cut)
        length = most;
    if (options->packet_size != 0 && length > options->packet_size)
        return PACKET_INVALID;
    if (!end && !cut)
        return PACKET_MORE;
    *frame = frame_all(0, length);
    return PACKET_WHOLE;
}

/* A header goes on in the next line when that begins with a blank, so the byte after its end must be there. */
static const uint8_t *http_line_end(const Input *in, bool is_header) {
    const uint8_t *end = in->bytes + in->count, *at = memchr(in->bytes, '\n', in->count);
    bool is_empty = at && (at == in->bytes || (at == in->bytes + 1 && in->bytes[0] == '\r'));
    while (at && is_header && !is_empty) {
        if (at + 1 == end)
            return NULL;
        if (at[1] != ' ' && at[1] != '\t')
            break;
        at = memchr(at + 1, '\n', (size_t)(end - at - 1));
    }
    return at;
}

static PacketResult frame_http(const Input *in, const PacketOptions *options, bool is_header, Frame *frame) {
    const uint8_t *end = http_line_end(in, is_header);
    uint64_t most = options->packet_size ? options->packet_size : options->line_length;
    uint64_t length = end ? (uint64_t)(end + 1 - in->bytes) : in->count;
    if (most != 0 && length > most)
        return PACKET_INVALID;
    if (!end)
        return PACKET_MORE;
    *frame = frame_all(0, length);
    return PACKET_WHOLE;
}

static PacketResult find_frame(Term type, const Input *in, const PacketOptions *options, Frame *frame) {
    switch (type) {
    case am_line: return frame_line(in, options, frame);
    case am_asn1: return frame_asn1(in, frame);
    case am_sunrm: return frame_sunrm(in, frame);
    case am_cdr: return frame_cdr(in, frame);
    case am_fcgi: return frame_fcgi(in, frame);
    case am_tpkt: return frame_tpkt(in, frame);
    case am_ssl_tls: return frame_tls(in, frame);
    case am_http:
    case am_http_bin: return frame_http(in, options, false, frame);
    case am_httph:
    case am_httph_bin: return frame_http(in, options, true, frame);
    default: return frame_counted(in, (unsigned)small_value(type), frame);
    }
}

static bool is_raw(Term type) { return type == am_raw || type == small_make(0); }

static bool is_packet_type(Term type) {
    static const Term names[] = {am_line, am_asn1,  am_sunrm,    am_cdr,       am_fcgi,   am_tpkt,
                                 am_http, am_httph, am_http_bin, am_httph_bin, am_ssl_tls};
    for (size_t i = 0; i < array_length(names); i++)
        if (type == names[i])
            return true;
    return is_raw(type) || type == small_make(1) || type == small_make(2) || type == small_make(4);
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
    *to = (PacketOptions){0, 0, '\n'};
    for (; is_list(list); list = list_tail(list))
        if (!packet_option(to, list_head(list)))
            return false;
    return is_nil(list);
}

/* {ssl_tls, [], ContentType, {Major, Minor}, Body}; a version 2 hello becomes one of version 3 form. */
static Term tls_packet(Area *area, const uint8_t *bytes, Term body, size_t size) {
    unsigned type = bytes[0], major = bytes[1], minor = bytes[2];
    if (is_ssl2_hello(bytes)) {
        type = 22;
        major = bytes[3];
        minor = bytes[4];
        uint8_t *to;
        size_t length = size + 2;
        body = binary_make(area, 4 + length, &to);
        uint8_t head[] = {1, (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length, bytes[3], bytes[4]};
        memcpy(to, head, sizeof head);
        memcpy(to + sizeof head, bytes + 5, size);
    }
    Term version = area_tuple2(area, small_make(major), small_make(minor));
    Term *t = area_alloc(area, 6);
    t[0] = header_make(KIND_TUPLE, 5);
    t[1] = am_ssl_tls;
    t[2] = NIL;
    t[3] = small_make(type);
    t[4] = version;
    t[5] = body;
    return boxed_make(t);
}

static Term packet_term(Area *area, Term type, Term binary, const Input *in, const Frame *frame) {
    HttpForm form = {area, type == am_http_bin || type == am_httph_bin};
    switch (type) {
    case am_http:
    case am_http_bin: return http_first_line(form, (const char *)in->bytes, frame->size);
    case am_httph:
    case am_httph_bin: return http_header_line(form, (const char *)in->bytes, frame->size);
    default: break;
    }
    Term packet = bits_sub(area, binary, frame->skip * 8, frame->packet_size * 8);
    return type == am_ssl_tls ? tls_packet(area, in->bytes, packet, frame->packet_size) : packet;
}

static Term decoded(Process *p, Term type, Term binary, const Input *in, const PacketOptions *options) {
    Area *area = process_area(p);
    Frame frame;
    PacketResult result = in->count == 0 ? PACKET_MORE : find_frame(type, in, options, &frame);
    if (result == PACKET_MORE)
        return area_tuple2(area, am_more, am_undefined);
    if (result == PACKET_INVALID || frame.size > LONGEST_FRAME ||
        (options->packet_size != 0 && frame.body > options->packet_size))
        return area_tuple2(area, am_error, am_invalid);
    if (frame.size > in->count)
        return area_tuple2(area, am_more, small_make((SWord)frame.size));
    Term packet = packet_term(area, type, binary, in, &frame);
    Term rest = bits_sub(area, binary, frame.size * 8, bits_size(binary) - frame.size * 8);
    return area_tuple3(area, am_ok, packet, rest);
}

Term erlang_decode_packet_3(Process *p, const Term *a) {
    PacketOptions options;
    if (!is_packet_type(a[0]))
        return fail_badarg_cause(p, am_badopt);
    if (!is_taken_for_binary(a[1]) || !packet_options(&options, a[2]))
        return fail_badarg(p);
    BitsView view;
    bits_view(a[1], &view);
    Input in = {view.bytes, view.bit_size / 8};
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
