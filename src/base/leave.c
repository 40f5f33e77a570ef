#include "base/leave.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/race_window.h"

void (*_Atomic runtime_leave_hook)(void);
void (*_Atomic runtime_dump_hook)(const char *slogan, size_t bytes);

static _Atomic bool is_crashing;
static __thread bool is_crashing_here;
static CrashEnd crash_end; /* written by the one that crashes */

_Noreturn void runtime_leave(int status) {
    void (*at_end)(void) = runtime_leave_hook;
    fflush(NULL);
    if (at_end != NULL)
        at_end();
    race_report();
    _exit(status);
}

bool runtime_is_crashing_here(void) { return is_crashing_here; }

/* Buffers of the C library are not written: threads that stand still may hold their locks. */
_Noreturn void runtime_crash_end(void) {
    void (*at_end)(void) = runtime_leave_hook;
    if (at_end != NULL)
        at_end();
    if (crash_end == CRASH_ABORTS)
        abort();
    _exit(1);
}

/* As all that the runtime prints by itself: lines end by CR and LF. */
static void print_slogan(const char *slogan, size_t bytes) {
    for (size_t i = 0; i <= bytes; i++) {
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
    print_slogan(slogan, bytes);
    void (*dump)(const char *, size_t) = runtime_dump_hook;
    if (dump != NULL)
        dump(slogan, bytes);
    runtime_crash_end();
}
