#include "process/sampling.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/program.h"
#include "base/thread_progress.h"
#include "base/waiting.h"
#include "code/export.h"
#include "code/ranges.h"
#include "process/stack_trace.h"

#define STACK_WORDS_MOST 65536 /* that a sample looks at */

__thread SampledThread *sampled_thread;
_Atomic(SampledThread *) sampled_threads;
_Atomic uint32_t samplers_active, samplers_epoch, sampler_since[SAMPLERS_MOST];
_Atomic bool sampling_is_near;

static uintptr_t engine_begin, engine_end;

void sampling_engine_is(const char *begin, const char *past) {
    engine_begin = (uintptr_t)begin;
    engine_end = (uintptr_t)past;
}

void sampling_join(void) {
    SampledThread *t = mem_alloc_aligned(ALLOC_SCHEDULER, sizeof *t, CACHE_LINE);
    memset(t, 0, sizeof *t);
    t->handle = pthread_self();
    t->kind = thread_kind;
    t->number = thread_number();
    t->waiting_for = &waiting_for;
    if (pthread_getcpuclockid(t->handle, &t->clock) != 0)
        t->clock = CLOCK_MONOTONIC; /* works all the time */
    sampled_thread = t;
    t->next = atomic_load(&sampled_threads);
    while (!atomic_compare_exchange_weak(&sampled_threads, &t->next, t)) {
    }
}

/* --- the handler -------------------------------------------------------------------------------------------------- */

static bool is_engine(uintptr_t pc) {
    return (pc >= engine_begin && pc < engine_end) || (pc >= (uintptr_t)end && pc <= INT32_MAX);
}

static bool is_native(NoteKind kind) { return kind == NOTE_NATIVE || kind == NOTE_WAITS; }

/* The native function's end is to be the end of the piece. */
static void cut_short(const SampledThread *t, Process *p) {
    if (t->is_in_piece && !sampling_is_cut(p->reductions))
        p->reductions -= SAMPLING_CUT;
}

/* Without the cut it was in what the engine calls in between: p->ip was another's. */
static void look_for_cut(SampledThread *t, const Process *p) {
    if (!t->is_in_piece || sampling_is_cut(p->reductions))
        return;
    for (unsigned i = 0; i < t->notes; i++)
        if (is_native(t->note[i].kind))
            t->note[i].kind = NOTE_RUNS;
}

static Note note_of(const SampledThread *t, const Process *p, bool is_in_engine) {
    Term waits_for = atomic_load_explicit(t->waiting_for, memory_order_relaxed);
    NoteKind kind = (p->flags & FLAG_COLLECTS) != 0 ? NOTE_COLLECTS
                    : is_in_engine                  ? NOTE_RUNS
                    : waits_for != 0                ? NOTE_WAITS
                                                    : NOTE_NATIVE;
    return (Note){.kind = kind, .ip = p->ip, .bif = p->current_bif, .waits_for = waits_for};
}

/* Where the engine was is told by the stack, wherever that was noted. */
static bool is_same(const Note *a, const Note *b) {
    return a->kind == b->kind && a->epoch == b->epoch &&
           (a->kind == NOTE_RUNS || (a->ip == b->ip && a->waits_for == b->waits_for));
}

/* For those who have begun since, too. What is counted where one of them is was wanted by another in his place. */
static void bring_to(Note *kept, uint32_t epoch) {
    for (unsigned i = 0; i < SAMPLERS_MOST; i++)
        if (atomic_load(&sampler_since[i]) > kept->epoch)
            kept->weight[i] = 0;
    kept->epoch = epoch;
}

/* What is more than there is room for counts as the last. */
static void note(SampledThread *t, Note n) {
    n.epoch = atomic_load(&samplers_epoch);
    if (t->notes == 0 || (t->notes < NOTES_MOST && !is_same(&t->note[t->notes - 1], &n)))
        t->note[t->notes++] = n;
    Note *last = &t->note[t->notes - 1];
    if (last->epoch != n.epoch)
        bring_to(last, n.epoch);
    uint32_t *weight = last->weight;
    for (unsigned i = 0; i < SAMPLERS_MOST; i++)
        weight[i] += atomic_exchange_explicit(&t->wanted[i], 0, memory_order_relaxed);
}

