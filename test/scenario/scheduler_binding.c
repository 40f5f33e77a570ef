/* Loaded before the C library: the system has FAKE_PROCESSORS processors, this program may use those of the bits of
 * FAKE_USABLE (hexadecimal, else all), and no thread can be bound to FAKE_REFUSED. Threads are bound to none in truth:
 * each is told what it asked for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __thread int bound = -1;

static long number(const char *name, int base, long otherwise) {
    const char *text = getenv(name);
    return text == NULL ? otherwise : (long)strtoul(text, NULL, base);
}

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set) {
    unsigned long usable = (unsigned long)number("FAKE_USABLE", 16, -1);
    memset(set, 0, size);
    for (int i = 0; i < number("FAKE_PROCESSORS", 10, 1); i++)
        if (usable >> i & 1)
            CPU_SET_S((size_t)i, size, set);
    if (bound >= 0 && (thread == 0 || thread == gettid())) {
        memset(set, 0, size);
        CPU_SET_S((size_t)bound, size, set);
    }
    return 0;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set) {
    int last = -1;
    for (size_t i = 0; i < 64; i++)
        if (CPU_ISSET_S(i, size, set))
            last = (int)i;
    if (CPU_COUNT_S(size, set) == 1 && last == number("FAKE_REFUSED", 10, -1)) {
        errno = EINVAL;
        return -1;
    }
    bound = CPU_COUNT_S(size, set) == 1 ? last : -1;
    return 0;
}

long sysconf(int name) {
    if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN)
        return number("FAKE_PROCESSORS", 10, 1);
    return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}
