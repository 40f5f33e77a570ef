/*
 * The end of the runtime, whatever other threads do; native libraries may ask to be told, or to be waited for. Source:
 * erlang(3) halt/0,1,2: a string is the slogan of a crash dump, and the status is 1.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/leave.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "bif/system/halt.h"
#include "nif/option.h"
#include "port/halt.h"
#include "process/port_table.h"
#include "process/request.h"
#include "sched/scheduler.h"
#include "sys/clock.h"
#include "sys/release.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/integer.h"

#define SLOGAN_MAX 1023    /* characters; what is longer is cut */
#define STATUS_IN_VAIN 255 /* libraries took too long */

static bool leave_with_slogan(Term string) {
    TEXT(text);
    if (text_from_characters(&text, string, SIZE_MAX) != CHARACTERS_OK)
        return false;
    runtime_crash(CRASH_LEAVES, text.bytes, text.size > SLOGAN_MAX ? SLOGAN_MAX : text.size);
}

/* May native libraries have a say, and for how many milliseconds (negative: as long as they like)? */
typedef struct {
    bool flush;
    int64_t timeout;
} HaltOptions;

static int64_t timeout_by_default = -1;
void halt_set_flush_timeout(int64_t milliseconds) { timeout_by_default = milliseconds; }

Term halt_flush_timeout(Area *area) {
    return timeout_by_default < 0 ? am_infinity : integer_from_int64(area, timeout_by_default);
}

/* The emulator of OTP 27 refuses `infinity`, which its manual has. */
static bool is_timeout(Term t) {
    if (t == am_infinity)
        return release_has(RELEASE_ENDLESS_FLUSH);
    return is_small(t) && small_value(t) >= 0 && release_has(RELEASE_FLUSH_TIMEOUT);
}

static bool take_option(HaltOptions *o, Term name, Term value) {
    if (name == am_flush && (value == am_true || value == am_false))
        o->flush = value == am_true;
    else if (name == am_flush_timeout && is_timeout(value))
        o->timeout = value == am_infinity ? -1 : small_value(value);
    else
        return false;
    return true;
}

/* A proper list of pairs; the last one of a name counts. */
static bool take_options(HaltOptions *o, Term list) {
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (!is_tuple_arity(option, 2) || !take_option(o, tuple_elements(option)[0], tuple_elements(option)[1]))
            return false;
    }
    return list == NIL;
}

/* Another ends the program, with his status, as soon as libraries let him. */
static Term wait_for_the_end(Process *p) {
    request_begin(p);
    return request_wait(p);
}

/* An integer that is not negative, however large: its last byte. */
static bool is_exit_status(Term t, int *status) {
    if (!is_integer(t))
        return false;
    IntegerView v;
    integer_view(t, &v);
    *status = v.count == 0 ? 0 : (int)(v.limbs[0] & 0xff);
    return !v.negative;
}

static struct {
    int code;
    int64_t until; /* negative: no end */
} flushing; /* written by the one that ends the program */

/* On a thread of its own: schedulers have ports to run. */
static void flush_ports(void *unused) {
    runtime_leave(ports_write_all(flushing.until) ? flushing.code : STATUS_IN_VAIN);
}

/* Libraries have their say first, then what ports have queued is written. */
static Term leave_in_order(Process *p, int code, int64_t timeout) {
    static Thread thread; /* nobody joins it */
    int64_t until = timeout < 0 ? -1 : clock_monotonic() + timeout * NANOSECONDS_PER_MILLISECOND;
    NifHalt answer = nif_halt(timeout);
    if (answer == HALT_IS_ANOTHERS)
        return wait_for_the_end(p);
    if (answer == HALT_IN_VAIN)
        runtime_leave(STATUS_IN_VAIN);
    schedulers_halt_processes();
    flushing.code = code;
    flushing.until = until;
    if (port_table_count() == 0 || thread_try_start(&thread, "halt", 0, flush_ports, NULL) != 0)
        runtime_leave(code);
    return wait_for_the_end(p);
}

static Term halt_with(Process *p, Term status, Term options) {
    HaltOptions o = {.flush = true, .timeout = timeout_by_default};
    Term never;
    if (request_goes_on(p, &never))
        return never;
    if (!take_options(&o, options))
        return fail_badarg_cause(p, am_badopt);
    int code;
    bool is_status = is_exit_status(status, &code);
    if (is_status && o.flush)
        return leave_in_order(p, code, o.timeout);
    if (is_status)
        runtime_leave(code);
    if (status == am_abort)
        abort();
    if (status == NIL || is_list(status))
        leave_with_slogan(status);
    return fail_badarg(p);
}

Term erlang_halt_0(Process *p, const Term *a) { return halt_with(p, small_make(0), NIL); }
Term erlang_halt_1(Process *p, const Term *a) { return halt_with(p, a[0], NIL); }
Term erlang_halt_2(Process *p, const Term *a) { return halt_with(p, a[0], a[1]); }
