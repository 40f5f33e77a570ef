#include "port/halting.h"

#include "port/data_lock.h"
#include "sys/clock.h"

static _Atomic size_t left;
static SysEvent all_done; /* zero is its beginning */

void halting_count(void) { atomic_fetch_add(&left, 1); }

void halting_count_out(void) {
    if (atomic_fetch_sub(&left, 1) == 1)
        event_wake(&all_done);
}

void port_halt_look(Port *port, bool has_ended) {
    if (!port->halts || (!has_ended && port_queue_bytes(port) > 0))
        return;
    port->halts = false;
    halting_count_out();
}

bool halting_wait(int64_t until) {
    for (;;) {
        event_reset(&all_done);
        if (atomic_load(&left) == 0)
            return true;
        if (until >= 0 && clock_monotonic() >= until)
            return false;
        (void)event_wait(&all_done, until);
    }
}
