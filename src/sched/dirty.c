#include "sched/dirty.h"

#include "alloc/alloc.h"
#include "emu/emu.h"
#include "process/exit.h"
#include "process/run_queue.h"
#include "process/signal.h"

static bool may_run(Process *p) {
    thread_progress_enter();
    signal_handle(p);
    thread_progress_leave();
    uint32_t state = atomic_load(&p->state);
    return !(state & (STATE_EXITING | STATE_SUSPENDED | STATE_TASKS));
}

/* Back to the schedulers, whatever happened: if the call was not made, they come to it again. */
static void give_back(Process *p) {
    atomic_fetch_and(&p->state, ~(uint32_t)(STATE_DIRTY_CPU | STATE_DIRTY_IO));
    thread_progress_enter();
    process_leave(p, true);
    thread_progress_leave();
}

static void run(Process *p, EmuRegisters *registers) {
    process_enter(p);
    if (may_run(p)) {
        p->reductions = REDUCTIONS_PER_SLICE;
        if (emu_run_dirty(p, registers) == STOP_EXIT)
            atomic_fetch_or(&p->state, STATE_EXITING);
        p->reductions_done += 1;
    }
    give_back(p);
}

static void dirty_main(bool io) {
    EmuRegisters *registers = mem_calloc(ALLOC_SCHEDULER, sizeof *registers);
    thread_progress_register();
    thread_progress_offline();
    for (;;)
        run(dirty_queue_take(io), registers);
}

static void cpu_main(void *data) { dirty_main(false); }
static void io_main(void *data) { dirty_main(true); }

void dirty_start(unsigned cpu_threads, unsigned io_threads) {
    static Thread thread;
    for (unsigned i = 0; i < cpu_threads; i++)
        thread_start(&thread, "dirty_cpu", 0, cpu_main, NULL);
    for (unsigned i = 0; i < io_threads; i++)
        thread_start(&thread, "dirty_io", 0, io_main, NULL);
}
