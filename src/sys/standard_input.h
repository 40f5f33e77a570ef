/*
 * Who reads standard input. A program that is asked something by the runtime itself, at the terminal (the break menu),
 * is to answer that: so long its input is *taken*, and who reads it otherwise, whatever wakes him, finds nothing there.
 * Any thread. Two readers may have looked before it was taken; each has got a key of its own then.
 */
#ifndef VIV_SYS_STANDARD_INPUT_H
#define VIV_SYS_STANDARD_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

extern _Atomic bool standard_input_is_taken;
/* As read(2); from standard input, while it is taken: EAGAIN. */
ssize_t input_read(int fd, void *bytes, size_t room);

#endif
