/* The flight recorder (process/recorder.h), for lib/viv_recorder.erl. */
#include "bif/argument.h"
#include "bif_table.h"
#include "process/recorder_text.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/text.h"

/* choose(<<"sched,procs">>, Records) -> ok. <<>> ends it. */
Term viv_recorder_choose_2(Process *p, const Term *a) {
    TEXT(names);
    uint32_t events;
    if (!is_bitstring(a[0]) || !text_from_binary(&names, a[0]) ||
        !recorder_events_read(text_cstring(&names), &events) || !is_small_within(a[1], RECORDS_LEAST, RECORDS_MOST))
        return fail_badarg(p);
    recorder_choose(events, (size_t)small_value(a[1]));
    return am_ok;
}

static Term text_term(Process *p, const Text *text) {
    return binary_from_bytes(process_area(p), (const uint8_t *)text->bytes, text->size);
}

/* head() -> Binary | undefined: nothing is recorded. */
Term viv_recorder_head_0(Process *p, const Term *a) {
    TEXT(text);
    mutex_lock(&recorder_lock);
    const Recorder *r = atomic_load(&the_recorder);
    if (r != NULL)
        recorder_text_head(&text, r);
    mutex_unlock(&recorder_lock);
    return r != NULL ? text_term(p, &text) : am_undefined;
}

static void put_ring(Text *to, const Recorder *r, unsigned ring, int64_t span) {
    recorder_text_ring(to, r, ring, span);
    thread_progress_enter();
    recorder_text_running(to, r, ring);
    thread_progress_leave();
}

/* ring(Index, Nanoseconds) -> Binary | undefined: there are no more. Of the last nanoseconds; 0: all. */
Term viv_recorder_ring_2(Process *p, const Term *a) {
    TEXT(text);
    if (!is_small_within(a[0], 0, INT32_MAX) || !is_small_within(a[1], 0, SMALL_MAX))
        return fail_badarg(p);
    unsigned ring = (unsigned)small_value(a[0]);
    mutex_lock(&recorder_lock);
    const Recorder *r = atomic_load(&the_recorder);
    bool is_there = r != NULL && ring < r->count;
    if (is_there)
        put_ring(&text, r, ring, small_value(a[1]));
    mutex_unlock(&recorder_lock);
    return is_there ? text_term(p, &text) : am_undefined;
}
