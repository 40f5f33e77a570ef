#include "base/defs.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/leave.h"

/* The place in front of what is wrong; what does not fit is cut. */
_Noreturn void panic_at(const char *file, int line, const char *format, ...) {
    char text[1024];
    int start = snprintf(text, sizeof text, "viv: internal error at %s:%d: ", file, line);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + start, sizeof text - (size_t)start, format, args);
    va_end(args);
    size_t size = (size_t)start + (size_t)more;
    runtime_crash(CRASH_ABORTS, text, size < sizeof text ? size : sizeof text - 1);
}
