/*
 * The line that the cursor is in, from where it began: its characters, and where each of them stands. A line that is
 * longer than the terminal is wide goes on in the next row. Sequences of control (ESC [ ... a letter) stand among the
 * characters and take no place.
 */
#ifndef VIV_TERMINAL_LINE_H
#define VIV_TERMINAL_LINE_H

#include "term/text.h"
#include "terminal/glyph.h"

typedef struct {
    uint32_t character;
    uint32_t sequence; /* where it begins in `sequences`, plus one; 0: it is a character */
} LineCell;

typedef struct {
    unsigned row, column;
} LinePlace;

typedef struct {
    LineCell *cells; /* ALLOC_PORT */
    size_t count, room;
    Text sequences; /* each ends with NUL */
    LinePlace origin; /* of the first */
    unsigned columns; /* of the terminal */
    bool is_unicode;
} Line;

void line_init(Line *line);
void line_release(Line *line);
/* It is empty, and begins there. */
void line_clear(Line *line, LinePlace origin);
void line_insert(Line *line, size_t at, const LineCell *cells, size_t count);
void line_remove(Line *line, size_t at, size_t count);
/* `bytes`: a sequence, of which a copy is kept. */
LineCell line_sequence(Line *line, const uint8_t *bytes, size_t size);

/* The columns that it takes where it begins at that place; a tab takes them until the next multiple of eight. */
unsigned line_columns(const Line *line, const LineCell *cell, LinePlace place);
/* Behind a cell that begins at that place: its column may be the terminal's width, as long as nothing follows. */
LinePlace line_behind(const Line *line, const LineCell *cell, LinePlace place);
/* Where the cell of that index is, or will be: within the width. */
LinePlace line_place(const Line *line, size_t index);
/* That many characters further on, or back: no sequence counts. Within the line. */
size_t line_step(const Line *line, size_t from, int count);

#endif
