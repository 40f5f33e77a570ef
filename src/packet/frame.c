/*
 * A frame is a header of known length that tells the length of the body. How much of both belongs to the packet
 * differs: see `skip` and `packet_size` of a Frame.
 */
#include "packet/packet.h"

#include <string.h>

#include "term/atom.h"
#include "term/bits.h"

#define LONGEST_FRAME INT32_MAX

static uint64_t big_endian(const uint8_t *bytes, unsigned count) {
    uint64_t n = 0;
    while (count-- > 0)
        n = n << 8 | *bytes++;
    return n;
}

static uint64_t little_endian_32(const uint8_t *b) {
    return b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
}

static PacketFrame frame_all(uint64_t header, uint64_t body) {
    return (PacketFrame){.packet_size = header + body, .size = header + body, .body = body};
}

static PacketFrame frame_body(uint64_t header, uint64_t body) {
    return (PacketFrame){.skip = header, .packet_size = body, .size = header + body, .body = body};
}

static PacketResult frame_counted(const PacketInput *in, unsigned header, PacketFrame *frame) {
    if (in->count < header)
        return PACKET_MORE;
    *frame = frame_body(header, big_endian(in->bytes, header));
    return PACKET_WHOLE;
}

static PacketResult frame_sunrm(const PacketInput *in, PacketFrame *frame) {
    if (in->count < 4)
        return PACKET_MORE;
    *frame = frame_all(4, big_endian(in->bytes, 4) & 0x7fffffff); /* the top bit marks the last fragment */
    return PACKET_WHOLE;
}

/* ITU-T X.690: tag (one byte or more), length (short, long or indefinite: taken as no body). */
static PacketResult frame_asn1(const PacketInput *in, PacketFrame *frame) {
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
    if (in->count < at + count)
        return PACKET_MORE;
    if (count > 4)
        return PACKET_INVALID;
    *frame = frame_all(at + count, first & 0x80 ? big_endian(in->bytes + at, count) : first);
    return PACKET_WHOLE;
}

/* CORBA's GIOP: magic, version, flags (bit 0: little-endian), type, size. */
static PacketResult frame_cdr(const PacketInput *in, PacketFrame *frame) {
    if (in->count < 12)
        return PACKET_MORE;
    if (memcmp(in->bytes, "GIOP", 4) != 0)
        return PACKET_INVALID;
    const uint8_t *size = in->bytes + 8;
    *frame = frame_all(12, in->bytes[6] & 1 ? little_endian_32(size) : big_endian(size, 4));
    return PACKET_WHOLE;
}

/* FastCGI: version, type, id, content length, padding length, reserved. The padding is dropped. */
static PacketResult frame_fcgi(const PacketInput *in, PacketFrame *frame) {
    if (in->count < 8)
        return PACKET_MORE;
    if (in->bytes[0] != 1)
        return PACKET_INVALID;
    *frame = frame_all(8, big_endian(in->bytes + 4, 2));
    frame->size += in->bytes[6];
    return PACKET_WHOLE;
}

/* RFC 1006: version 3, reserved, length of all. */
static PacketResult frame_tpkt(const PacketInput *in, PacketFrame *frame) {
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

static PacketResult frame_tls(const PacketInput *in, PacketFrame *frame) {
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

static PacketResult frame_line(const PacketInput *in, const PacketOptions *options, PacketFrame *frame) {
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
static const uint8_t *http_line_end(const PacketInput *in, bool is_header) {
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

static PacketResult frame_http(const PacketInput *in, const PacketOptions *options, bool is_header,
                               PacketFrame *frame) {
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

static PacketResult find_frame(Term type, const PacketInput *in, const PacketOptions *options, PacketFrame *frame) {
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

bool packet_is_type(Term type) {
    static const Term names[] = {am_line, am_asn1,  am_sunrm,    am_cdr,       am_fcgi,   am_tpkt,
                                 am_http, am_httph, am_http_bin, am_httph_bin, am_ssl_tls};
    for (size_t i = 0; i < array_length(names); i++)
        if (type == names[i])
            return true;
    return is_raw(type) || type == small_make(1) || type == small_make(2) || type == small_make(4);
}

PacketResult packet_find(Term type, const PacketInput *in, const PacketOptions *options, PacketFrame *frame) {
    PacketResult result = in->count == 0 ? PACKET_MORE : find_frame(type, in, options, frame);
    if (result != PACKET_WHOLE)
        return result;
    if (frame->size > LONGEST_FRAME || (options->packet_size != 0 && frame->body > options->packet_size))
        return PACKET_INVALID;
    return PACKET_WHOLE;
}

/* A version 2 hello becomes one of version 3 form. */
Term packet_tls_term(Area *area, Term from, const uint8_t *bytes, Term body, size_t size) {
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
    t[2] = from;
    t[3] = small_make(type);
    t[4] = version;
    t[5] = body;
    return boxed_make(t);
}
