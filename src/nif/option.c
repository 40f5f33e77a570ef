#include "nif/option.h"

#include <errno.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "sys/clock.h"

#define NANOSECONDS_BETWEEN_LOOKS 500000

static _Atomic bool is_halting;

void nif_counted_begin(NifLibrary *l) {
    atomic_fetch_add(&l->running, 1);
    if (!atomic_load(&is_halting))
        return;
    atomic_fetch_sub(&l->running, 1);
    for (;;)
        pause();
}

void nif_counted_end(NifLibrary *l) { atomic_fetch_sub(&l->running, 1); }

/* Libraries as they are now, each retained: callbacks are called without a lock. */
typedef struct {
    NifLibrary **all;
    size_t count, capacity;
} Libraries;

static void add_library(NifLibrary *l, void *data) {
    Libraries *to = data;
    if ((l->on_halt == NULL && !l->delay_halt) || !nif_library_try_retain(l))
        return;
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 8;
        to->all = mem_realloc(ALLOC_NIF, to->all, to->capacity * sizeof *to->all);
    }
    to->all[to->count++] = l;
}

/* False: it is later than `until`. */
static bool wait_for_calls(const NifLibrary *l, int64_t until) {
    while (atomic_load(&l->running) > 0) {
        if (clock_monotonic() >= until)
            return false;
        nanosleep(&(struct timespec){0, NANOSECONDS_BETWEEN_LOOKS}, NULL);
    }
    return true;
}

static int64_t end_of_wait(int64_t milliseconds) {
    int64_t most = (INT64_MAX - clock_monotonic()) / NANOSECONDS_PER_MILLISECOND;
    if (milliseconds < 0 || milliseconds >= most)
        return INT64_MAX;
    return clock_monotonic() + milliseconds * NANOSECONDS_PER_MILLISECOND;
}

NifHalt nif_halt(int64_t milliseconds) {
    if (atomic_exchange(&is_halting, true))
        return HALT_IS_ANOTHERS;
    bool is_in_time = true;
    Libraries libraries = {0};
    nif_library_each(add_library, &libraries);
    for (size_t i = 0; i < libraries.count; i++)
        if (libraries.all[i]->on_halt != NULL)
            libraries.all[i]->on_halt(libraries.all[i]->priv_data);
    int64_t until = end_of_wait(milliseconds); /* the callbacks take the time that they need */
    for (size_t i = 0; i < libraries.count && is_in_time; i++)
        is_in_time = wait_for_calls(libraries.all[i], until);
    mem_free(ALLOC_NIF, libraries.all);
    return is_in_time && clock_monotonic() < until ? HALT_AGREED : HALT_IN_VAIN;
}

/* Both kinds of callbacks have the same type. */
static int set_callback(ErlNifOnHaltCallback **to, ErlNifOnHaltCallback *callback) {
    if (callback == NULL || *to != NULL)
        return EINVAL;
    *to = callback;
    return 0;
}

static int set_delay_halt(NifLibrary *l) {
    if (l->delay_halt)
        return EINVAL;
    l->delay_halt = true;
    return 0;
}

int enif_set_option(ErlNifEnv *env, ErlNifOption option, ...) {
    if (env == NULL || env->kind != NIF_ENV_LOAD || !env->library->loading)
        return EINVAL;
    if (option == ERL_NIF_OPT_DELAY_HALT)
        return set_delay_halt(env->library);
    if (option != ERL_NIF_OPT_ON_HALT && option != ERL_NIF_OPT_ON_UNLOAD_THREAD)
        return EINVAL;
    va_list list;
    va_start(list, option);
    ErlNifOnHaltCallback *callback = va_arg(list, ErlNifOnHaltCallback *);
    va_end(list);
    NifLibrary *l = env->library;
    return set_callback(option == ERL_NIF_OPT_ON_HALT ? &l->on_halt : &l->on_unload_thread, callback);
}
