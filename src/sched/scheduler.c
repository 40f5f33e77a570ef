#include "sched/scheduler.h"

#include <stdlib.h>
#include <unistd.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "emu/emu.h"
#include "ets/fair_lock.h"
#include "process/actor.h"
#include "process/clock.h"
#include "process/dirty_gate.h"
#include "process/dirty_queue.h"
#include "process/dirty_signals.h"
#include "process/exit.h"
#include "process/memory_site.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/recorder.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "process/sampling.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "process/system_monitor.h"
#include "process/system_profile.h"
#include "process/system_task.h"
#include "process/thread_round.h"
#include "process/thread_times.h"
#include "process/timer.h"
#include "process/trace_point.h"
#include "sched/alone.h"
#include "sched/balance.h"
#include "sched/binding.h"
#include "sched/dirty.h"
#include "sched/online.h"
#include "sched/os_signals.h"
#include "sched/poll_thread.h"
#include "sched/poller.h"
#include "sched/spare.h"
#include "sched/work_turn.h"
#include "sys/clock.h"
#include "sys/cpu_quota.h"
#include "sys/spin.h"

#define SLICES_PER_TIMER_LOOK 16
#define SPIN_NS_BEFORE_SLEEP 20000
/* At descriptors, by one who has enough to do: a hundredth of his time, but where a look takes longer than 4 us. */
#define LOOK_TIMES 100
#define NS_BETWEEN_LOOKS 50000
#define NS_BETWEEN_LOOKS_MOST 400000

static SchedulerOptions options;

typedef struct {
    RunQueue *queue;
    Balance *balance; /* the queue's */
    EmuRegisters *registers;
    Process *process; /* that it runs, if any */
    bool in_slice;    /* it runs one, or handles signals of one that the dirty threads have */
    int slices_left;  /* until the clock is looked at */
    int64_t reductions_left;
    bool is_given_away; /* another thread serves the queue: becomes true only while a process runs */
    uint32_t looks;     /* poller_looks, when descriptors were thought of last */
    int64_t next_look;  /* clock_monotonic */
    PollerFound found;  /* while it slept */
} Scheduler;

/* Threads that have given a queue away, or are about to, and are in the slice yet in which they did. */
static _Atomic unsigned threads_away;

static __thread Scheduler *self; /* of the threads that serve a queue, or did and still run a process */

#ifdef VIV_DEBUG
static void set_torture(void) {
    const char *every = getenv("VIV_GIVE_AWAY");
    long_work_torture = every != NULL ? (unsigned)strtoul(every, NULL, 10) : 0;
}
#else
static void set_torture(void) {}
#endif

unsigned schedulers_usable(void) {
    unsigned may = thread_cpu_count(), quota = cpu_quota(), all = cpu_count_online();
    unsigned most = quota == 0 || may < quota ? may : quota;
    return most < all ? most : all;
}

void schedulers_init(SchedulerOptions *given) {
    spin_init();
    unsigned online = given->online != 0       ? given->online
                      : given->schedulers == 0 ? schedulers_usable()
                                               : given->schedulers;
    if (given->schedulers == 0)
        given->schedulers = cpu_count_online();
    if (given->dirty_cpu == 0)
        given->dirty_cpu = given->schedulers;
    if (given->dirty_io == 0)
        given->dirty_io = 10;
    if (given->process_limit == 0)
        given->process_limit = PROCESS_LIMIT_DEFAULT;
    options = *given;
    set_torture();
    reference_init();
    run_queues_init(options.schedulers);
    balances_init();
    dirty_queues_init(options.dirty_cpu, options.dirty_io);
    work_turns_init(options.schedulers);
    alone_init();
    binding_init(options.schedulers);
    online_init(options.schedulers, options.dirty_cpu, options.dirty_io, online);
    system_requests_limit = 2 * options.schedulers;
    clock_init();
    timers_init(options.schedulers);
    process_table_init(options.process_limit);
    port_table_init(options.port_limit == 0 ? PORT_LIMIT_DEFAULT : options.port_limit);
    registry_init();
}

