#include "port/line.h"

#include <string.h>

#include "alloc/alloc.h"

void line_free(LineBuffer *line) { mem_free(ALLOC_PORT, line); }

static size_t kept_size(const LineBuffer *line) { return line == NULL ? 0 : line->size; }

static void keep(LineBuffer **line, const char *bytes, size_t size) {
    size_t before = kept_size(*line);
    if (size == 0)
        return;
    *line = mem_realloc(ALLOC_PORT, *line, sizeof **line + before + size);
    memcpy((*line)->bytes + before, bytes, size);
    (*line)->size = before + size;
}

/* What was kept, and these bytes behind it. */
static void tell(LineBuffer **line, const char *bytes, size_t size, bool is_end, LineTold *told, void *to) {
    if (kept_size(*line) == 0) {
        told(to, bytes, size, is_end);
        return;
    }
    keep(line, bytes, size);
    LineBuffer *whole = *line;
    *line = NULL;
    told(to, whole->bytes, whole->size, is_end);
    line_free(whole);
}

void line_add(LineBuffer **line, size_t most, const char *bytes, size_t size, LineTold *told, void *to) {
    while (size > 0) {
        const char *newline = memchr(bytes, '\n', size);
        size_t length = newline == NULL ? size : (size_t)(newline - bytes), room = most - kept_size(*line);
        if (length > room) {
            tell(line, bytes, room, false, told, to);
            bytes += room;
            size -= room;
        } else if (newline == NULL) {
            keep(line, bytes, length);
            return;
        } else {
            tell(line, bytes, length, true, told, to);
            bytes += length + 1;
            size -= length + 1;
        }
    }
}

void line_end(LineBuffer **line, LineTold *told, void *to) {
    if (kept_size(*line) > 0)
        tell(line, NULL, 0, false, told, to);
}
