#include <time.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/thread_progress.h"
#include "heap/limit.h"
#include "process/dictionary.h"
#include "process/message.h"
#include "process/native_frame.h"
#include "process/recorder.h"
#include "process/report.h"
#include "process/system_monitor.h"
#include "process/thread_times.h"
#include "process/trace_point.h"
#include "sys/clock.h"
#include "term/atom.h"

/* All terms that a process holds outside of its heap and stack, messages and registers apart. One that is not here is
 * lost with the next collection; whoever gives Process a term adds it. */
static void add_own_roots(Process *p, Rootset *roots) {
    rootset_add(roots, &p->group_leader, 1);
    rootset_add(roots, &p->parent, 1);
    rootset_add(roots, &p->seq_trace_token, 1);
    rootset_add(roots, &p->exit_reason, 1);
    rootset_add(roots, &p->fail.value, FAIL_ROOTS);
    rootset_add(roots, p->fail.trap_arguments, TRAP_ARGUMENTS_MAX);
    const NativeFrame *f = p->native_frame;
    if (f != NULL && f->first != NULL)
        rootset_add(roots, p->native_frame->first_arguments, f->first->arity);
    if (p->dictionary)
        rootset_add(roots, p->dictionary->pairs, 2 * (size_t)p->dictionary->capacity);
}

/* The terms of the messages that a receive has passed over lie one here, one there: gathered for the collector, and put
 * back after. */
typedef struct {
    Term *terms;
    size_t count;
    Term few[32];
} MessageRoots;

static void gather_messages(Process *p, MessageRoots *roots) {
    roots->count = 2 * p->messages_in_heap;
    roots->terms =
        roots->count <= array_length(roots->few) ? roots->few : mem_alloc(ALLOC_TEMP, roots->count * sizeof(Term));
    Term *to = roots->terms;
    for (const Message *m = p->first_in_heap; m != NULL; m = m->heap_next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        *to++ = m->term;
        *to++ = m->token;
    }
}

static void scatter_messages(Process *p, MessageRoots *roots) {
    const Term *from = roots->terms;
    for (Message *m = p->first_in_heap; m != NULL; m = m->heap_next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        m->term = *from++;
        m->token = *from++;
    }
    if (roots->terms != roots->few)
        mem_free(ALLOC_TEMP, roots->terms);
}

/* With the words that are needed, or that have become free. */
static void trace_collection(Process *p, TraceEvent event, size_t words) {
    trace_event(p, TRACE_GARBAGE_COLLECTION, event, small_make((SWord)words), NON_VALUE);
}

/* Who is killed by the limit was not collected, and is told no end. */
static void trace_end(Process *p, bool major, bool over, size_t freed) {
    if (over)
        trace_event(p, TRACE_GARBAGE_COLLECTION, EVENT_MAX_HEAP_SIZE, NIL, NON_VALUE);
    if (!over || !(p->heap.max_flags & HEAP_MAX_KILL))
        trace_collection(p, major ? EVENT_MAJOR_END : EVENT_MINOR_END, freed);
}

/* The messages' terms are to be given back by scatter_messages. */
static void gather_roots(Process *p, Term *x, unsigned live, Rootset *roots, MessageRoots *messages) {
    gather_messages(p, messages);
    add_own_roots(p, roots);
    rootset_add(roots, messages->terms, messages->count);
    rootset_add(roots, x, live);
}

/* Code that looks at a message off the heap has pointers into it. */
static void take_matched_in(Process *p) {
    if (p->matched != NULL && *p->save == p->matched)
        message_move_in(p, p->matched);
    p->matched = NULL;
}

/* Logs, and sets the process exiting, as its flags say. False: it must exit. */
static bool goes_on_over_limit(Process *p) {
    if (p->heap.max_flags & HEAP_MAX_LOG) {
        thread_progress_enter(); /* a dirty thread is not online */
        report_max_heap_size(p);
        thread_progress_leave();
    }
    if (!(p->heap.max_flags & HEAP_MAX_KILL))
        return true;
    process_set_exiting(p, am_killed);
    fail_with(p, FAIL_EXITING);
    return false;
}

_Atomic uint32_t collect_slower_ms;

/* In an open section: the scheduler is given away first. */
static noinline void be_slow(uint32_t ms) {
    long_work_exceeded();
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

bool process_collect_kind(Process *p, size_t need, Term *x, unsigned live, CollectKind kind) {
    Rootset roots = {.count = 0};
    MessageRoots messages;
    if (unlikely(p->matched != NULL))
        take_matched_in(p);
    p->heap.words_beside = message_words_beside(p) + dictionary_words_beside(p);
    p->heap.computes = p->flags & FLAG_COMPUTES;
    gather_roots(p, x, live, &roots, &messages);
    bool major = heap_wants_major(&p->heap, kind);
    /* As on the stock runtime, for which the first block is none; but what was built outside of it is collected. */
    bool is_first_block = p->heap.fragments == NULL && heap_gets_first_block(&p->heap, kind, need);
    bool is_told = kind != COLLECT_HIBERNATE && kind != COLLECT_REST && !is_first_block;
    if (is_told)
        trace_collection(p, major ? EVENT_MAJOR_START : EVENT_MINOR_START, need);
    int64_t begun = thread_times_begin();
    uint64_t recorded_from = recorder_collects();
    bool is_watched = system_monitor_is_set();
    int64_t watched_from = is_watched ? clock_monotonic() : 0;
    size_t before = heap_used_words(&p->heap);
    long_work_open();
    p->flags |= FLAG_COLLECTS;
    CollectResult result = heap_collect(&p->heap, &roots, need, kind, &p->reductions);
    p->flags &= ~(uint32_t)FLAG_COLLECTS;
    uint32_t slower_ms = atomic_load_explicit(&collect_slower_ms, memory_order_relaxed);
    if (unlikely(slower_ms > 0))
        be_slow(slower_ms);
    long_work_close();
    if (!is_first_block)
        thread_times_collected(begun, before, heap_used_words(&p->heap));
    if (unlikely(is_watched))
        system_monitor_collected(p, clock_monotonic() - watched_from);
    scatter_messages(p, &messages);
    size_t after = heap_used_words(&p->heap);
    recorder_collected(p, recorded_from, major, (int64_t)before - (int64_t)after);
    if (unlikely(p->trace != NULL))
        trace_points.collected(p, (int64_t)after - (int64_t)before);
    if (is_told)
        trace_end(p, major, result == COLLECT_OVER_LIMIT, before > after ? before - after : 0);
    return result == COLLECTED || goes_on_over_limit(p);
}

void process_with_roots(Process *p, Term *x, unsigned live, RootsWork *work, void *data) {
    Rootset roots = {.count = 0};
    MessageRoots messages;
    gather_roots(p, x, live, &roots, &messages);
    work(&p->heap, &roots, data);
    scatter_messages(p, &messages);
}

bool process_collect(Process *p, size_t need, Term *x, unsigned live) {
    return process_collect_kind(p, need, x, live, COLLECT_AUTO);
}

bool process_collect_saved(Process *p, CollectKind kind) {
    return process_collect_kind(p, 0, p->saved, p->arity, kind);
}
