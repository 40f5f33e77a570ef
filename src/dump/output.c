#include "dump/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/leave.h"

#define BUFFER_BYTES 65536
#define LONGEST_NUMBER 20 /* characters */

static char buffer[BUFFER_BYTES];
static Text text;
static int file = -1;
static int64_t written, limit;

/* NULL: not set, or longer than a number of 64 bits, which the stock runtime does not read either. Others that change
 * the environment stand still, or are on their way: their lock may be held for good. */
static const char *number_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && strlen(value) <= LONGEST_NUMBER ? value : NULL;
}

int dump_setting(const char *name, int by_default) {
    const char *value = number_set(name);
    return value != NULL ? (int)strtoll(value, NULL, 10) : by_default;
}

int64_t dump_limit(void) {
    const char *value = number_set("ERL_CRASH_DUMP_BYTES");
    if (value == NULL)
        return -1;
    char *end;
    int64_t bytes = strtoll(value, &end, 10);
    return end != value && *end == 0 ? bytes : -1;
}

const char *dump_file_name(void) {
    const char *name = getenv("ERL_CRASH_DUMP");
    return name != NULL ? name : "erl_crash.dump";
}

static void write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t done = write(file, bytes, count);
        if (done < 0 && errno != EINTR)
            return;
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
}

static void write_line(const char *line) {
    write_all("\n", 1);
    write_all(line, strlen(line));
    write_all("\n", 1);
}

static void drain(Text *t) {
    bool is_cut = limit >= 0 && written + (int64_t)t->size > limit;
    size_t count = is_cut ? (size_t)(limit - written) : t->size;
    write_all(t->bytes, count);
    written += (int64_t)count;
    t->size = 0;
    if (!is_cut)
        return;
    write_line("=abort:CRASH DUMP SIZE LIMIT REACHED");
    runtime_crash_end();
}

Text *dump_open(const char *name, int64_t bytes) {
    limit = bytes;
    written = 0;
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    text_init_draining(&text, buffer, sizeof buffer, drain);
    return file < 0 ? NULL : &text;
}

int64_t dump_position(const Text *to) { return written + (int64_t)to->size; }

void dump_end_line(void) {
    if (text.size == 0 || text.bytes[text.size - 1] != '\n')
        text_byte(&text, '\n');
}

void dump_cut(const char *marker) {
    if (file < 0)
        return;
    write_all(text.bytes, text.size);
    write_line(marker);
}

void dump_close(void) {
    drain(&text);
    close(file);
}
