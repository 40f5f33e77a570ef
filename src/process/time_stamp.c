#include "process/time_stamp.h"
#include "process/clock.h"

#include "process/reference.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/integer.h"

_Atomic bool stamps_are_cpu_time;

Term stamp_triple(Area *area, int64_t microseconds) {
    return area_tuple3(area, small_make(microseconds / 1000000000000), small_make(microseconds / 1000000 % 1000000),
                       small_make(microseconds % 1000000));
}

Term stamp_now(Area *area, StampKind kind) {
    if (kind == STAMP_WALL_CLOCK)
        return stamp_triple(area, now_microseconds());
    if (kind == STAMP_CPU)
        return stamp_triple(area, clock_cpu() / 1000);
    Term now = integer_from_int64(area, monotonic_time());
    if (kind == STAMP_MONOTONIC)
        return now;
    return area_tuple2(area, now, unique_integer_monotonic(area, false));
}

static const Term names[] = {am_timestamp, am_cpu_timestamp, am_monotonic, am_strict_monotonic, NON_VALUE};
Term stamp_name(StampKind kind) { return names[kind]; }

StampKind stamp_named(Term name) {
    StampKind kind = STAMP_WALL_CLOCK;
    while (kind < STAMP_NONE && names[kind] != name)
        kind++;
    return kind;
}
