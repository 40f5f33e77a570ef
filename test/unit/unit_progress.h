/* For units that wait for thread progress on a thread of their own. */
#ifndef VIV_TEST_UNIT_PROGRESS_H
#define VIV_TEST_UNIT_PROGRESS_H

#include <sched.h>

#include "base/thread_progress.h"

static inline void unit_mark(ProgressNode *node) { __atomic_store_n(&node->run, NULL, __ATOMIC_RELEASE); }

/* By a thread that is online, which passes quiescent points meanwhile. */
static inline void unit_wait_for_progress(void) {
    ProgressNode node = {.run = unit_mark};
    thread_progress_later(&node);
    while (__atomic_load_n(&node.run, __ATOMIC_ACQUIRE) != NULL) {
        sched_yield();
        thread_progress_quiescent();
    }
}

#endif
