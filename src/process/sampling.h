/*
 * Sampling: what threads do, noted on time, with the Erlang stack. The part of the threads that run processes; who asks
 * is in process/sampler.h, what is made of it in process/sample.h.
 *
 *   the ticker                  a thread that runs a process
 *   wants, and interrupts --->  the handler of SAMPLING_SIGNAL notes where it is: in the engine, in a native function,
 *                               in a collection; and what it waits for (base/waiting.h)
 *                               at the next safe place it walks the stack, and makes samples
 *
 * The next safe place: while there are samplers the reductions of a slice come in pieces, and between two of them
 * (where a slice might end as well) the process is whole. In the engine that is at most SAMPLING_PIECE calls after the
 * note: so short are pieces when the next tick is near; otherwise they are longer, for the time that each takes. Who is
 * in a longer one when the tick comes, as it was put off its processor there, is late by SAMPLING_LONG_PIECE. A native
 * function goes on to its end first; then the piece is over at once, so the stack is still the one in which it was
 * called, but where another native function follows that is no call of a slice. So there may be several notes until
 * then, each for what was wanted where it was made. While nobody samples that costs two loads a slice.
 *
 * Cut short: to end a piece so the handler takes SAMPLING_CUT from p->reductions, far more than a slice has, and where
 * the piece ends it is given back. That is exact whatever was interrupted. Where the engine had the reductions in a
 * register (it calls small functions that way) it writes over the cut, and so does who was just about to write: then
 * nothing was taken, the piece goes on, and no cut afterwards says that p->ip was not the place of what was noted.
 *
 * A thread joins once and never ends. Its SampledThread is its own; other threads read what it runs, and write what is
 * wanted of it. The handler runs on the thread itself: what both use is volatile, and no more.
 */
#ifndef VIV_PROCESS_SAMPLING_H
#define VIV_PROCESS_SAMPLING_H

#include <pthread.h>
#include <time.h>

#include "process/process.h"
#include "process/sample.h"

#define SAMPLING_PIECE 100       /* calls */
#define SAMPLING_LONG_PIECE 1000 /* while no tick is near */
#define SAMPLING_SIGNAL (SIGRTMAX - 3)
#define SAMPLING_CUT ((int64_t)1 << 62)

/* Where the thread was; for how many samples of each sampler. */
typedef struct {
    NoteKind kind;
    const Word *ip; /* of the process, and its current_bif */
    const struct Export *bif;
    Term waits_for;
    uint32_t epoch; /* samplers_epoch, when it was made, or when something was added to it */
    uint32_t weight[SAMPLERS_MOST];
} Note;
#define NOTES_MOST 4

typedef struct SampledThread {
    struct SampledThread *next; /* of all; never changes */
    pthread_t handle;
    ThreadKind kind;
    clockid_t clock; /* of its time on the processor */
    int number;      /* the system's */
    int64_t used;    /* by that clock, at the last tick: the ticker's */
    _Atomic bool is_busy;    /* written by the thread */
    const _Atomic uint64_t *waiting_for; /* its own */
    Process *volatile runs;  /* the process; for the thread and its handler */
    _Atomic uint32_t wanted[SAMPLERS_MOST]; /* how many samples by each: the ticker's, taken by the handler */
    Note note[NOTES_MOST];                  /* the handler's; the thread's own while is_taking */
    volatile unsigned notes;
    volatile bool is_taking;
    volatile bool is_in_piece; /* the handler may cut it short */
    int64_t kept;              /* reductions of the slice beyond the piece that is under way */
} __attribute__((aligned(CACHE_LINE))) SampledThread; /* each writes its own in every slice */
extern __thread SampledThread *sampled_thread; /* NULL: runs no processes */
extern _Atomic(SampledThread *) sampled_threads;
extern _Atomic uint32_t samplers_active; /* a bit each */
extern _Atomic bool sampling_is_near;    /* the next tick: the ticker's */
/* Counts them as they begin; and since when each is there: what is older was wanted by another in its place. */
extern _Atomic uint32_t samplers_epoch, sampler_since[SAMPLERS_MOST];

/* The calling thread runs processes from now on. */
void sampling_join(void);
/* The handler is there, from now on for good. Any thread. */
void sampling_listen(void);
/* The engine's own instructions are there. Once, at the start. */
void sampling_engine_is(const char *begin, const char *end);

/* Around the engine's run of p; also on a dirty thread. What was wanted meanwhile is taken at the end; `is_gone`: p's
 * stack is. */
void sampling_begin_slow(Process *p);
void sampling_end_slow(Process *p, bool is_gone);
static inline void sampling_begin(Process *p) {
    if (unlikely(atomic_load_explicit(&samplers_active, memory_order_relaxed) != 0))
        sampling_begin_slow(p);
}
static inline void sampling_end(Process *p, bool is_gone) {
    if (unlikely(sampled_thread != NULL && sampled_thread->runs != NULL))
        sampling_end_slow(p, is_gone);
}
/* Around a slice, of a process or a port, which may be gone at the end. */
void sampling_serve_slow(void);
void sampling_served_slow(Term actor);
static inline void sampling_serve(void) {
    if (unlikely(atomic_load_explicit(&samplers_active, memory_order_relaxed) != 0))
        sampling_serve_slow();
}
static inline void sampling_served(Term actor) {
    if (unlikely(atomic_load_explicit(&sampled_thread->is_busy, memory_order_relaxed)))
        sampling_served_slow(actor);
}
/* The piece is used up, as p->reductions say, and p stands at p->ip: `enters` a function there, or goes on in one.
 * True: there is another piece. */
bool sampling_go_on(Process *p, bool enters);
/* Reductions beyond the piece. */
static inline int64_t sampling_kept(void) { return sampled_thread != NULL ? sampled_thread->kept : 0; }
/* Without what the handler took. */
static inline bool sampling_is_cut(int64_t reductions) { return reductions < -SAMPLING_CUT / 2; }
static inline int64_t sampling_uncut(int64_t reductions) {
    return sampling_is_cut(reductions) ? reductions + SAMPLING_CUT : reductions;
}
/* By the thread that runs p: nothing is left of the piece; the rest of the slice is one. */
static inline void sampling_use_up_piece(Process *p) {
    p->reductions = sampling_is_cut(p->reductions) ? -SAMPLING_CUT : 0;
}
void sampling_leave_pieces(Process *p);

#endif
