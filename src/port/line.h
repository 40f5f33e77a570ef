/*
 * Option {line, L}: what a driver gives is told line by line. A return right before the newline is a part of the end;
 * one that came last is neither text nor an end until more comes. Source: erlang(3) open_port/2.
 */
#ifndef VIV_PORT_LINE_H
#define VIV_PORT_LINE_H

#include "base/defs.h"

typedef struct LineBuffer {
    size_t size; /* of the beginning of a line that has come */
    size_t room;
    bool has_return; /* and a return behind it */
    char bytes[];
} LineBuffer;

void line_free(LineBuffer *line);
/* Of what is kept; of none, too. */
static inline size_t line_size(const LineBuffer *line) { return line == NULL ? 0 : line->size; }

/* Tells `is_end` with a line, or with a part of one that is as long as lines may be. */
typedef void LineTold(void *to, const char *bytes, size_t size, bool is_end);
/* More bytes; those that have no end yet are kept in *line, of which `most` is the size that it may have. */
void line_add(LineBuffer **line, size_t most, const char *bytes, size_t size, LineTold *told, void *to);
/* Nothing more comes: what is there is told as a part. */
void line_end(LineBuffer **line, size_t most, LineTold *told, void *to);

#endif