const SchedulerOptions *schedulers_options(void) { return &options; }

static void scheduler_main(void *queue);

/* Before another thread can come to tables' locks beside this one. False: none will. */
static bool pass_on(Scheduler *s) {
    fair_lock_set_alone(false); /* at least to the end of the slice */
    atomic_fetch_add_explicit(&threads_away, 1, memory_order_relaxed);
    if (spare_thread_take_over(s->queue, scheduler_main))
        return true;
    atomic_fetch_sub_explicit(&threads_away, 1, memory_order_relaxed);
    return false;
}

/* Between two slices: who has given the only queue away came to tables, if at all, before he came to the end. */
static void look_whether_alone(void) {
    if (options.schedulers == 1)
        fair_lock_set_alone(atomic_load_explicit(&threads_away, memory_order_acquire) == 0);
}

/* The hooks of base/long_work.h. */
static void leave_soon(void) {
    if (self->in_slice && self->process != NULL)
        sampling_use_up_piece(self->process);
}

static void give_away(void) {
    Scheduler *s = self;
    leave_soon();
    if (!s->in_slice || s->is_given_away || alone_is_on() || !pass_on(s))
        return;
    race_window("the queue is another's, and still `here`");
    s->is_given_away = true;
    thread_times_unregister();
    run_queue_set_self(NULL);
    binding_leave();
}

/* The same: so that those who serve queues get to the processors. */
static void stand_back(bool is_over) {
    Scheduler *s = self;
    if (is_over)
        work_turn_end();
    else if (s->is_given_away && s->process != NULL)
        work_turn_next(s->process);
}

/* By the thread that serves the queue. */
static void count_up(_Atomic uint64_t *counter, uint64_t by) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + by, memory_order_relaxed);
}

static void go_on_exiting(Process *p) {
    p->reductions = REDUCTIONS_PER_SLICE;
    process_exit_begin(p);
    system_profile_process(p, false);
    if (!process_exit_continue(p))
        process_leave(p, true);
}

/* One of its signals has ended it: as on the stock runtime, who is told of its slices hears of one more. */
static void end_by_signal(Process *p) {
    if (likely(p->body == NULL) && p->exit_state == NULL) {
        trace_scheduled(p, EVENT_IN);
        trace_event(p, TRACE_CALL, EVENT_RUNS_NO_MORE, NON_VALUE, NON_VALUE);
    }
    go_on_exiting(p);
}

static void act_on_stop(Process *p, StopReason stop) {
    bool computed = p->flags & FLAG_COMPUTES;
    p->flags &= ~(uint32_t)(FLAG_COMPUTES | FLAG_COMPUTES_ON);
    switch (stop) {
    case STOP_WAIT:
        system_profile_process(p, false);
        process_leave(p, false);
        break;
    case STOP_EXIT: go_on_exiting(p); break;
    case STOP_DIRTY: process_leave_to_dirty(p); break;
    case STOP_YIELD:
        p->flags |= computed ? FLAG_COMPUTES | FLAG_COMPUTES_ON : FLAG_COMPUTES;
        process_leave(p, true);
        break;
    case STOP_SUSPEND: system_profile_process(p, false); process_leave(p, true);
    }
}

static void set_computes(Scheduler *s, bool computes) {
    if (unlikely(computes != atomic_load_explicit(&s->queue->runs_computation, memory_order_relaxed)) &&
        !s->is_given_away)
        atomic_store_explicit(&s->queue->runs_computation, computes, memory_order_relaxed);
}

_Static_assert((unsigned)STOP_YIELD == RECORDED_YIELDS && (unsigned)STOP_WAIT == RECORDED_WAITS &&
                   (unsigned)STOP_EXIT == RECORDED_ENDS && (unsigned)STOP_DIRTY == RECORDED_GOES_DIRTY &&
                   (unsigned)STOP_SUSPEND == RECORDED_SUSPENDED,
               "recorded as they are");

