/* A sampler (process/sampler.h) is a magic reference: it stops when nobody has that any more. */
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "process/sample.h"
#include "process/sampler.h"
#include "term/atom.h"

typedef struct {
    int place;
    bool is_over;
} Owned;

static Sample *end_sampler(Owned *owned) {
    Sample *left = owned->is_over ? NULL : sampler_stop(owned->place);
    owned->is_over = true;
    return left;
}

static bool sampler_destroy(RefcBinary *binary) {
    samples_free(end_sampler((Owned *)binary->bytes));
    return true;
}

static Owned *sampler_of(Term t) { return native_object(t, sampler_destroy); }

/* sampler(Rate) -> {ok, Sampler} | {error, Reason}: so many samples a second of each thread that works. */
Term viv_see_sampler_1(Process *p, const Term *a) {
    if (!is_small(a[0]) || small_value(a[0]) < 1 || small_value(a[0]) > SAMPLER_RATE_MOST)
        return fail_badarg(p);
    int error;
    int place = sampler_start((unsigned)small_value(a[0]), &error);
    if (place < 0)
        return native_posix(p, error);
    void *object;
    Term reference = native_new(p, sizeof(Owned), sampler_destroy, &object);
    *(Owned *)object = (Owned){.place = place};
    return native_ok(p, reference);
}

static Term thread_name(ThreadKind kind) {
    return kind == THREAD_DIRTY_CPU ? am_dirty_cpu : kind == THREAD_DIRTY_IO ? am_dirty_io : am_scheduler;
}

static Term note_name(NoteKind note) {
    static const Term names[] = {[NOTE_RUNS] = am_running,
                                 [NOTE_NATIVE] = am_native,
                                 [NOTE_COLLECTS] = am_garbage_collection,
                                 [NOTE_WAITS] = am_lock,
                                 [NOTE_SERVES] = am_runtime};
    return names[note];
}

/* Of a lock, with the table's name, if that may be known. */
static Term what_term(Area *area, const SampleHead *head) {
    Term name = note_name(head->note);
    return head->note == NOTE_WAITS && !head->is_hidden ? area_tuple2(area, name, head->waits_for) : name;
}

/* {M, F, A, Line} */
static Term frame_term(Area *area, const SampleFrame *f) {
    return area_tuple4(area, f->module, f->function, small_make(f->arity), small_make(f->line));
}

/* {Weight, {Pid or Port, Thread, What, Frames, newest first}}: for how many it counts. Frames is `sensitive` where
 * nobody may know, and ends in '...' where the oldest are missing. */
static Term sample_term(Area *area, const Sample *s) {
    Term frames = s->head.is_cut ? am_cut : NIL;
    for (uint32_t i = s->head.count; i-- > 0;)
        frames = area_cons(area, frame_term(area, &s->frames[i]), frames);
    Term what = area_tuple4(area, s->head.actor, thread_name(s->head.thread), what_term(area, &s->head),
                            s->head.is_hidden ? am_sensitive : frames);
    return area_tuple2(area, small_make(s->head.weight), what);
}

/* samples(Sampler) -> {Lost, [Sample]}: what has come since the last time, oldest first. */
Term viv_see_samples_1(Process *p, const Term *a) {
    Owned *owned = sampler_of(a[0]);
    if (owned == NULL || owned->is_over)
        return fail_badarg(p);
    uint64_t lost;
    Term list = NIL;
    for (Sample *s = samples_take((unsigned)owned->place, &lost), *next; s != NULL; s = next) {
        next = s->next;
        list = area_cons(process_area(p), sample_term(process_area(p), s), list);
        long_work_count(sample_units(s));
        sample_free(s);
    }
    return area_tuple2(process_area(p), small_make((SWord)lost), list);
}

/* end_sampler(Sampler) -> ok */
Term viv_see_end_sampler_1(Process *p, const Term *a) {
    Owned *owned = sampler_of(a[0]);
    if (owned == NULL)
        return fail_badarg(p);
    for (Sample *s = end_sampler(owned), *next; s != NULL; s = next) {
        next = s->next;
        long_work_count(sample_units(s));
        sample_free(s);
    }
    return am_ok;
}
