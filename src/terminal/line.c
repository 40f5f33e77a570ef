#include "terminal/line.h"

#include <string.h>

#include "alloc/alloc.h"

#define TAB_COLUMNS 8
#define FIRST_ROOM 128

void line_init(Line *line) {
    *line = (Line){.room = FIRST_ROOM, .cells = mem_alloc(ALLOC_PORT, FIRST_ROOM * sizeof(LineCell))};
    text_init(&line->sequences);
}

void line_release(Line *line) {
    mem_free(ALLOC_PORT, line->cells);
    text_release(&line->sequences);
}

void line_clear(Line *line, LinePlace origin) {
    line->count = 0;
    line->origin = origin;
    text_clear(&line->sequences);
}

static void make_room(Line *line, size_t more) {
    if (line->count + more <= line->room)
        return;
    line->room = 2 * (line->count + more);
    line->cells = mem_realloc(ALLOC_PORT, line->cells, line->room * sizeof(LineCell));
}

void line_insert(Line *line, size_t at, const LineCell *cells, size_t count) {
    make_room(line, count);
    memmove(line->cells + at + count, line->cells + at, (line->count - at) * sizeof *cells);
    memcpy(line->cells + at, cells, count * sizeof *cells);
    line->count += count;
}

void line_remove(Line *line, size_t at, size_t count) {
    line->count -= count;
    memmove(line->cells + at, line->cells + at + count, (line->count - at) * sizeof *line->cells);
}

LineCell line_sequence(Line *line, const uint8_t *bytes, size_t size) {
    LineCell cell = {.sequence = (uint32_t)line->sequences.size + 1};
    text_bytes(&line->sequences, bytes, size);
    text_byte(&line->sequences, '\0');
    return cell;
}

unsigned line_columns(const Line *line, const LineCell *cell, LinePlace place) {
    if (cell->sequence != 0)
        return 0;
    if (cell->character == '\t')
        return TAB_COLUMNS - (place.row * line->columns + place.column) % TAB_COLUMNS;
    return glyph_of(cell->character, line->is_unicode).columns;
}

/* What is wide for one character is not cut in two; what is spelt out is. */
static bool is_whole(const Line *line, const LineCell *cell) {
    return line->is_unicode && cell->sequence == 0 && cell->character >= 0x80;
}

LinePlace line_behind(const Line *line, const LineCell *cell, LinePlace place) {
    unsigned columns = line_columns(line, cell, place);
    if (columns == 0)
        return place;
    if (place.column == line->columns || (is_whole(line, cell) && place.column + columns > line->columns))
        place = (LinePlace){place.row + 1, 0};
    unsigned all = place.column + columns, rows = (all - 1) / line->columns;
    return (LinePlace){place.row + rows, all - rows * line->columns};
}

LinePlace line_place(const Line *line, size_t index) {
    LinePlace place = line->origin;
    for (size_t i = 0; i < index; i++)
        place = line_behind(line, &line->cells[i], place);
    return place.column < line->columns ? place : (LinePlace){place.row + 1, 0};
}

size_t line_step(const Line *line, size_t from, int count) {
    for (; count > 0 && from < line->count; from++)
        count -= line->cells[from].sequence == 0;
    for (; count < 0 && from > 0; from--)
        count += line->cells[from - 1].sequence == 0;
    return from;
}
