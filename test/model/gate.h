/*
 * The sources of a process in the hands of the dirty threads (process/dirty_gate.h), unchanged, and what they call of
 * parts that models leave out.
 */
#ifndef VIV_TEST_MODEL_GATE_H
#define VIV_TEST_MODEL_GATE_H

#include "sys/event.c"
#include "sys/thread.c"

#include "process/dirty_gate.c"
#undef SPINS
#define is_looked_at gate_is_looked_at
#define spin gate_spin
#include "process/dirty_signals.c"
#include "process/run_queue.c"
#include "process/signal.c"
#include "process/signal_handle.c"

/* Names that run_queue.c has as well. */
#define DirtyQueue OneDirtyQueue
#define queues dirty_queues
#define take_locked dirty_take_locked
#include "process/dirty_queue.c"
#undef queues
#undef take_locked

#include "left_out.h"
#include "model.h"

/* Of parts that the model leaves out. */
void thread_progress_enter(void) {}
void thread_progress_leave(void) {}
void refc_binary_hold(void) {}
RefcBinary *refc_binary_let_go(void) { return NULL; }
void refc_binary_destroy_held(RefcBinary *first) {}

#endif
