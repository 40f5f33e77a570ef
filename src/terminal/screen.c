#include "terminal/screen.h"

#include "base/unicode.h"
#include "terminal/capabilities.h"

#define ESCAPE 0x1b
#define LINE_MOST 65536 /* characters; of a longer one the beginning is forgotten */

void screen_init(Screen *s, unsigned columns, bool is_unicode) {
    *s = (Screen){.at = 0};
    line_init(&s->line);
    text_init(&s->out);
    s->line.columns = columns;
    s->line.is_unicode = is_unicode;
}

void screen_release(Screen *s) {
    line_release(&s->line);
    text_release(&s->out);
}

void screen_resize(Screen *s, unsigned columns) {
    if (columns == s->line.columns)
        return;
    s->line.columns = columns;
    s->cursor = line_place(&s->line, s->at);
}

/* --- the cursor --------------------------------------------------------------------------------------------------- */

static void go(Screen *s, Direction forwards, Direction back, unsigned from, unsigned to) {
    capabilities_go(&s->out, to > from ? forwards : back, to > from ? to - from : from - to);
}

static void go_to(Screen *s, LinePlace place) {
    go(s, GO_DOWN, GO_UP, s->cursor.row, place.row);
    if (place.column == 0 && s->cursor.column != 0)
        text_byte(&s->out, '\r');
    else
        go(s, GO_RIGHT, GO_LEFT, s->cursor.column, place.column);
    s->cursor = place;
}

static void go_to_cell(Screen *s, size_t index) {
    s->at = index;
    go_to(s, line_place(&s->line, index));
}

/* Behind the last column: in the next row, whatever the terminal does there. */
static void settle(Screen *s) {
    if (s->cursor.column < s->line.columns)
        return;
    if (!capabilities_wrap())
        text_string(&s->out, "\r\n");
    else if (capabilities_wrap_late())
        text_string(&s->out, " \r");
    s->cursor = (LinePlace){s->cursor.row + 1, 0};
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

static void show_cell(Screen *s, const LineCell *cell) {
    LinePlace next = line_behind(&s->line, cell, s->cursor);
    if (cell->sequence != 0) {
        text_string(&s->out, s->line.sequences.bytes + cell->sequence - 1);
    } else if (cell->character == '\t') {
        for (unsigned i = line_columns(&s->line, cell, s->cursor); i > 0; i--)
            text_byte(&s->out, ' ');
    } else {
        Glyph g = glyph_of(cell->character, s->line.is_unicode);
        text_bytes(&s->out, g.bytes, g.size);
    }
    s->cursor = next;
}

/* From the cursor's place on. */
static void show(Screen *s, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        show_cell(s, &s->line.cells[i]);
    settle(s);
}

/* The places that the line took before, and does not take any more. */
static void blank(Screen *s, LinePlace end) {
    const LineCell space = {.character = ' '};
    while (s->cursor.row < end.row || (s->cursor.row == end.row && s->cursor.column < end.column))
        show_cell(s, &space);
    settle(s);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static uint32_t next_character(const uint8_t **text, const uint8_t *end) {
    uint32_t character;
    return utf8_decode(text, end, &character) == UTF8_OK ? character : *(*text)++;
}

/* The bytes of a sequence that begins there; 0: none does. */
static size_t sequence_size(const uint8_t *text, const uint8_t *end) {
    if (end - text < 3 || text[0] != ESCAPE || text[1] != '[')
        return 0;
    const uint8_t *at = text + 2;
    while (at < end && *at >= 0x20 && *at < 0x40)
        at++;
    return at < end && *at >= 0x40 && *at < 0x7f ? (size_t)(at + 1 - text) : 0;
}

static LineCell next_cell(Screen *s, const uint8_t **text, const uint8_t *end) {
    size_t size = sequence_size(*text, end);
    if (size == 0)
        return (LineCell){.character = next_character(text, end)};
    LineCell cell = line_sequence(&s->line, *text, size);
    *text += size;
    return cell;
}

static void end_line(Screen *s) {
    text_string(&s->out, "\r\n");
    s->cursor = (LinePlace){0, 0};
    line_clear(&s->line, s->cursor);
    s->at = 0;
}

static void put_cell(Screen *s, const LineCell *cell) {
    if (s->at < s->line.count && cell->sequence == 0)
        line_remove(&s->line, s->at, 1);
    line_insert(&s->line, s->at, cell, 1);
    show_cell(s, cell);
    s->at++;
}

void screen_put(Screen *s, const uint8_t *text, size_t size) {
    for (const uint8_t *end = text + size; text < end;) {
        LineCell cell = next_cell(s, &text, end);
        if (cell.sequence == 0 && cell.character == '\n')
            end_line(s);
        else if (cell.sequence == 0 && cell.character == '\r')
            go_to_cell(s, 0);
        else
            put_cell(s, &cell);
        if (s->line.count > LINE_MOST && s->at == s->line.count) {
            s->at = 0;
            s->cursor.row = 0;
            line_clear(&s->line, s->cursor);
        }
    }
    settle(s);
}

void screen_insert(Screen *s, const uint8_t *text, size_t size) {
    size_t from = s->at;
    for (const uint8_t *end = text + size; text < end; s->at++) {
        LineCell cell = next_cell(s, &text, end);
        line_insert(&s->line, s->at, &cell, 1);
    }
    show(s, from, s->line.count);
    go_to_cell(s, s->at);
}

void screen_delete(Screen *s, int count) {
    size_t other = line_step(&s->line, s->at, count);
    size_t from = other < s->at ? other : s->at, to = other < s->at ? s->at : other;
    LinePlace end = line_place(&s->line, s->line.count);
    go_to_cell(s, from);
    line_remove(&s->line, from, to - from);
    show(s, from, s->line.count);
    blank(s, end);
    go_to_cell(s, from);
}

void screen_move(Screen *s, int count) { go_to_cell(s, line_step(&s->line, s->at, count)); }
void screen_beep(Screen *s) { text_byte(&s->out, '\a'); }
