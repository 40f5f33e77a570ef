/*
 * memcpy for what may be long. From a length on the C library lets the processor copy by itself (rep movsb), and that
 * takes fourteen times as long on some (AMD's since Zen 3) where the destination is a few bytes ahead of the source in
 * its page: what a byte is to be stored to looks like one that is yet to be read. So it is where a binary is copied
 * behind a few bytes: a coded one behind its tag, one in a list behind a header.
 */
#ifndef VIV_BASE_COPY_BYTES_H
#define VIV_BASE_COPY_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/defs.h"

#define COPY_LONG 1024 /* bytes; the C library's own copying is used below */
#define COPY_AHEAD 32
#define COPY_PAGE 4096

/* By pieces that are loaded and stored. */
void copy_by_pieces(void *to, const void *from, size_t bytes);
/* So on such processors, else as memcpy. */
void copy_ahead(void *to, const void *from, size_t bytes);

/* The two do not overlap. */
static inline void copy_bytes(void *to, const void *from, size_t bytes) {
    if (unlikely(bytes >= COPY_LONG && ((uintptr_t)to - (uintptr_t)from) % COPY_PAGE - 1 < COPY_AHEAD))
        copy_ahead(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

/* Bytes of which there are mostly fewer than a call is worth; the two do not overlap. */
static inline void copy_few_bytes(void *to, const void *from, size_t count) {
    char *t = to;
    const char *f = from;
    if (count >= 16) {
        for (size_t i = 0; i < count - 16; i += 16) {
            memcpy(t + i, f + i, 16);
            __asm__("" : "+r"(i)); /* else the compiler makes it a call */
        }
        memcpy(t + count - 16, f + count - 16, 16);
    } else if (count >= 8) {
        memcpy(t, f, 8);
        memcpy(t + count - 8, f + count - 8, 8);
    } else if (count >= 4) {
        memcpy(t, f, 4);
        memcpy(t + count - 4, f + count - 4, 4);
    } else if (count > 0) {
        t[0] = f[0];
        t[count / 2] = f[count / 2];
        t[count - 1] = f[count - 1];
    }
}

/* Words of which there are mostly fewer than a call is worth; the two do not overlap. Pieces that overlap each other
 * take the place of jumps on how many words are left, which cannot be foretold. */
static inline void copy_few_words(uint64_t *to, const uint64_t *from, size_t count) {
    enum { PAIR = 2 * sizeof(uint64_t), FOUR = 2 * PAIR };
    if (likely(count - 2 <= 2)) { /* 2 to 4: for 0 and 1 it is a large number */
        memcpy(to, from, PAIR);
        memcpy(to + count - 2, from + count - 2, PAIR);
    } else if (count > 4) {
        for (size_t i = 0; i < count - 4; i += 4) {
            memcpy(to + i, from + i, FOUR);
            __asm__("" : "+r"(i)); /* else the compiler makes it a call */
        }
        memcpy(to + count - 4, from + count - 4, FOUR);
    } else if (count == 1) {
        *to = *from;
    }
}

#endif
