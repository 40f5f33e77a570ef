#include "base/copy_bytes.h"

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
