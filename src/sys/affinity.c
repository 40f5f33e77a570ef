#include "sys/affinity.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static __thread bool is_bound; /* the calling thread */

static cpu_set_t *raw(ProcessorSet *set) { return (cpu_set_t *)set->words; }
static const cpu_set_t *raw_const(const ProcessorSet *set) { return (const cpu_set_t *)set->words; }

bool affinity_of_program(ProcessorSet *set) {
    memset(set, 0, sizeof *set);
    return sched_getaffinity(getpid(), sizeof *set, raw(set)) == 0;
}

bool processor_set_has(const ProcessorSet *set, int32_t processor) {
    return processor >= 0 && processor < PROCESSORS_MAX && CPU_ISSET_S((size_t)processor, sizeof *set, raw_const(set));
}

unsigned processor_set_count(const ProcessorSet *set) { return (unsigned)CPU_COUNT_S(sizeof *set, raw_const(set)); }

static int set_own(const ProcessorSet *set) {
    return sched_setaffinity(0, sizeof *set, raw_const(set)) == 0 ? 0 : errno;
}

int affinity_bind(int32_t processor) {
    ProcessorSet one = {{0}};
    if (processor < 0 || processor >= PROCESSORS_MAX)
        return EINVAL;
    CPU_SET_S((size_t)processor, sizeof one, raw(&one));
    int error = set_own(&one);
    is_bound |= error == 0;
    return error;
}

int affinity_unbind(void) {
    ProcessorSet all;
    int error = !is_bound ? 0 : affinity_of_program(&all) ? set_own(&all) : errno;
    is_bound &= error != 0;
    return error;
}

void affinity_for_child(pthread_attr_t *attributes) {
    ProcessorSet all;
    if (is_bound && affinity_of_program(&all))
        (void)pthread_attr_setaffinity_np(attributes, sizeof all, raw(&all));
}
