/* Monotonic, system and operating system time in all units; unique integers and references. */
#include "bif_table.h"
#include "process/reference.h"
#include "process/timer.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

/* Parts per second; 0 when it is no unit. The long names are those of OTP before 20. */
static int64_t unit_decode(Term t) {
    if (t == am_native || t == am_perf_counter || t == am_nanosecond || t == am_nano_seconds)
        return 1000000000;
    if (t == am_microsecond || t == am_micro_seconds)
        return 1000000;
    if (t == am_millisecond || t == am_milli_seconds)
        return 1000;
    if (t == am_second || t == am_seconds)
        return 1;
    return is_small(t) && small_value(t) > 0 ? small_value(t) : 0;
}

static Term in_unit(Process *p, int64_t nanoseconds, Term unit) {
    int64_t parts = unit_decode(unit);
    if (parts == 0)
        return fail_badarg(p);
    __int128 value = (__int128)nanoseconds * parts, divisor = 1000000000;
    __int128 result = value / divisor;
    if (value % divisor < 0)
        result--;
    uint64_t magnitude[2];
    bool negative = result < 0;
    unsigned __int128 absolute = negative ? -(unsigned __int128)result : (unsigned __int128)result;
    magnitude[0] = (uint64_t)absolute;
    magnitude[1] = (uint64_t)(absolute >> 64);
    return integer_from_limbs(process_area(p), magnitude, 2, negative);
}

static int64_t system_time(void) { return monotonic_time() + time_offset(); }

Term erlang_monotonic_time_0(Process *p, const Term *a) { return in_unit(p, monotonic_time(), am_native); }
Term erlang_monotonic_time_1(Process *p, const Term *a) { return in_unit(p, monotonic_time(), a[0]); }
Term erlang_system_time_0(Process *p, const Term *a) { return in_unit(p, system_time(), am_native); }
Term erlang_system_time_1(Process *p, const Term *a) { return in_unit(p, system_time(), a[0]); }
Term erlang_time_offset_0(Process *p, const Term *a) { return in_unit(p, time_offset(), am_native); }
Term erlang_time_offset_1(Process *p, const Term *a) { return in_unit(p, time_offset(), a[0]); }
Term os_system_time_0(Process *p, const Term *a) { return in_unit(p, clock_real(), am_native); }
Term os_system_time_1(Process *p, const Term *a) { return in_unit(p, clock_real(), a[0]); }
Term erts_internal_time_unit_0(Process *p, const Term *a) { return small_make(NANOSECONDS_PER_SECOND); }

static Term timestamp(Process *p, int64_t microseconds) {
    return area_tuple3(process_area(p), small_make(microseconds / 1000000000000),
                       small_make(microseconds / 1000000 % 1000000), small_make(microseconds % 1000000));
}

Term erlang_timestamp_0(Process *p, const Term *a) { return timestamp(p, system_time() / 1000); }
Term os_timestamp_0(Process *p, const Term *a) { return timestamp(p, clock_real() / 1000); }

/* Never the same twice. */
Term erlang_now_0(Process *p, const Term *a) {
    static _Atomic int64_t last;
    int64_t now = system_time() / 1000, before = atomic_load(&last);
    do {
        if (now <= before)
            now = before + 1;
    } while (!atomic_compare_exchange_weak(&last, &before, now));
    return timestamp(p, now);
}

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
    if (monotonic) {
        int64_t n = unique_integer_next_monotonic();
        return integer_from_int64(area, positive ? n + ((int64_t)1 << 59) + 1 : n);
    }
    return positive ? integer_from_uint64(area, unique_integer_next_positive())
                    : integer_from_int64(area, unique_integer_next());
}
