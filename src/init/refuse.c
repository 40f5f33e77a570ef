#include "init/refuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator_flags.h"
#include "sys/file.h"
#include "term/text.h"

static void add_line(Text *text, const char *format, const char *value) {
    const char *place = strstr(format, "%s");
    size_t before = place == NULL ? strlen(format) : (size_t)(place - format);
    text_bytes(text, format, before);
    if (place != NULL) {
        text_string(text, value);
        text_string(text, place + 2);
    }
    text_byte(text, '\n');
}

static void add_flags(Text *text) {
    text_format(text, "Usage: %s [flags] [ -- [init_args] ]\n", program_invocation_short_name);
    text_string(text, "The flags are:\n\n");
    for (unsigned i = 0; i < emulator_flag_count; i++)
        text_format(text, "-%-14s%s\n", emulator_flags[i].name, emulator_flags[i].says);
    text_string(text, "\nerlexec, and so erl, takes these flags with + in place of -.\n");
}

void say_line(const char *format, const char *value) {
    TEXT(text);
    add_line(&text, format, value);
    file_write_lines(STDERR_FILENO, text.bytes, text.size);
}

_Noreturn void refuse_flag(const char *format, const char *value) {
    TEXT(text);
    add_line(&text, format, value);
    add_flags(&text);
    file_write_lines(STDERR_FILENO, text.bytes, text.size);
    _exit(1);
}
