/* Processes for units: in the table, and run by nobody but the unit's own threads. */
#ifndef VIV_TEST_UNIT_PROCESS_H
#define VIV_TEST_UNIT_PROCESS_H

#include "process/life.h"
#include "process/process_table.h"
#include "process/run_queue.h"
#include "process/signal_handle.h"
#include "term/atom.h"
#include "term/node.h"

#define UNIT_PROCESS_WORDS 12 /* of its first heap */

/* What processes need beside themselves; the calling thread takes part in thread progress. */
static inline void unit_processes_init(void) {
    atom_table_init(10000);
    node_table_init();
    run_queues_init(1);
    process_table_init(PROCESS_LIMIT_MIN);
    thread_progress_register();
}

/* With these flags of its state, beside those of a new one. STATE_RUNNING: by the calling thread; nobody queues it. */
static inline Process *unit_process(uint32_t state) {
    Process *p = process_create(UNIT_PROCESS_WORDS, HEAP_DEFAULT_VIRTUAL_WORDS, 65535);
    p->pid = process_table_reserve();
    atomic_fetch_or(&p->state, state);
    process_table_publish(p);
    return p;
}

/* What was sent to it goes with it. Nobody else looks at it any more. */
static inline void unit_process_end(Process *p) {
    thread_progress_enter();
    process_table_remove(p);
    signal_close(p);
    thread_progress_leave();
    process_free(p);
}

#endif