static void run(Scheduler *s, Process *p) {
    p->reductions = REDUCTIONS_PER_SLICE;
    trace_scheduled(p, EVENT_IN);
    system_profile_process(p, true);
    p->flags &= ~(uint32_t)FLAG_HIBERNATED; /* where it was has been told */
    bool is_watched = unlikely(system_monitor_is_set());
    const Word *in = is_watched ? process_place(p) : NULL;
    int64_t watched_from = is_watched ? clock_monotonic() : 0;
    int64_t begun = thread_times_begin();
    set_computes(s, (p->flags & FLAG_COMPUTES_ON) != 0);
    assume(p->untold == NULL);
    uint64_t recorded_from = recorder_in(p);
    memory_site_enter(p);
    sampling_begin(p);
    StopReason stop = emu_run(p, s->registers);
    if (unlikely(stop == STOP_WAIT && p->heap.is_grown))
        process_collect_saved(p, COLLECT_REST);
    sampling_end(p, stop == STOP_EXIT);
    memory_site_leave();
    recorder_out(p, recorded_from, (RecordedStop)stop);
    thread_times_worked(begun);
    if (unlikely(is_watched))
        system_monitor_ran(p, in, clock_monotonic() - watched_from);
    if (stop != STOP_EXIT)
        trace_event(p, TRACE_SCHEDULING | TRACE_CALL, EVENT_OUT, NON_VALUE, NON_VALUE);
    else
        trace_event(p, TRACE_CALL, EVENT_RUNS_NO_MORE, NON_VALUE, NON_VALUE);
    int64_t used = REDUCTIONS_PER_SLICE - p->reductions;
    used = (used > 0 ? used : 1) + long_work_end() / LONG_WORK_UNITS_PER_REDUCTION;
    p->reductions_done += (uint64_t)used;
    s->reductions_left -= used;
    if (likely(!s->is_given_away)) {
        count_up(&s->queue->reductions, (uint64_t)used);
        balance_worked(s->balance, p->run_place.priority, (uint64_t)used);
    } else {
        atomic_fetch_add_explicit(&reductions_elsewhere, (uint64_t)used, memory_order_relaxed);
    }
    set_computes(s, false);
    act_on_stop(p, stop);
}

/* What is no process: its signals are part of its slice. */
static void begin_slice_of_body(Process *p) {
    if (likely(p->body == NULL))
        return;
    p->reductions = REDUCTIONS_PER_SLICE;
    if (p->body->slice != NULL)
        p->body->slice(p, true);
}

static void end_slice_of_body(Process *p) {
    if (unlikely(p->body != NULL) && p->body->slice != NULL)
        p->body->slice(p, false);
}

static void run_body(Scheduler *s, Process *p) {
    Priority taken_at = p->run_place.priority;
    ActorNext next = p->body->run(p);
    int64_t used = 1 + long_work_end() / LONG_WORK_UNITS_PER_REDUCTION;
    s->reductions_left -= used;
    if (!s->is_given_away)
        balance_worked(s->balance, taken_at, (uint64_t)used);
    if (next == ACTOR_IS_GONE)
        return;
    end_slice_of_body(p);
    process_leave(p, next == ACTOR_GOES_ON);
}

static void leave_idle(Process *p, uint32_t state) {
    end_slice_of_body(p);
    if (state & STATE_SUSPENDED) {
        request_put_off(p);
        system_profile_process(p, false);
    }
    process_leave(p, (state & STATE_ACTIVE) != 0);
}

static void leave_again(Process *p) {
    end_slice_of_body(p);
    process_leave_to_front(p);
}

/* The dirty threads have it: its signals are all that there is to do. It is not this thread's, not even in between. */
static void look_after(Scheduler *s, Process *p) {
    s->in_slice = true;
    long_work_begin();
    dirty_signals_handle(p);
    s->reductions_left -= 1 + long_work_end() / LONG_WORK_UNITS_PER_REDUCTION;
    s->in_slice = false;
}

/* It stood in the queue for what others had asked of it, and that is done. */
static bool has_done_its_duty(const Process *p, bool was_raised) {
    return unlikely(was_raised) && p->run_place.priority < process_run_priority(p);
}

