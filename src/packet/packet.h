/*
 * Packets: where one of many protocols ends in a run of bytes, and what some of them are as terms. Source: erlang(3)
 * decode_packet/3, inet(3).
 *
 * A type is an atom or a number of bytes, as decode_packet/3 takes it. Nothing here allocates but in an Area.
 */
#ifndef VIV_PACKET_PACKET_H
#define VIV_PACKET_PACKET_H

#include "term/area.h"

typedef struct {
    uint64_t packet_size, line_length; /* 0: no limit */
    uint8_t line_delimiter;
} PacketOptions;
#define PACKET_DEFAULTS ((PacketOptions){0, 0, '\n'})

typedef struct {
    const uint8_t *bytes;
    size_t count;
} PacketInput;

/* [skip, skip + packet_size) of the input is the packet; the rest begins at `size`. */
typedef struct {
    uint64_t skip, packet_size, size;
    uint64_t body; /* what the option packet_size limits */
} PacketFrame;

/* MORE: it can not be said yet how long it is. A whole one may be longer than what is there. */
typedef enum { PACKET_WHOLE, PACKET_MORE, PACKET_INVALID } PacketResult;

must_check bool packet_is_type(Term type);
/* Of any type but raw. */
PacketResult packet_find(Term type, const PacketInput *in, const PacketOptions *options, PacketFrame *frame);

/* Texts come as binaries, or as lists of bytes. */
typedef struct {
    Area *area;
    bool as_binary;
} HttpForm;

/* An HTTP request or status line, without what follows it; {http_error, Line} when it is neither. */
Term http_first_line(HttpForm form, const char *line, size_t size);
/* A header line with its continuations, or the empty line. */
Term http_header_line(HttpForm form, const char *line, size_t size);

/* {ssl_tls, From, ContentType, {Major, Minor}, Body}, where `bytes` are the frame's, and the body of `size` bytes is a
 * term already. */
Term packet_tls_term(Area *area, Term from, const uint8_t *bytes, Term body, size_t size);

#endif
