#include "base/copy_bytes.h"

#include <stdbool.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define PIECE 64

void copy_by_pieces(void *to, const void *from, size_t bytes) {
    char *t = to;
    const char *f = from;
    for (; bytes >= PIECE; bytes -= PIECE, t += PIECE, f += PIECE) {
        char piece[PIECE];
        memcpy(piece, f, PIECE);
        memcpy(t, piece, PIECE);
    }
    memcpy(t, f, bytes);
}

/* Is this one of those that copy slowly there? Others do not, and pieces take them twice as long as memcpy. */
static bool is_slow_ahead;
__attribute__((constructor)) static void ask_processor(void) {
#if defined(__x86_64__)
    unsigned most, name[3];
    is_slow_ahead = __get_cpuid(0, &most, &name[0], &name[2], &name[1]) && memcmp(name, "AuthenticAMD", 12) == 0;
#endif
}

void copy_ahead(void *to, const void *from, size_t bytes) {
    if (is_slow_ahead)
        copy_by_pieces(to, from, bytes);
    else
        memcpy(to, from, bytes);
}
