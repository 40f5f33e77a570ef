/*
 * Which processors threads may run on: the calling thread may be bound to one of them, and let go again.
 *
 * Only who binds himself is bound. A thread begins with the set of the one that starts it: so who starts one says that
 * it is to begin with the program's set (affinity_for_child), for all that are started here. The program's set is that
 * of its first thread, which is never bound; who changes it from outside (taskset -p) is heeded the next time that
 * somebody asks. Without locks. Source: sched_setaffinity(2), pthread_attr_setaffinity_np(3).
 */
#ifndef VIV_SYS_AFFINITY_H
#define VIV_SYS_AFFINITY_H

#include "base/defs.h"

#include <pthread.h>

#define PROCESSORS_MAX 8192 /* as many as the kernel can be built for */

/* Numbers of processors, as the system counts them. */
typedef struct {
    unsigned long words[PROCESSORS_MAX / (8 * sizeof(unsigned long))];
} ProcessorSet;

/* Those that this program may use. False: the system does not say, and the set is empty. */
bool affinity_of_program(ProcessorSet *set);
bool processor_set_has(const ProcessorSet *set, int32_t processor);
unsigned processor_set_count(const ProcessorSet *set);

/* The calling thread: 0, or an error number, and it is bound as before. */
must_check int affinity_bind(int32_t processor);
must_check int affinity_unbind(void);
/* Of a thread that the calling one is about to start. */
void affinity_for_child(pthread_attr_t *attributes);

#endif
