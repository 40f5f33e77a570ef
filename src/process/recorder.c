#include "process/recorder.h"

#include <cpuid.h>
#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "code/ranges.h"
#include "process/run_queue.h"
#include "sys/clock.h"

_Atomic uint32_t the_recorded;
_Atomic(Recorder *) the_recorder;
Mutex recorder_lock = MUTEX_INITIALIZER(LOCK_RECORDER);

/* --- Rings that come and go --------------------------------------------------------------------------------------- */

static _Atomic bool counter_is_steady; /* of the processor: set before anything is recorded, to the same each time */

uint64_t recorder_ticks(void) {
    return likely(atomic_load_explicit(&counter_is_steady, memory_order_relaxed)) ? __builtin_ia32_rdtsc()
                                                                                  : (uint64_t)clock_monotonic();
}

#define CPUID_POWER 0x80000007u
#define CPUID_STEADY_COUNTER (1u << 8)
static void look_at_counter(void) {
    unsigned a, b, c, d = 0;
    bool is_steady = __get_cpuid(CPUID_POWER, &a, &b, &c, &d) != 0 && (d & CPUID_STEADY_COUNTER) != 0;
    atomic_store_explicit(&counter_is_steady, is_steady, memory_order_relaxed);
}

static RecorderPart *part_create(size_t capacity) {
    size_t bytes = sizeof(RecorderPart) + recorder_ring_words(capacity) * sizeof(Word);
    RecorderPart *r = mem_alloc_aligned(ALLOC_TRACE, bytes, CACHE_LINE);
    memset((void *)r, 0, bytes); /* the pages are there before the first record */
    return r;
}

static Recorder *recorder_create(size_t capacity) {
    unsigned count = run_queue_count() + 1;
    Recorder *r = mem_calloc(ALLOC_TRACE, sizeof *r + count * sizeof(RecorderPart *));
    r->capacity = capacity;
    r->count = count;
    for (unsigned i = 0; i < count; i++)
        r->part[i] = part_create(capacity);
    r->ticks = recorder_ticks();
    r->time = clock_monotonic();
    return r;
}

static void free_recorder(ProgressNode *node) {
    Recorder *r = container_of(node, Recorder, progress);
    for (unsigned i = 0; i < r->count; i++)
        mem_free(ALLOC_TRACE, r->part[i]);
    mem_free(ALLOC_TRACE, r);
}

static void replace(Recorder *by) {
    Recorder *before = atomic_exchange(&the_recorder, by);
    if (before == NULL)
        return;
    before->progress.run = free_recorder;
    thread_progress_later(&before->progress);
}

static size_t capacity_of(size_t records) {
    size_t capacity = RECORDS_LEAST;
    while (capacity < records && capacity < RECORDS_MOST)
        capacity *= 2;
    return capacity;
}

