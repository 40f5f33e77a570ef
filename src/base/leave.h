/*
 * The end of the program, whatever its threads do.
 *
 * Nothing is left in buffers of ours: output is written before it is answered for. So exit handlers of the C library,
 * which would run beside busy threads, are passed by. Any thread.
 */
#ifndef VIV_BASE_LEAVE_H
#define VIV_BASE_LEAVE_H

_Noreturn void runtime_leave(int status);

/* Called by it, if it is set: what must not be left behind on the machine. Set by whoever begins such a thing; the
 * function does nothing where that has ended. */
extern void (*_Atomic runtime_leave_hook)(void);

#endif
