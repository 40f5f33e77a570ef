/*
 * Monotonic, system and OS system time in all units; unique integers and references.
 * Source: erlang(3) monotonic_time/0,1, time_offset/0,1, unique_integer/1, now/0; ERTS User's Guide "Time and Time
 * Correction". The native unit is the nanosecond.
 */
#include <stdatomic.h>

#include "bif/argument.h"
#include "bif_table.h"
#include "process/clock.h"
#include "process/reference.h"
#include "process/time_offset.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

/* Parts of a second that a unit names; NON_VALUE when it is none. The names with s are the older ones. */
static Term unit_parts(Term unit) {
    switch (unit) {
    case am_second:
    case am_seconds: return small_make(1);
    case am_millisecond:
    case am_milli_seconds: return small_make(1000);
    case am_microsecond:
    case am_micro_seconds: return small_make(1000000);
    case am_nanosecond:
    case am_nano_seconds:
    case am_native:
    case am_perf_counter: return small_make(NANOSECONDS_PER_SECOND);
    default: return is_integer(unit) && !integer_is_negative(unit) && unit != small_make(0) ? unit : NON_VALUE;
    }
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* `parts` may be any positive integer, so this is done in Erlang's arithmetic. */
static Term scaled(Process *p, int64_t nanoseconds, Term parts) {
    Area *area = process_area(p);
    ArithFail fail = ARITH_OK;
    Term second = small_make(NANOSECONDS_PER_SECOND);
    Term product = arith_mul(area, integer_from_int64(area, nanoseconds), parts, &fail);
    if (!is_value(product))
        return arith_result(p, product, fail);
    Term quotient = arith_div(area, product, second, &fail), rest = arith_rem(area, product, second, &fail);
    return integer_is_negative(rest) ? arith_sub(area, quotient, small_make(1), &fail) : quotient;
}

static Term in_unit(Process *p, int64_t nanoseconds, Term unit) {
    Term parts = unit_parts(unit);
    if (!is_value(parts))
        return fail_badarg(p);
    if (is_small_within(parts, 1, NANOSECONDS_PER_SECOND) && NANOSECONDS_PER_SECOND % small_value(parts) == 0)
        return integer_from_int64(process_area(p), floor_div(nanoseconds, NANOSECONDS_PER_SECOND / small_value(parts)));
    return scaled(p, nanoseconds, parts);
}

Term erlang_monotonic_time_0(Process *p, const Term *a) { return small_make(monotonic_time()); }
Term erlang_monotonic_time_1(Process *p, const Term *a) { return in_unit(p, monotonic_time(), a[0]); }
Term erlang_time_offset_0(Process *p, const Term *a) { return integer_from_int64(process_area(p), time_offset()); }
Term erlang_time_offset_1(Process *p, const Term *a) { return in_unit(p, time_offset(), a[0]); }
Term erlang_system_time_0(Process *p, const Term *a) { return integer_from_int64(process_area(p), system_time()); }
Term erlang_system_time_1(Process *p, const Term *a) { return in_unit(p, system_time(), a[0]); }
Term os_system_time_0(Process *p, const Term *a) { return integer_from_int64(process_area(p), clock_real()); }
Term os_system_time_1(Process *p, const Term *a) { return in_unit(p, clock_real(), a[0]); }
Term erts_internal_time_unit_0(Process *p, const Term *a) { return small_make(NANOSECONDS_PER_SECOND); }

static int64_t next_look; /* read and written by the first process alone */

/* In how many milliseconds it should be called again. */
Term viv_system_look_at_clock_0(Process *p, const Term *a) {
    int64_t now = clock_monotonic(), wait;
    if (now >= next_look) {
        if (clock_look(&wait))
            time_offset_tell();
        next_look = now + wait;
    }
    return small_make(monotonic_milliseconds_up(next_look - now));
}

/* {MegaSeconds, Seconds, MicroSeconds} */
static Term timestamp(Process *p, int64_t microseconds) {
    int64_t seconds = microseconds / 1000000;
    return area_tuple3(process_area(p), small_make(seconds / 1000000), small_make(seconds % 1000000),
                       small_make(microseconds % 1000000));
}

Term erlang_timestamp_0(Process *p, const Term *a) { return timestamp(p, system_time() / 1000); }
Term os_timestamp_0(Process *p, const Term *a) { return timestamp(p, clock_real() / 1000); }

Term erlang_now_0(Process *p, const Term *a) { return timestamp(p, now_microseconds()); }

Term erlang_make_ref_0(Process *p, const Term *a) { return reference_new(process_area(p)); }

Term erlang_unique_integer_0(Process *p, const Term *a) {
    return integer_from_int64(process_area(p), unique_integer_next());
}

Term erlang_unique_integer_1(Process *p, const Term *a) {
    bool positive = false, monotonic = false;
    Term options = a[0];
    for (; is_list(options); options = list_tail(options)) {
        if (list_head(options) == am_positive)
            positive = true;
        else if (list_head(options) == am_monotonic)
            monotonic = true;
        else
            return fail_badarg(p);
    }
    if (!is_nil(options))
        return fail_badarg(p);
    Area *area = process_area(p);
    if (monotonic)
        return unique_integer_monotonic(area, positive);
    return positive ? integer_from_uint64(area, unique_integer_next_positive())
                    : integer_from_int64(area, unique_integer_next());
}
