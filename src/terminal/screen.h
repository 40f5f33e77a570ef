/*
 * What is written to a terminal so that it shows the line as it is to be, and the cursor where it is to be. All bytes
 * are appended to `out`, which the caller writes and clears. By one thread at a time.
 */
#ifndef VIV_TERMINAL_SCREEN_H
#define VIV_TERMINAL_SCREEN_H

#include "terminal/line.h"

typedef struct {
    Line line;
    size_t at;        /* the cell that the cursor is on, or behind the last one */
    LinePlace cursor; /* the terminal's */
    Text out;
} Screen;

void screen_init(Screen *s, unsigned columns, bool is_unicode);
void screen_release(Screen *s);
/* The terminal has another width now. */
void screen_resize(Screen *s, unsigned columns);

/* UTF-8; a byte that is none is taken as a character. `put` writes over what is there, and ends lines; `insert` moves
 * what is there to the right. */
void screen_put(Screen *s, const uint8_t *text, size_t size);
void screen_insert(Screen *s, const uint8_t *text, size_t size);
/* That many characters at the cursor, or, negative, before it. */
void screen_delete(Screen *s, int count);
void screen_move(Screen *s, int count);
void screen_beep(Screen *s);

#endif
