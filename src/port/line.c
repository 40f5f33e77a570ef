#include "port/line.h"

#include <string.h>

#include "alloc/alloc.h"

void line_free(LineBuffer *line) { mem_free(ALLOC_PORT, line); }

/* Twice as much each time: a long line is not copied with each part that comes. */
static void make_room(LineBuffer **line, size_t size) {
    bool is_new = *line == NULL;
    size_t room = is_new ? size : 2 * (*line)->room;
    if (!is_new && size <= (*line)->room)
        return;
    room = size > room ? size : room;
    *line = mem_realloc(ALLOC_PORT, *line, sizeof **line + room);
    if (is_new)
        **line = (LineBuffer){.size = 0, .has_return = false};
    (*line)->room = room;
}

static void keep(LineBuffer **line, const char *bytes, size_t size) {
    size_t before = line_size(*line);
    if (size == 0)
        return;
    make_room(line, before + size);
    memcpy((*line)->bytes + before, bytes, size);
    (*line)->size = before + size;
}

static void keep_return(LineBuffer **line) {
    make_room(line, line_size(*line));
    (*line)->has_return = true;
}

/* What was kept, and these bytes behind it. */
static void tell(LineBuffer **line, const char *bytes, size_t size, bool is_end, LineTold *told, void *to) {
    if (line_size(*line) == 0) {
        told(to, bytes, size, is_end);
        return;
    }
    keep(line, bytes, size);
    LineBuffer *whole = *line;
    *line = NULL;
    told(to, whole->bytes, whole->size, is_end);
    line_free(whole);
}

/* Text without an end of line. */
static void add(LineBuffer **line, size_t most, const char *bytes, size_t size, LineTold *told, void *to) {
    for (size_t room; size > (room = most - line_size(*line)); bytes += room, size -= room)
        tell(line, bytes, room, false, told, to);
    keep(line, bytes, size);
}

static void end_line(LineBuffer **line, size_t most, const char *bytes, size_t size, LineTold *told, void *to) {
    for (size_t room; size > (room = most - line_size(*line)); bytes += room, size -= room)
        tell(line, bytes, room, false, told, to);
    tell(line, bytes, size, true, told, to);
}

static bool ends_with_return(const char *bytes, size_t size) { return size > 0 && bytes[size - 1] == '\r'; }

/* What came before ended with a return: it belongs to the end of the line, or is text. How many bytes are used up. */
static size_t after_return(LineBuffer **line, size_t most, const char *bytes, LineTold *told, void *to) {
    (*line)->has_return = false;
    if (*bytes != '\n') {
        add(line, most, "\r", 1, told, to);
        return 0;
    }
    end_line(line, most, NULL, 0, told, to);
    return 1;
}

void line_add(LineBuffer **line, size_t most, const char *bytes, size_t size, LineTold *told, void *to) {
    if (size == 0) /* of nowhere, then */
        return;
    const char *end = bytes + size;
    if (*line != NULL && (*line)->has_return)
        bytes += after_return(line, most, bytes, told, to);
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((newline == NULL ? end : newline) - bytes);
        bool returns = ends_with_return(bytes, length);
        if (newline == NULL) {
            add(line, most, bytes, length - returns, told, to);
            if (returns)
                keep_return(line);
            return;
        }
        end_line(line, most, bytes, length - returns, told, to);
        bytes = newline + 1;
    }
}

void line_end(LineBuffer **line, size_t most, LineTold *told, void *to) {
    if (*line != NULL && (*line)->has_return) {
        (*line)->has_return = false;
        add(line, most, "\r", 1, told, to);
    }
    if (line_size(*line) > 0)
        tell(line, NULL, 0, false, told, to);
}
