#include "terminal/console.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/standard_input.h"
#include "terminal/mode.h"

void console_begin(void) {
    atomic_store(&standard_input_is_taken, true);
    terminal_pause();
}

void console_end(void) {
    terminal_go_on();
    atomic_store(&standard_input_is_taken, false);
}

/* Standard input may be non-blocking. */
static int next_byte(void) {
    uint8_t byte;
    for (;;) {
        ssize_t size = read(STDIN_FILENO, &byte, 1);
        if (size == 1)
            return byte;
        if (size == 0 || (errno != EAGAIN && errno != EINTR))
            return -1;
        (void)poll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, -1);
    }
}

int console_key(void) {
    int key = next_byte(), rest = key;
    while (key == '\n')
        key = rest = next_byte();
    while (rest >= 0 && rest != '\n')
        rest = next_byte();
    return key;
}

void console_put(const char *text, size_t bytes) { file_write_lines(STDOUT_FILENO, text, bytes); }
