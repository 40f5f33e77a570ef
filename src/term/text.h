/*
 * A growable run of bytes: where printed terms are collected. The first TEXT_FIXED bytes lie in the object itself.
 * text_init, then any of the others, then text_release; TEXT(name) declares one that is released at the block's end.
 */
#ifndef VIV_TERM_TEXT_H
#define VIV_TERM_TEXT_H

#include "base/defs.h"

#include <stdarg.h>

#define TEXT_FIXED 256

typedef struct Text {
    char *bytes; /* not terminated by NUL, see text_cstring */
    size_t size, capacity;
    void (*drain)(struct Text *t); /* NULL: it grows; else it does not, this empties it when it is full */
    char fixed[TEXT_FIXED];
} Text;

void text_init(Text *t);
void text_release(Text *t);
/* One that does not grow, in so many bytes of the caller's: no piece that is put in at once is larger. */
void text_init_draining(Text *t, char *bytes, size_t capacity, void (*drain)(Text *t));
#define TEXT(name)                                                                                                     \
    Text name __attribute__((cleanup(text_release)));                                                                  \
    text_init(&name)
static inline void text_clear(Text *t) { t->size = 0; }

/* `bytes` more bytes of uninitialised room, counted as used. */
char *text_extend(Text *t, size_t bytes);
void text_byte(Text *t, char c);
void text_bytes(Text *t, const void *bytes, size_t count);
void text_string(Text *t, const char *s);
void text_format(Text *t, const char *format, ...) printf_like(2, 3);
/* Terminated by NUL (not counted in size). */
const char *text_cstring(Text *t);

#endif
