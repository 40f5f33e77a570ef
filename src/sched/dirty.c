#include "sched/dirty.h"

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "emu/emu.h"
#include "process/dirty_end.h"
#include "process/dirty_gate.h"
#include "process/dirty_queue.h"
#include "process/exit.h"
#include "process/process_table.h"
#include "process/recorder.h"
#include "process/request.h"
#include "process/sampling.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "process/suspend.h"
#include "process/thread_times.h"
#include "process/trace_point.h"
#include "replace/literal_release.h"
#include "sched/alone.h"

static bool may_run(Process *p) {
    thread_progress_enter();
    signal_handle(p);
    if (atomic_load(&p->state) & STATE_SUSPENDED)
        request_put_off(p);
    thread_progress_leave();
    return !process_is_wanted_elsewhere(p);
}

static void leave_literals(Process *p) {
    thread_progress_enter();
    literal_holder_leaves(p);
    thread_progress_leave();
}

/* Back to the schedulers, whatever happened: if the call was not made, they come to it again. */
static void give_back(Process *p, bool waits) {
    thread_progress_enter();
    suspend_answer(p);
    process_give_back(p, !waits);
    thread_progress_leave();
}

/* To who traces when processes run a dirty thread is a scheduler as any other. */
static void tell_out(Process *p, StopReason stop, uint64_t recorded_from) {
    if (unlikely(dirty_end_has_left(p)))
        return; /* its trace settings as well */
    recorder_out(p, recorded_from, (RecordedStop)stop);
    if (stop != STOP_EXIT)
        trace_event(p, TRACE_SCHEDULING | TRACE_CALL, EVENT_OUT, NON_VALUE, NON_VALUE);
    else
        trace_event(p, TRACE_CALL, EVENT_RUNS_NO_MORE, NON_VALUE, NON_VALUE);
}

static StopReason make_call(Process *p, EmuRegisters *registers) {
    p->reductions = REDUCTIONS_PER_SLICE;
    trace_scheduled(p, EVENT_IN);
    int64_t begun = thread_times_begin();
    long_work_begin();
    sampling_begin(p);
    uint64_t recorded_from = recorder_in(p);
    StopReason stop = emu_run_dirty(p, registers);
    sampling_end(p, stop == STOP_EXIT || unlikely(dirty_end_has_left(p)));
    thread_times_worked(begun);
    tell_out(p, stop, recorded_from);
    if (stop == STOP_EXIT)
        process_table_end(p, STATE_EXITING);
    p->reductions_done += 1 + (uint64_t)(long_work_end() / LONG_WORK_UNITS_PER_REDUCTION);
    return stop;
}

static void run(Process *p, bool io, EmuRegisters *registers) {
    StopReason stop = STOP_YIELD;
    dirty_gate_shut(p);
    race_window("a dirty thread owns a process, and has not looked at it");
    if (may_run(p))
        stop = make_call(p, registers);
    race_window("a dirty call is over, its process not given back");
    if (unlikely(p->flags & FLAG_HOLDS_LITERALS))
        leave_literals(p);
    bool has_left = dirty_end_has_left(p);
    if (unlikely(has_left))
        dirty_end_release(p);
    dirty_queue_comes_back(io);
    if (likely(!has_left))
        give_back(p, stop == STOP_WAIT);
}

/* *alone: the thread has the turn, which it gives back. */
static Process *next_one(bool io, unsigned number, bool *alone) {
    thread_times_sleep();
    Process *p = dirty_queue_take(io, number);
    *alone = alone_begin_dirty();
    thread_times_wake();
    return p;
}

static void dirty_main(bool io, unsigned number) {
    thread_kind = io ? THREAD_DIRTY_IO : THREAD_DIRTY_CPU;
    EmuRegisters *registers = NULL; /* most of these threads are never asked */
    sampling_join();
    thread_times_register(io ? THREAD_DIRTY_IO : THREAD_DIRTY_CPU, number);
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    dirty_queue_comes_back(io);
    for (bool alone;;) {
        Process *p = next_one(io, number, &alone);
        if (unlikely(registers == NULL))
            registers = mem_calloc(ALLOC_SCHEDULER, sizeof *registers);
        alloc_owner = p->pid;
        run(p, io, registers);
        alloc_owner = 0;
        if (unlikely(alone))
            alone_end_dirty();
    }
}

/* Their number is the address itself. */
static void cpu_main(void *data) { dirty_main(false, (unsigned)(uintptr_t)data); }
static void io_main(void *data) { dirty_main(true, (unsigned)(uintptr_t)data); }

void dirty_start(unsigned cpu_threads, unsigned io_threads) {
    static Thread thread;
    thread_times_init(THREAD_DIRTY_CPU, cpu_threads);
    thread_times_init(THREAD_DIRTY_IO, io_threads);
    for (uintptr_t i = 0; i < cpu_threads; i++)
        thread_start(&thread, "dirty_cpu", 0, cpu_main, (void *)i);
    for (uintptr_t i = 0; i < io_threads; i++)
        thread_start(&thread, "dirty_io", 0, io_main, (void *)i);
}
