#include "process/sampling.h"

#include <signal.h>
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
_Atomic uint32_t samplers_active;

static uintptr_t engine_begin, engine_end;

void sampling_engine_is(const char *begin, const char *past) {
    engine_begin = (uintptr_t)begin;
    engine_end = (uintptr_t)past;
}

void sampling_join(void) {
    SampledThread *t = mem_calloc(ALLOC_SCHEDULER, sizeof *t);
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

/* The native function's end is to be the end of the piece. */
static void cut_short(const SampledThread *t, Process *p) {
    if (t->is_in_piece)
        p->reductions -= SAMPLING_CUT;
}

static void note(SampledThread *t, Process *p, bool is_in_engine) {
    t->ip = p->ip;
    t->bif = p->current_bif;
    t->waits_for = atomic_load_explicit(t->waiting_for, memory_order_relaxed);
    t->note = (p->flags & FLAG_COLLECTS) != 0 ? NOTE_COLLECTS
              : is_in_engine                  ? NOTE_RUNS
              : t->waits_for != 0             ? NOTE_WAITS
                                              : NOTE_NATIVE;
    if (!is_in_engine)
        cut_short(t, p);
}

static void interrupted(int number, siginfo_t *info, void *context) {
    SampledThread *t = sampled_thread;
    if (t == NULL || t->note != NOTE_NONE)
        return;
    Process *p = t->runs;
    if (p != NULL) {
        note(t, p, is_engine((uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]));
    } else if (atomic_load_explicit(&t->is_busy, memory_order_relaxed)) {
        t->ip = NULL;
        t->note = NOTE_SERVES;
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

static void give(SampledThread *t, SampleHead head, const SampleFrame *frames) {
    uint32_t active = atomic_load(&samplers_active);
    for (unsigned i = 0; i < SAMPLERS_MOST; i++) {
        head.weight = atomic_exchange_explicit(&t->wanted[i], 0, memory_order_relaxed);
        if (head.weight > 0 && (active >> i & 1) != 0)
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
static void add_frames(Made *m, const SampledThread *t, const Process *p, bool enters, bool is_gone) {
    const Word *ip = t->ip, *at = enters ? NULL : p->ip;
    const FunctionHeader *in = NULL;
    if (m->head.note == NOTE_RUNS && !is_gone) {
        add_stack(m, p, long_work_is_exceeded() ? at : p->ip, NULL); /* who worked long has only now made a call */
        return;
    }
    bool is_native = m->head.note == NOTE_NATIVE || m->head.note == NOTE_WAITS;
    const Export *native = is_native ? native_at(ip, t->bif) : NULL;
    if (native != NULL) {
        add_frame(m, native->mfa, 0);
        m->head.note = m->head.note == NOTE_WAITS ? NOTE_WAITS : NOTE_RUNS;
    }
    if (ip != NULL)
        in = add_place(m, ip, NULL);
    if (!is_gone)
        add_stack(m, p, at, in);
}

static void make_sample(SampledThread *t, const Process *p, bool enters, bool is_gone) {
    Made m;
    m.head = (SampleHead){.actor = p->pid, .thread = t->kind, .note = t->note, .is_hidden = process_is_sensitive(p)};
    m.head.waits_for = t->waits_for;
    if (!m.head.is_hidden)
        add_frames(&m, t, p, enters, is_gone);
    give(t, m.head, m.frames);
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
    set_in_piece(t, false);
    /* In what the engine calls in between: p->ip was another's. */
    if ((t->note == NOTE_NATIVE || t->note == NOTE_WAITS) && !sampling_is_cut(p->reductions))
        t->note = NOTE_RUNS;
    p->reductions = sampling_uncut(p->reductions) + t->kept;
    t->kept = 0;
}

static noinline void take(SampledThread *t, const Process *p, bool enters, bool is_gone) {
    thread_progress_enter(); /* a dirty thread is not online */
    make_sample(t, p, enters, is_gone);
    thread_progress_leave();
    t->note = NOTE_NONE;
}

/* --- what runs ---------------------------------------------------------------------------------------------------- */

static void next_piece(SampledThread *t, Process *p) {
    int64_t left = p->reductions, piece = left < SAMPLING_PIECE ? left : SAMPLING_PIECE;
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
    if (t->note != NOTE_NONE)
        take(t, p, enters, false);
    bool goes_on = p->reductions > 0 && !long_work_is_exceeded();
    if (goes_on)
        next_piece(t, p);
    return goes_on;
}

void sampling_end_slow(Process *p, bool is_gone) {
    SampledThread *t = sampled_thread;
    join_pieces(t, p);
    if (t->note != NOTE_NONE)
        take(t, p, false, is_gone);
    t->runs = NULL;
    t->note = NOTE_NONE;
    set_busy(t, t->kind == THREAD_SCHEDULER);
}

void sampling_serve_slow(void) { set_busy(sampled_thread, true); }

void sampling_served_slow(Term actor) {
    SampledThread *t = sampled_thread;
    set_busy(t, false);
    if (t->note != NOTE_NONE) {
        give(t, (SampleHead){.actor = actor, .thread = t->kind, .note = NOTE_SERVES}, NULL);
    }
    t->note = NOTE_NONE;
}