static void run_slice_as(Scheduler *s, Process *p) {
    if (unlikely(process_is_in_dirty_hands(p))) {
        look_after(s, p);
        return;
    }
    bool was_raised = process_enter(p);
    s->process = p;
    s->in_slice = true;
    long_work_begin();
    atomic_store_explicit(&p->home_queue, s->queue->index, memory_order_relaxed);
    count_up(&s->queue->context_switches, 1);
    race_window("a process is entered, its signals are not handled");
    trace_catch_up(p);
    begin_slice_of_body(p);
    signal_handle(p);
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    if (unlikely(state & STATE_TASKS) && !(state & STATE_EXITING)) {
        p->reductions = REDUCTIONS_PER_SLICE;
        trace_scheduled(p, EVENT_IN_FOR_TASKS);
        system_tasks_run(p);
        state = atomic_load_explicit(&p->state, memory_order_relaxed);
    }
    if (unlikely(state & STATE_EXITING))
        end_by_signal(p);
    else if (unlikely((state & (STATE_ACTIVE | STATE_SUSPENDED)) != STATE_ACTIVE))
        leave_idle(p, state);
    else if (has_done_its_duty(p, was_raised))
        leave_again(p);
    else if (unlikely(p->body != NULL))
        run_body(s, p);
    else
        run(s, p);
    s->process = NULL;
    s->in_slice = false;
}

static _Atomic bool processes_halt;
void schedulers_halt_processes(void) { atomic_store(&processes_halt, true); }

/* A process that is halted is in no queue, and says that it is. */
static void run_slice(Scheduler *s, Process *p) {
    if (unlikely(atomic_load_explicit(&processes_halt, memory_order_relaxed)) && p->body == NULL)
        return;
    Term pid = p->pid;
    alloc_owner = likely(p->body == NULL) ? pid : 0; /* a port is no process */
    sampling_serve();
    run_slice_as(s, p);
    sampling_served(pid);
    alloc_owner = 0;
}

static bool spin_for_work(RunQueue *rq) {
    bool found;
    atomic_store_explicit(&rq->is_looking, true, memory_order_relaxed);
    Spin spin = spin_begin(SPIN_NS_BEFORE_SLEEP);
    do
        found = (spin_looks(&spin) && poller_look()) || run_queue_has_work(rq) || run_queue_others_are_full(rq);
    while (!found && spin_goes_on(&spin));
    atomic_store_explicit(&rq->is_looking, false, memory_order_relaxed);
    return found;
}

/* Asked when earlier calls have been forgotten: what they were for is looked at here. */
static int64_t sleep_until(unsigned index) {
    bool is_called = thread_round_is_waiting() || thread_progress_is_due() || binding_is_due(index);
    return is_called ? 0 : timers_next(index);
}

static bool wait_for_call(SysEvent *event, int64_t until) {
    poller_sleep(event, until, &self->found);
    return true;
}

/* True: called as a thief. */
static bool sleep_offline(RunQueue *rq) {
    system_profile_scheduler(rq->index + 1, false);
    balance_rest(rq->index);
    thread_progress_offline();
    race_window("a scheduler is offline, and forgets who calls it");
    thread_times_sleep();
    bool called = run_queue_sleep(rq, sleep_until, wait_for_call);
    thread_times_wake();
    thread_progress_online();
    system_profile_scheduler(rq->index + 1, true);
    poller_hand_out(&self->found);
    binding_follow(rq->index);
    return called;
}

static void look_for_work(RunQueue *rq) {
    timers_run(rq->index);
    if (run_queue_has_work(rq) || poller_look())
        return;
    bool found = run_queue_steal(rq, false);
    if (!found && !spin_for_work(rq) && sleep_offline(rq))
        found = run_queue_has_work(rq) || run_queue_steal(rq, true);
    if (found)
        run_queue_call_next();
}

/* Nobody has since this scheduler came here last; and one that sleeps is to wait for them. What a look in vain costs
 * differs by much from one machine to the next. */
