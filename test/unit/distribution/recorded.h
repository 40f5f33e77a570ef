/*
 * Messages between stock nodes, from the files in test/distribution/recorded: test/distribution/record says what they
 * are. A file is opened from the top of the tree, where tools/run_tests runs a test, or from where the source lies.
 */
#ifndef VIV_TEST_RECORDED_H
#define VIV_TEST_RECORDED_H

#include "base/thread_progress.h"
#include "code/export.h"
#include "heap/heap.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/fun.h"
#include "term/node.h"
#include "unit.h"

#include <string.h>

static const char *const recordings[] = {"all_asks",      "all_answers",    "older_asks",
                                         "older_answers", "no_header_asks", "no_header_answers"};

typedef struct {
    FILE *file;
    char *line;
    size_t line_room;
    uint8_t *bytes; /* of a message: exactly so many are there, so that a sanitizer sees a step outside */
    size_t size;
    uint64_t abilities;
} Recording;

static inline uint8_t hex_byte(const char *text) {
    char byte[3] = {text[0], text[1], 0};
    return (uint8_t)strtoul(byte, NULL, 16);
}

/* `out` NULL: only counts. */
static inline size_t recorded_bytes(const char *text, uint8_t *out) {
    size_t size = 0;
    for (; *text > ' '; text++) {
        size_t unit = 1, times = 1;
        if (*text == '(') {
            const char *star = strchr(++text, '*');
            unit = (size_t)(star - text) / 2;
            times = strtoul(star + 1, NULL, 10);
        }
        for (size_t i = 0; out != NULL && i < unit * times; i++)
            out[size + i] = hex_byte(text + 2 * (i % unit));
        size += unit * times;
        text = times > 1 ? strchr(text, ')') : text + 1;
    }
    return size;
}

/* The node that receives is this one from here on. */
static inline void recording_open(Recording *r, const char *name) {
    char path[1000], node[300];
    unsigned creation;
    *r = (Recording){0};
    snprintf(path, sizeof path, "test/distribution/recorded/%s.txt", name);
    r->file = fopen(path, "r");
    if (r->file == NULL) {
        int folder = (int)(strstr(__FILE__, "test/unit") - __FILE__);
        snprintf(path, sizeof path, "%.*stest/distribution/recorded/%s.txt", folder, __FILE__, name);
        r->file = fopen(path, "r");
    }
    assert_non_null(r->file);
    assert_int_equal(fscanf(r->file, "node %299s %u\nabilities %lx\n", node, &creation, &r->abilities), 3);
    node_this_set(atom_from_cstring(node), creation);
}

/* False: that was the last message. */
static inline bool recording_next(Recording *r) {
    if (getline(&r->line, &r->line_room, r->file) <= 0)
        return false;
    free(r->bytes);
    r->size = recorded_bytes(r->line, NULL);
    r->bytes = malloc(r->size);
    recorded_bytes(r->line, r->bytes);
    return true;
}

static inline void recording_close(Recording *r) {
    free(r->bytes);
    free(r->line);
    fclose(r->file);
}

static inline int recorded_setup(void **state) {
    thread_progress_register();
    atom_table_init(1 << 14);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    return 0;
}

#endif
