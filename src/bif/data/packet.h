/*
 * What packet.c (framing) and http_packet.c (HTTP lines) share: the input as bytes.
 */
#ifndef VIV_BIF_DATA_PACKET_H
#define VIV_BIF_DATA_PACKET_H

#include "process/process.h"

/* How a decoder ended. */
typedef enum { PACKET_WHOLE, PACKET_MORE, PACKET_INVALID } PacketResult;

/* Texts come as binaries, or as lists of bytes. */
typedef struct {
    Area *area;
    bool as_binary;
} HttpForm;

/* An HTTP request or status line, without what follows it; {http_error, Line} when it is neither. */
Term http_first_line(HttpForm form, const char *line, size_t size);
/* A header line with its continuations, or the empty line. */
Term http_header_line(HttpForm form, const char *line, size_t size);

#endif
