#include "term/text.h"

#include "alloc/alloc.h"

#include <stdio.h>
#include <string.h>

void text_init(Text *t) {
    t->bytes = t->fixed;
    t->size = 0;
    t->capacity = TEXT_FIXED;
    t->drain = NULL;
}

void text_init_draining(Text *t, char *bytes, size_t capacity, void (*drain)(Text *t)) {
    *t = (Text){.bytes = bytes, .capacity = capacity, .drain = drain};
}

void text_release(Text *t) {
    if (t->bytes != t->fixed)
        mem_free(ALLOC_TEMP, t->bytes);
    text_init(t);
}

static void reserve(Text *t, size_t more) {
    if (likely(t->capacity - t->size >= more))
        return;
    if (t->drain != NULL) {
        t->drain(t);
        return;
    }
    size_t capacity = t->capacity * 2;
    while (capacity - t->size < more)
        capacity *= 2;
    bool fixed = t->bytes == t->fixed;
    char *bytes = mem_realloc(ALLOC_TEMP, fixed ? NULL : t->bytes, capacity);
    if (fixed)
        memcpy(bytes, t->fixed, t->size);
    t->bytes = bytes;
    t->capacity = capacity;
}

char *text_extend(Text *t, size_t bytes) {
    reserve(t, bytes);
    char *p = t->bytes + t->size;
    t->size += bytes;
    return p;
}

void text_byte(Text *t, char c) { *text_extend(t, 1) = c; }

void text_bytes(Text *t, const void *bytes, size_t count) {
    if (count > 0)
        memcpy(text_extend(t, count), bytes, count);
}

void text_string(Text *t, const char *s) { text_bytes(t, s, strlen(s)); }

void text_format(Text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = t->capacity - t->size;
    int length = vsnprintf(t->bytes + t->size, room, format, args);
    va_end(args);
    if ((size_t)length >= room) {
        reserve(t, (size_t)length + 1);
        vsnprintf(t->bytes + t->size, (size_t)length + 1, format, again);
    }
    va_end(again);
    t->size += (size_t)length;
}

const char *text_cstring(Text *t) {
    reserve(t, 1);
    t->bytes[t->size] = 0;
    return t->bytes;
}
