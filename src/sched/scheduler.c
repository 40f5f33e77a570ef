#include "sched/scheduler.h"

#include <unistd.h>

#include "alloc/alloc.h"
#include "emu/emu.h"
#include "process/collect.h"
#include "process/exit.h"
#include "process/process_table.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/timer.h"
#include "sched/dirty.h"

#define SLICES_PER_TIMER_LOOK 16
#define SPINS_BEFORE_SLEEP 200

static SchedulerOptions options;

typedef struct {
    RunQueue *queue;
    EmuRegisters *registers;
    int slices_left; /* until the clock is looked at */
    int64_t reductions_left;
} Scheduler;

void schedulers_init(SchedulerOptions *given) {
    if (given->schedulers == 0)
        given->schedulers = thread_cpu_count();
    if (given->dirty_cpu == 0)
        given->dirty_cpu = given->schedulers;
    if (given->dirty_io == 0)
        given->dirty_io = 10;
    if (given->process_limit == 0)
        given->process_limit = PROCESS_LIMIT_DEFAULT;
    options = *given;
    reference_init();
    run_queues_init(options.schedulers);
    timers_init(options.schedulers);
    process_table_init(options.process_limit);
    registry_init();
}

const SchedulerOptions *schedulers_options(void) { return &options; }

static void count_up(_Atomic uint64_t *counter, uint64_t by) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by, memory_order_relaxed);
}

static void go_on_exiting(Process *p) {
    p->reductions = REDUCTIONS_PER_SLICE;
    process_exit_begin(p);
    if (!process_exit_continue(p))
        process_leave(p, true);
}

static void act_on_stop(Process *p, StopReason stop) {
    switch (stop) {
    case STOP_WAIT:
        process_leave(p, false);
        break;
    case STOP_EXIT:
        go_on_exiting(p);
        break;
    case STOP_YIELD:
    case STOP_DIRTY:
    case STOP_SUSPEND:
        process_leave(p, true);
    }
}

static void run(Scheduler *s, Process *p) {
    p->reductions = REDUCTIONS_PER_SLICE;
    p->flags &= ~(uint32_t)FLAG_HIBERNATED;
    StopReason stop = emu_run(p, s->registers);
    int64_t used = REDUCTIONS_PER_SLICE - p->reductions;
    used = used > 0 ? used : 1;
    p->reductions_done += (uint64_t)used;
    s->reductions_left -= used;
    count_up(&s->queue->reductions, (uint64_t)used);
    act_on_stop(p, stop);
}

static void run_slice(Scheduler *s, Process *p) {
    process_enter(p);
    atomic_store_explicit(&p->home_queue, s->queue->index, memory_order_relaxed);
    count_up(&s->queue->context_switches, 1);
    signal_handle(p);
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    if (unlikely(state & STATE_TASKS) && !(state & STATE_EXITING)) {
        collect_requested(p);
        state = atomic_load_explicit(&p->state, memory_order_relaxed);
    }
    if (unlikely(state & STATE_EXITING))
        go_on_exiting(p);
    else if (unlikely((state & (STATE_ACTIVE | STATE_SUSPENDED)) != STATE_ACTIVE))
        process_leave(p, (state & STATE_ACTIVE) != 0);
    else
        run(s, p);
}

static bool spin_for_work(const RunQueue *rq) {
    for (int i = 0; i < SPINS_BEFORE_SLEEP; i++) {
        if (atomic_load_explicit(&rq->length, memory_order_relaxed) || run_queue_others_are_full(rq))
            return true;
        __builtin_ia32_pause();
    }
    return false;
}

static void look_for_work(RunQueue *rq) {
    timers_run(rq->index);
    if (atomic_load_explicit(&rq->length, memory_order_relaxed))
        return;
    bool found = run_queue_steal(rq);
    run_queue_thief_done();
    if (found || spin_for_work(rq))
        return;
    thread_progress_offline();
    run_queue_sleep(rq, timers_next);
    thread_progress_online();
    if (atomic_load_explicit(&rq->length, memory_order_relaxed))
        run_queue_thief_done(); /* called as a thief or not: it has work of its own */
}

static void look_at_clock(Scheduler *s) {
    if (--s->slices_left > 0 && s->reductions_left > 0)
        return;
    s->slices_left = SLICES_PER_TIMER_LOOK;
    s->reductions_left = REDUCTIONS_PER_SLICE;
    timers_run(s->queue->index);
}

static void scheduler_main(void *data) {
    Scheduler s = {.queue = data, .registers = mem_calloc(ALLOC_SCHEDULER, sizeof(EmuRegisters))};
    run_queue_set_self(s.queue);
    thread_progress_register();
    for (;;) {
        thread_progress_quiescent();
        look_at_clock(&s);
        Process *p = run_queue_take(s.queue);
        if (likely(p != NULL))
            run_slice(&s, p);
        else
            look_for_work(s.queue);
    }
}

void schedulers_start(void) {
    static Thread thread; /* nobody joins them */
    for (unsigned i = 0; i < options.schedulers; i++)
        thread_start(&thread, "scheduler", 0, scheduler_main, run_queue_at(i));
    dirty_start(options.dirty_cpu, options.dirty_io);
}

_Noreturn void schedulers_wait(void) {
    for (;;)
        pause();
}