static void note_process(SampledThread *t, Process *p, bool is_in_engine) {
    look_for_cut(t, p);
    Note n = note_of(t, p, is_in_engine);
    note(t, n);
    if (!is_in_engine)
        cut_short(t, p);
}

static void interrupted(int number, siginfo_t *info, void *context) {
    SampledThread *t = sampled_thread;
    if (t == NULL || t->is_taking)
        return;
    Process *p = t->runs;
    if (p != NULL) {
        note_process(t, p, is_engine((uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]));
    } else if (atomic_load_explicit(&t->is_busy, memory_order_relaxed)) {
        note(t, (Note){.kind = NOTE_SERVES});
    } else {
        for (unsigned i = 0; i < SAMPLERS_MOST; i++)
            atomic_store_explicit(&t->wanted[i], 0, memory_order_relaxed);
    }
}

void sampling_listen(void) {
    struct sigaction a = {.sa_sigaction = interrupted, .sa_flags = SA_RESTART | SA_SIGINFO};
    (void)sigaction(SAMPLING_SIGNAL, &a, NULL);
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

typedef struct {
    SampleHead head;
    SampleFrame frames[SAMPLE_FRAMES_MOST];
} Made;

static void give(const Note *n, SampleHead head, const SampleFrame *frames) {
    uint32_t active = atomic_load(&samplers_active);
    for (unsigned i = 0; i < SAMPLERS_MOST; i++) {
        head.weight = n->weight[i];
        if (head.weight > 0 && (active >> i & 1) != 0 && n->epoch >= atomic_load(&sampler_since[i]))
            sample_give(i, &head, frames);
    }
}

static void add_frame(Made *m, Mfa mfa, uint32_t line) {
    if (m->head.count < SAMPLE_FRAMES_MOST)
        m->frames[m->head.count++] = (SampleFrame){mfa.module, mfa.function, (uint32_t)mfa.arity, line};
    else
        m->head.is_cut = true;
}

/* The function; NULL where the address is in no code. */
static const FunctionHeader *add_place(Made *m, const Word *address, const FunctionHeader *but_not) {
    CodePlace place;
    if (!range_place(address, &place) || place.function == but_not)
        return NULL;
    add_frame(m, (Mfa){place.function->module, place.function->function, (unsigned)place.function->arity}, place.line);
    return place.function;
}

/* What stood at `ip` called the built-in function that the process was last in: both have its name. */
static const Export *native_at(const Word *ip, const Export *e) {
    if (e == NULL || ip == NULL)
        return NULL;
    const ModuleInstance *in = range_find(ip);
    bool is_own = (const char *)ip >= (const char *)e->trampoline && (const char *)ip < (const char *)(e + 1);
    bool has_operand = in != NULL ? ip + 1 < in->code + in->word_count : is_own;
    return has_operand && ip[1] == (Word)(uintptr_t)e ? e : NULL;
}

static void add_stack(Made *m, const Process *p, const Word *at, const FunctionHeader *but_not) {
    const Word *addresses[SAMPLE_FRAMES_MOST];
    bool is_whole;
    size_t count = stacktrace_addresses_within(p, at, addresses, SAMPLE_FRAMES_MOST, STACK_WORDS_MOST, &is_whole);
    m->head.is_cut |= !is_whole;
    for (size_t i = 0; i < count; i++)
        (void)add_place(m, addresses[i], i == 0 ? but_not : NULL);
}

/* In the stack of now stands who called what was noted, unless that was its last call. */
static void add_frames(Made *m, const Note *n, const Process *p, bool enters, bool is_gone) {
    const Word *at = enters ? NULL : p->ip;
    const FunctionHeader *in = NULL;
    if (n->kind == NOTE_RUNS && !is_gone) {
        add_stack(m, p, long_work_is_exceeded() ? at : p->ip, NULL); /* who worked long has only now made a call */
        return;
    }
    const Export *native = is_native(n->kind) ? native_at(n->ip, n->bif) : NULL;
    if (native != NULL) {
        add_frame(m, native->mfa, 0);
        m->head.note = n->kind == NOTE_WAITS ? NOTE_WAITS : NOTE_RUNS;
    }
    if (n->ip != NULL)
        in = add_place(m, n->ip, NULL);
    if (!is_gone)
        add_stack(m, p, at, in);
}

static void make_sample(const SampledThread *t, const Note *n, const Process *p, bool enters, bool is_gone) {
    Made m;
    m.head = (SampleHead){.actor = p->pid, .thread = t->kind, .note = n->kind, .is_hidden = process_is_sensitive(p)};
    m.head.waits_for = n->waits_for;
    if (!m.head.is_hidden)
        add_frames(&m, n, p, enters, is_gone);
    give(n, m.head, m.frames);
}

static void set_taking(SampledThread *t, bool is_taking) {
    atomic_signal_fence(memory_order_seq_cst);
    t->is_taking = is_taking;
    atomic_signal_fence(memory_order_seq_cst);
}

/* Pieces are made, and joined, while the handler keeps its hands off. */
static void set_in_piece(SampledThread *t, bool is_in_piece) {
    atomic_signal_fence(memory_order_seq_cst);
    t->is_in_piece = is_in_piece;
    atomic_signal_fence(memory_order_seq_cst);
}

/* p->reductions are all that is left of the slice. */
static void join_pieces(SampledThread *t, Process *p) {
    if (!t->is_in_piece)
        return;
    if (unlikely(t->notes > 0)) {
        set_taking(t, true);
        look_for_cut(t, p);
        set_in_piece(t, false);
        set_taking(t, false);
    } else {
        set_in_piece(t, false); /* what is noted until then has its cut */
    }
    p->reductions = sampling_uncut(p->reductions) + t->kept;
    t->kept = 0;
}

static noinline void take(SampledThread *t, const Process *p, bool enters, bool is_gone) {
    set_taking(t, true);
    thread_progress_enter(); /* a dirty thread is not online */
    for (unsigned i = 0; i < t->notes; i++)
        make_sample(t, &t->note[i], p, enters, is_gone);
    thread_progress_leave();
    t->notes = 0;
    set_taking(t, false);
}

/* --- what runs ---------------------------------------------------------------------------------------------------- */

static void next_piece(SampledThread *t, Process *p) {
    bool is_near = atomic_load_explicit(&sampling_is_near, memory_order_relaxed);
    int64_t most = is_near ? SAMPLING_PIECE : SAMPLING_LONG_PIECE;
    int64_t left = p->reductions, piece = left < most ? left : most;
    p->reductions = piece;
    t->kept = left - piece;
    set_in_piece(t, true);
}

void sampling_leave_pieces(Process *p) {
    if (sampled_thread != NULL)
        join_pieces(sampled_thread, p);
}

static void set_busy(SampledThread *t, bool is_busy) {
    atomic_store_explicit(&t->is_busy, is_busy, memory_order_relaxed);
}

void sampling_begin_slow(Process *p) {
    SampledThread *t = sampled_thread;
    if (t == NULL)
        return;
    if (t->kind == THREAD_SCHEDULER && p->saved_calls == NULL) /* that counts in its own way */
        next_piece(t, p);
    set_busy(t, true);
    t->runs = p;
}

bool sampling_go_on(Process *p, bool enters) {
    SampledThread *t = sampled_thread;
    if (t == NULL || !t->is_in_piece)
        return false;
    join_pieces(t, p);
    if (t->notes > 0)
        take(t, p, enters, false);
    bool goes_on = p->reductions > 0 && !long_work_is_exceeded();
    if (goes_on)
        next_piece(t, p);
    return goes_on;
}

/* Whatever was noted since the last of it was taken is forgotten. */
static void forget_notes(SampledThread *t) {
    if (likely(t->notes == 0))
        return;
    set_taking(t, true);
    t->notes = 0;
    set_taking(t, false);
}

void sampling_end_slow(Process *p, bool is_gone) {
    SampledThread *t = sampled_thread;
    join_pieces(t, p);
    if (t->notes > 0)
        take(t, p, false, is_gone);
    t->runs = NULL;
    forget_notes(t);
    set_busy(t, t->kind == THREAD_SCHEDULER);
}

void sampling_serve_slow(void) { set_busy(sampled_thread, true); }

void sampling_served_slow(Term actor) {
    SampledThread *t = sampled_thread;
    set_busy(t, false);
    if (likely(t->notes == 0))
        return;
    set_taking(t, true);
    for (unsigned i = 0; i < t->notes; i++)
        give(&t->note[i], (SampleHead){.actor = actor, .thread = t->kind, .note = NOTE_SERVES}, NULL);
    t->notes = 0;
    set_taking(t, false);
}
