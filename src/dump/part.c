#include "dump/part.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "base/leave.h"
#include "dump/output.h"

static sigjmp_buf *within; /* the innermost piece; NULL: none */
static bool has_failed;

static void fail(int number) {
    if (!runtime_is_crashing_here())
        for (;;)
            pause();
    has_failed = true;
    if (within != NULL)
        siglongjmp(*within, 1);
    dump_cut(DUMP_FAILED);
    runtime_crash_end();
}

void dump_parts_begin(void) {
    struct sigaction action = {.sa_handler = fail, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

void dump_part(void (*put)(void *data), void *data) {
    sigjmp_buf here, *around = within;
    within = &here;
    if (sigsetjmp(here, 0) == 0)
        put(data);
    else
        dump_end_line();
    within = around;
}

bool dump_parts_are_whole(void) { return !has_failed; }
