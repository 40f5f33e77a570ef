#include "base/leave.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/race_window.h"

#define AT_END_MOST 4
static void (*_Atomic at_end[AT_END_MOST])(void); /* each is set once, from the first on */
void (*_Atomic runtime_dump_hook)(const char *slogan, size_t bytes);

static _Atomic bool is_crashing;
static __thread bool is_crashing_here;
static CrashEnd crash_end; /* written by the one that crashes */

void runtime_leave_add(void (*added)(void)) {
    for (unsigned i = 0; i < AT_END_MOST; i++) {
        void (*is_there)(void) = NULL;
        if (atomic_compare_exchange_strong(&at_end[i], &is_there, added) || is_there == added)
            return;
    }
    abort(); /* more is to be put above */
}

static void leave_nothing(void) {
    for (unsigned i = 0; i < AT_END_MOST && at_end[i] != NULL; i++)
        at_end[i]();
}

_Noreturn void runtime_leave(int status) {
    fflush(NULL);
    leave_nothing();
    race_report();
    _exit(status);
}

bool runtime_is_crashing_here(void) { return is_crashing_here; }

/* Buffers of the C library are not written: threads that stand still may hold their locks. */
_Noreturn void runtime_crash_end(void) {
    leave_nothing();
    if (crash_end != CRASH_LEAVES)
        abort();
    _exit(1);
}

/* As all that the runtime prints by itself: lines end by CR and LF. */
static void print_slogan(const char *slogan, size_t bytes, bool ends_line) {
    for (size_t i = 0; i < bytes + ends_line; i++) {
        bool is_end = i == bytes || slogan[i] == '\n';
        ssize_t ignored = is_end ? write(STDERR_FILENO, "\r\n", 2) : write(STDERR_FILENO, &slogan[i], 1);
        (void)ignored;
    }
}

_Noreturn void runtime_crash(CrashEnd end, const char *slogan, size_t bytes) {
    if (is_crashing_here)
        runtime_crash_end();
    while (atomic_exchange(&is_crashing, true))
        pause();
    is_crashing_here = true;
    crash_end = end;
    print_slogan(slogan, bytes, end != CRASH_ASKED);
    void (*dump)(const char *, size_t) = runtime_dump_hook;
    if (dump != NULL)
        dump(slogan, bytes);
    runtime_crash_end();
}

#define LACKS_MOST 200 /* bytes: what is longer is cut */

_Noreturn void runtime_lacks(int error, const char *what, ...) {
    char name[LACKS_MOST / 2], slogan[LACKS_MOST];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(name, sizeof name, what, arguments);
    va_end(arguments);
    snprintf(slogan, sizeof slogan, "viv: %s: %s", name, strerror(error));
    runtime_crash(CRASH_LEAVES, slogan, strlen(slogan));
}