static void look_at_descriptors(Scheduler *s) {
    int64_t now = clock_monotonic(), wait = NS_BETWEEN_LOOKS;
    if (now < s->next_look)
        return;
    if (s->looks == poller_looks() && poller_is_vacant()) {
        bool found = poller_look();
        (void)run_queue_call_sleeper();
        int64_t begun = now;
        now = clock_monotonic();
        if (!found && LOOK_TIMES * (now - begun) > wait)
            wait = LOOK_TIMES * (now - begun);
    }
    s->looks = poller_looks();
    s->next_look = now + (wait < NS_BETWEEN_LOOKS_MOST ? wait : NS_BETWEEN_LOOKS_MOST);
}

static void look_at_clock(Scheduler *s) {
    if (--s->slices_left > 0 && s->reductions_left > 0)
        return;
    s->slices_left = SLICES_PER_TIMER_LOOK;
    s->reductions_left = REDUCTIONS_PER_SLICE;
    binding_follow(s->queue->index);
    timers_run(s->queue->index);
    look_at_descriptors(s);
    balance_look(s->queue->index);
}

static noinline void run_rounds(void) {
    thread_progress_offline();
    race_window("rounds are waiting");
    thread_round_run();
    thread_progress_online();
}

static bool begin_alone(void) {
    thread_progress_offline();
    thread_times_sleep();
    bool begins = alone_begin_scheduler();
    thread_times_wake();
    thread_progress_online();
    return begins;
}

/* A round of serve while multi-scheduling is blocked. */
static noinline void serve_alone(Scheduler *s) {
    if (!run_queue_has_work(s->queue)) {
        look_for_work(s->queue);
        return;
    }
    if (!begin_alone())
        return;
    Process *p = run_queue_take(s->queue);
    if (p != NULL)
        run_slice(s, p);
    alone_end_scheduler();
}

/* Until the queue has been given away. */
static void serve(Scheduler *s) {
    s->is_given_away = false;
    s->balance = balance_at(s->queue->index);
    run_queue_set_self(s->queue);
    set_computes(s, false); /* who gave it away may have been in the middle of one */
    thread_times_register(THREAD_SCHEDULER, s->queue->index);
    binding_follow(s->queue->index);
    while (likely(!s->is_given_away)) {
        thread_progress_quiescent();
        if (unlikely(thread_round_is_waiting()))
            run_rounds();
        look_at_clock(s);
        race_window("between two slices");
        look_whether_alone();
        if (unlikely(alone_is_on())) {
            serve_alone(s);
            continue;
        }
        Process *p = run_queue_take(s->queue);
        if (likely(p != NULL))
            run_slice(s, p);
        else
            look_for_work(s->queue);
    }
}

static void scheduler_main(void *queue) {
    thread_kind = THREAD_SCHEDULER;
    Scheduler s = {.queue = queue, .registers = mem_calloc(ALLOC_SCHEDULER, sizeof(EmuRegisters))};
    self = &s;
    long_work_here.leave_soon = leave_soon;
    long_work_here.give_away = give_away;
    long_work_here.stand_back = stand_back;
    sampling_join();
    thread_progress_register();
    thread_round_join();
    for (;;) {
        serve(&s);
        atomic_fetch_sub_explicit(&threads_away, 1, memory_order_release);
        thread_progress_offline();
        while ((s.queue = spare_thread_wait()) == NULL)
            thread_round_run();
        thread_progress_online();
    }
}

static void call_first(void) { run_queue_call(run_queue_at(0)); }

static void call_all(void) {
    for (unsigned i = 0; i < options.schedulers; i++)
        run_queue_call(run_queue_at(i));
    spare_threads_call();
}

void schedulers_start(void) {
    static Thread thread; /* nobody joins them */
    thread_progress_call_host = call_first;
    thread_round_call = call_all;
    poll_thread_start();
    os_signals_start();
    thread_times_init(THREAD_SCHEDULER, options.schedulers);
    for (unsigned i = 0; i < options.schedulers; i++)
        thread_start(&thread, "scheduler", 0, scheduler_main, run_queue_at(i));
    dirty_start(options.dirty_cpu, options.dirty_io);
}

_Noreturn void schedulers_wait(void) {
    for (;;)
        pause();
}