void recorder_choose(uint32_t events, size_t records) {
    size_t capacity = capacity_of(records);
    mutex_lock(&recorder_lock);
    const Recorder *now = atomic_load(&the_recorder);
    if (events == 0) {
        atomic_store(&the_recorded, 0);
        replace(NULL);
    } else {
        look_at_counter();
        if (now == NULL || now->capacity != capacity)
            replace(recorder_create(capacity));
        atomic_store(&the_recorded, events);
    }
    mutex_unlock(&recorder_lock);
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* The last ring, of all threads without a queue: they are not online for thread progress. */
static void put_elsewhere(const Record *record) {
    thread_progress_enter();
    Recorder *r = atomic_load_explicit(&the_recorder, memory_order_acquire);
    if (r != NULL) {
        RecorderPart *part = r->part[r->count - 1];
        if (atomic_exchange_explicit(&part->is_taken, true, memory_order_acquire)) {
            atomic_fetch_add_explicit(&part->missed, 1, memory_order_relaxed);
        } else {
            recorder_ring_put(&part->ring, r->capacity, record);
            atomic_store_explicit(&part->is_taken, false, memory_order_release);
        }
    }
    thread_progress_leave();
}

static RecorderPart *own_part(size_t *capacity) {
    const RunQueue *rq = run_queue_self();
    Recorder *r = rq != NULL ? atomic_load_explicit(&the_recorder, memory_order_acquire) : NULL;
    if (r == NULL)
        return NULL;
    *capacity = r->capacity;
    return r->part[rq->index];
}

static void record(const Process *p, RecordKind kind, unsigned detail, uint64_t time, Word a, Word b) {
    Record made = {.time = time, .head = kind | detail << 8, .pid = p != NULL ? p->pid : NIL, .a = a, .b = b};
    size_t capacity;
    RecorderPart *part = own_part(&capacity);
    if (likely(part != NULL))
        recorder_ring_put(&part->ring, capacity, &made);
    else if (run_queue_self() == NULL)
        put_elsewhere(&made);
}

/* --- What is written ---------------------------------------------------------------------------------------------- */

/* A module, a function and an arity in a word; 0: unknown, as is what does not fit. */
#define PLACE_ATOM_BITS 28
static Word place_word(Term module, Term function, Word arity) {
    Word m = atom_index(module), f = atom_index(function);
    if (m >> PLACE_ATOM_BITS || f >> PLACE_ATOM_BITS || arity > UINT8_MAX)
        return 0;
    return m << (PLACE_ATOM_BITS + 8) | f << 8 | arity;
}

static Word initial_place(const Process *p) {
    return place_word(p->initial_module, p->initial_function, p->initial_arity);
}

/* Where the engine's own instructions are, which all processes share, as where one hibernates, nobody's function is. */
static bool look_up(const Word *address, Word *found) {
    CodePlace place;
    bool is_in_function = range_place(address, &place);
    *found = is_in_function ? place_word(place.function->module, place.function->function, place.function->arity) : 0;
    return is_in_function;
}

/* Code that goes makes room for newer: an address means what it meant until some is made. */
static Word noted_place(const Process *p, PlaceNote *notes) {
    const Word *address = process_place(p);
    PlaceNote *note = &notes[((uintptr_t)address >> 3) % PLACE_NOTES];
    Birth newest = birth_newest();
    if (likely(note->address == address && note->newest == newest))
        return note->place;
    Word place;
    if (!look_up(address, &place))
        return initial_place(p);
    *note = (PlaceNote){.address = address, .newest = newest, .place = place};
    return place;
}

static Word place_now(const Process *p) {
    if (p->ip == NULL)
        return initial_place(p);
    size_t capacity;
    RecorderPart *part = own_part(&capacity);
    if (likely(part != NULL))
        return noted_place(p, part->notes);
    Word place;
    thread_progress_enter();
    bool is_in_function = look_up(process_place(p), &place);
    thread_progress_leave();
    return is_in_function ? place : initial_place(p);
}

uint64_t recorder_in_slow(const Process *p) {
    if (process_is_sensitive(p))
        return 0;
    uint64_t now = recorder_ticks();
    size_t capacity;
    RecorderPart *part = own_part(&capacity);
    if (part != NULL) {
        atomic_store_explicit(&part->running, 0, memory_order_relaxed); /* it is not, where a queue was given away */
        atomic_store_explicit(&part->since, now, memory_order_release);
        atomic_store_explicit(&part->running, p->pid, memory_order_release);
    }
    return now;
}

void recorder_out_slow(const Process *p, uint64_t since, RecordedStop stop) {
    size_t capacity;
    RecorderPart *part = own_part(&capacity);
    uint64_t now = recorder_ticks();
    Word place = stop == RECORDED_ENDS ? initial_place(p) : place_now(p);
    record(p, RECORD_RAN, stop, now, place, now - since);
    if (part != NULL)
        atomic_store_explicit(&part->running, 0, memory_order_relaxed);
}

/* What tells one term from another: itself, if it is a word, or what is first in it. */
#define HEAD_DEPTH 3
static Word head_of(Term t, unsigned *depth) {
    for (*depth = 0; is_value(t) && is_tuple(t) && tuple_arity(t) > 0 && *depth < HEAD_DEPTH; ++*depth)
        t = tuple_elements(t)[0];
    return is_immediate(t) ? t : NON_VALUE;
}

void recorder_spawned_slow(const Process *parent, const Process *child) {
    if (process_is_sensitive(child) || (parent != NULL && process_is_sensitive(parent)))
        return;
    record(parent, RECORD_SPAWN, 0, recorder_ticks(), child->pid, initial_place(child));
}

void recorder_exits_slow(const Process *p) {
    unsigned depth;
    Word reason = head_of(p->exit_reason, &depth);
    if (!process_is_sensitive(p))
        record(p, RECORD_EXIT, depth, recorder_ticks(), reason, 0);
}

void recorder_name_slow(const Process *p, Term owner, Term name, bool is_given) {
    if (!process_is_sensitive(p))
        record(p, is_given ? RECORD_REGISTER : RECORD_UNREGISTER, 0, recorder_ticks(), name, owner);
}

void recorder_collected_slow(const Process *p, uint64_t since, bool is_major, int64_t freed) {
    uint64_t now = recorder_ticks();
    if (!process_is_sensitive(p))
        record(p, is_major ? RECORD_MAJOR : RECORD_MINOR, 0, now, (Word)freed, now - since);
}

/* A name on another node is the name. */
void recorder_message(const Process *p, RecordKind kind, Term other, Term message) {
    unsigned depth;
    if (process_is_sensitive(p))
        return;
    if (is_value(other) && is_tuple(other) && tuple_arity(other) > 0)
        other = tuple_elements(other)[0];
    Word head = head_of(message, &depth);
    record(p, kind, depth, recorder_ticks(), is_immediate(other) ? other : NON_VALUE, head);
}
