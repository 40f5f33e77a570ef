/*
 * Time as libraries see it. Source: erl_nif(3), "Time Measurement"; ERTS User's Guide "Time and Time Correction".
 *
 * Erlang's monotonic time is for schedulers and dirty threads only: others get ERL_NIF_TIME_ERROR, as stock says.
 */
#include "nif/env.h"
#include "process/clock.h"

#include "process/process.h"
#include "sys/clock.h"
#include "term/integer.h"

/* How many there are in a second; 0 when it is no unit. */
static int64_t parts_of_second(int unit) {
    switch (unit) {
    case ERL_NIF_SEC: return 1;
    case ERL_NIF_MSEC: return 1000;
    case ERL_NIF_USEC: return 1000000;
    case ERL_NIF_NSEC: return NANOSECONDS_PER_SECOND;
    default: return 0;
    }
}

/* Rounded down. */
static ErlNifTime convert(int64_t time, int64_t from, int64_t to) {
    if (to >= from)
        return (int64_t)((uint64_t)time * (uint64_t)(to / from));
    int64_t divisor = from / to;
    return time / divisor - (time % divisor < 0);
}

static ErlNifTime in_unit(int64_t nanoseconds, ErlNifTimeUnit unit) {
    int64_t parts = parts_of_second((int)unit);
    if (parts == 0 || enif_thread_type() == ERL_NIF_THR_UNDEFINED)
        return ERL_NIF_TIME_ERROR;
    return convert(nanoseconds, NANOSECONDS_PER_SECOND, parts);
}

ErlNifTime enif_monotonic_time(ErlNifTimeUnit unit) { return in_unit(monotonic_time(), unit); }
ErlNifTime enif_time_offset(ErlNifTimeUnit unit) { return in_unit(time_offset(), unit); }

ErlNifTime enif_convert_time_unit(ErlNifTime time, ErlNifTimeUnit from, ErlNifTimeUnit to) {
    int64_t from_parts = parts_of_second((int)from), to_parts = parts_of_second((int)to);
    return from_parts && to_parts ? convert(time, from_parts, to_parts) : ERL_NIF_TIME_ERROR;
}

/* {MegaSeconds, Seconds, MicroSeconds} */
static Term timestamp(ErlNifEnv *env, int64_t microseconds) {
    int64_t seconds = microseconds / 1000000;
    return area_tuple3(env->area, small_make(seconds / 1000000), small_make(seconds % 1000000),
                       small_make(microseconds % 1000000));
}

ERL_NIF_TERM enif_now_time(ErlNifEnv *env) { return timestamp(env, now_microseconds()); }
ERL_NIF_TERM enif_cpu_time(ErlNifEnv *env) { return timestamp(env, clock_thread_cpu() / 1000); }
