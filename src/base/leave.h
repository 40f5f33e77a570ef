/*
 * The end of the program, whatever its threads do.
 *
 * Nothing is left in buffers of ours: output is written before it is answered for. So exit handlers of the C library,
 * which would run beside busy threads, are passed by. Any thread.
 */
#ifndef VIV_BASE_LEAVE_H
#define VIV_BASE_LEAVE_H

#include "base/defs.h"

_Noreturn void runtime_leave(int status);

/*
 * The end of a runtime that cannot go on, or is told not to: `slogan` says why. It is printed, then what there is to
 * see of the runtime is written for those who look (runtime_dump_hook), then the program ends. Needs no memory; any
 * thread, whatever it holds. One thread does it, once: others that come wait for the end of the program, and if the one
 * itself comes again, in the middle of the hook, the program ends at once.
 */
typedef enum {
    CRASH_LEAVES, /* with status 1 */
    CRASH_ABORTS, /* by SIGABRT */
    CRASH_ASKED,  /* the same, and what the hook says goes on on the slogan's line */
} CrashEnd;
_Noreturn void runtime_crash(CrashEnd end, const char *slogan, size_t bytes);
/* The system does not give what the runtime begins with: `viv: WHAT: what errno says`, and status 1. */
_Noreturn void runtime_lacks(int error, const char *what, ...) printf_like(2, 3);
/* How it ends, without anything more: for the hook. */
_Noreturn void runtime_crash_end(void);
/* Is the calling thread the one? */
bool runtime_is_crashing_here(void);
/* NULL: nothing is written. Set at the start. */
extern void (*_Atomic runtime_dump_hook)(const char *slogan, size_t bytes);

/* Called by both ends: what must not be left behind on the machine. Added by whoever begins such a thing, once however
 * often, and never taken away: it does nothing where that has ended. Any thread; there is room for few. */
void runtime_leave_add(void (*at_end)(void));

#endif
