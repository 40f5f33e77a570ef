/*
 * Printing that needs no I/O server. Source: erlang(3) display/1; display_string and display_nl are for the boot code.
 */
#include <unistd.h>

#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "sys/file.h"
#include "term/atom.h"
#include "term/print.h"

#define FITS 4096 /* bytes, at least, where it takes any: PIPE_BUF */

/* Nobody waits with it for who reads that. */
static void write_lines(int fd, const char *text, size_t bytes) {
    LONG_WORK_OPEN;
    if (bytes > FITS || !file_is_writable(fd))
        long_work_waits();
    file_write_lines(fd, text, bytes);
}

Term erlang_display_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    TEXT(text);
    print_term(&text, a[0]);
    text_byte(&text, '\n');
    write_lines(STDOUT_FILENO, text.bytes, text.size);
    return am_true;
}

Term erlang_display_nl_0(Process *p, const Term *a) {
    write_lines(STDOUT_FILENO, "\n", 1);
    return am_true;
}

static Term display_string(Process *p, int fd, Term string) {
    TEXT(text);
    if (!text_from_binary(&text, string) && text_from_characters(&text, string, SIZE_MAX) != CHARACTERS_OK)
        return fail_badarg(p);
    write_lines(fd, text.bytes, text.size);
    return am_true;
}

Term erlang_display_string_1(Process *p, const Term *a) { return display_string(p, STDERR_FILENO, a[0]); }

/* OTP 27: display_string(stdin | stdout | stderr, String). */
Term erlang_display_string_2(Process *p, const Term *a) {
    switch (a[0]) {
    case am_stdin: return display_string(p, STDIN_FILENO, a[1]);
    case am_stdout: return display_string(p, STDOUT_FILENO, a[1]);
    case am_stderr: return display_string(p, STDERR_FILENO, a[1]);
    default: return fail_badarg(p);
    }
}
