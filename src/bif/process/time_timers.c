/* erlang:start_timer, send_after, cancel_timer, read_timer. */
#include "base/long_work.h"
#include "base/race_window.h"
#include "bif_table.h"
#include "process/clock.h"
#include "process/message.h"
#include "process/reference.h"
#include "process/timer.h"
#include "term/atom.h"
#include "term/integer.h"

typedef struct {
    bool absolute, async, info;
} TimerOptions;

/* Each of a list of {Key, Boolean}; only the keys that `allowed` points to. */
static bool option_set(Term option, Term key, bool *value) {
    if (!is_tuple_arity(option, 2) || tuple_elements(option)[0] != key)
        return false;
    Term t = tuple_elements(option)[1];
    *value = t == am_true;
    return t == am_true || t == am_false;
}

static bool start_options(Term list, bool *absolute) {
    for (; is_list(list); list = list_tail(list))
        if (!option_set(list_head(list), am_abs, absolute))
            return false;
    return is_nil(list);
}

static bool look_options(Term list, bool may_info, TimerOptions *o) {
    for (; is_list(list); list = list_tail(list))
        if (!option_set(list_head(list), am_async, &o->async) &&
            !(may_info && option_set(list_head(list), am_info, &o->info)))
            return false;
    return is_nil(list);
}

static Term start(Process *p, const Term *a, Term options, bool wrap) {
    bool absolute = false;
    if (!start_options(options, &absolute))
        return fail_badarg_cause(p, am_badopt);
    SWord least = absolute ? milliseconds_down(MONOTONIC_START) : 0;
    int64_t now = absolute ? 0 : monotonic_milliseconds_up(monotonic_time());
    if (!is_small(a[0]) || small_value(a[0]) < least || small_value(a[0]) > MONOTONIC_END_MS - now)
        return fail_badarg_cause(p, am_time);
    if (!is_local_pid(a[1]) && !is_atom(a[1]))
        return fail_badarg(p);
    Area *area = process_area(p);
    unsigned wheel = timer_wheel_here(); /* if the scheduler is given away meanwhile, that of another */
    uint64_t key = reference_next();
    Term reference = reference_with_wheel(area, key, wheel);
    Term content = wrap ? area_tuple3(area, am_timeout, reference, a[2]) : a[2];
    long_work_open();
    KeptMessage m = kept_message_make(content, am_clock_service, TOKEN_OF_RUNTIME);
    long_work_close();
    race_window("a wheel is chosen, the message copied");
    timer_send_at(wheel, key, now + small_value(a[0]), a[1], m);
    return reference;
}

Term erlang_start_timer_3(Process *p, const Term *a) { return start(p, a, NIL, true); }
Term erlang_start_timer_4(Process *p, const Term *a) { return start(p, a, a[3], true); }
Term erlang_send_after_3(Process *p, const Term *a) { return start(p, a, NIL, false); }
Term erlang_send_after_4(Process *p, const Term *a) { return start(p, a, a[3], false); }

static Term look(Process *p, Term reference, const TimerOptions *o, Term tag, bool cancel) {
    if (!is_ref(reference))
        return fail_badarg(p);
    int64_t left = is_local_ref(reference) ? timer_look(reference, cancel) : -1;
    Term result = left < 0 ? am_false : small_make(left);
    if (!o->async)
        return o->info ? result : am_ok;
    if (o->info) {
        Message *m = message_create(area_tuple3(process_area(p), tag, reference, result), NON_VALUE, TOKEN_OF_RUNTIME);
        if (!signal_send(p->pid, &m->signal))
            message_free(m);
    }
    return am_ok;
}

static Term look_with(Process *p, const Term *a, Term options, Term tag, bool cancel) {
    TimerOptions o = {.info = true};
    return look_options(options, cancel, &o) ? look(p, a[0], &o, tag, cancel) : fail_badarg(p);
}

Term erlang_cancel_timer_1(Process *p, const Term *a) { return look_with(p, a, NIL, am_cancel_timer, true); }
Term erlang_cancel_timer_2(Process *p, const Term *a) { return look_with(p, a, a[1], am_cancel_timer, true); }
Term erlang_read_timer_1(Process *p, const Term *a) { return look_with(p, a, NIL, am_read_timer, false); }
Term erlang_read_timer_2(Process *p, const Term *a) { return look_with(p, a, a[1], am_read_timer, false); }
