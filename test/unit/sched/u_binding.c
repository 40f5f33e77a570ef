/*
 * Binding while schedulers change hands: threads serve them in turn, as when they are given away, others set types,
 * topologies and how many are active; at the end each scheduler is bound to what is wanted, and who serves none is
 * unbound, whoever started him. For ThreadSanitizer.
 */
#include "sched/binding.h"

#include <sched.h>

#include "alloc/alloc.h"
#include "process/run_queue.h"
#include "sched/topology.h"
#include "sys/affinity.h"
#include "unit.h"

#define SCHEDULERS 4
#define THREADS 6
#define ROUNDS 4000

static _Atomic int served[SCHEDULERS]; /* by one thread at a time, as a queue */
static _Atomic bool is_over;

static int own_processor(void) {
    ProcessorSet set;
    assert_int_equal(sched_getaffinity(0, sizeof set, (cpu_set_t *)set.words), 0);
    if (processor_set_count(&set) > 1)
        return BOUND_TO_NONE;
    int32_t at = 0;
    while (!processor_set_has(&set, at))
        at++;
    return at;
}

static int first_usable(void) {
    ProcessorSet set;
    assert_true(affinity_of_program(&set));
    int32_t at = 0;
    while (!processor_set_has(&set, at))
        at++;
    return at;
}

/* The only processor that the program may use is as good as none. */
static bool has_several(void) { return thread_cpu_count() > 1; }

static void define(int32_t processor) {
    CpuPlace *places = mem_alloc(ALLOC_MISC, sizeof *places);
    places[0] = (CpuPlace){.node = -1, .processor_node = -1, .logical = processor};
    Topology old = topology_define((Topology){places, 1});
    topology_release(&old);
    binding_renew();
}

static bool take(unsigned scheduler) {
    int nobody = 0;
    return atomic_compare_exchange_strong(&served[scheduler], &nobody, 1);
}

static void *serve(void *at) {
    for (unsigned i = (unsigned)(uintptr_t)at; !atomic_load(&is_over); i++) {
        unsigned scheduler = i % SCHEDULERS;
        if (!take(scheduler))
            continue;
        for (int slice = 0; slice < 5; slice++)
            binding_follow(scheduler);
        assert_false(binding_of(scheduler) != BOUND_TO_NONE && own_processor() != binding_of(scheduler) &&
                     has_several());
        binding_leave();
        atomic_store(&served[scheduler], 0);
        assert_true(!has_several() || own_processor() == BOUND_TO_NONE);
    }
    return NULL;
}

static void schedulers_change_hands(void **state) {
    pthread_t threads[THREADS];
    BindType old;
    define(first_usable());
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, serve, (void *)i), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_true(binding_set_type((BindType)(i % BIND_TYPE_COUNT), &old));
        binding_set_active(1 + i % SCHEDULERS);
        if (i % 16 == 0)
            define(i % 32 == 0 ? first_usable() : CPU_NUMBER_MAX);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    define(first_usable());
    assert_true(binding_set_type(BIND_SPREAD, &old));
    binding_set_active(SCHEDULERS);
    for (unsigned i = 0; i < SCHEDULERS; i++) {
        assert_true(binding_is_due(i));
        binding_follow(i);
        assert_int_equal(binding_of(i), i == 0 ? first_usable() : BOUND_TO_NONE);
        binding_leave();
    }
}

static int processor_of_child;
static void look(void *unused) { processor_of_child = own_processor(); }

static void a_thread_of_a_bound_one_is_free(void **state) {
    Thread thread;
    define(first_usable());
    BindType old;
    assert_true(binding_set_type(BIND_DEFAULT, &old));
    binding_set_active(SCHEDULERS);
    binding_follow(0);
    assert_int_equal(own_processor(), first_usable());
    assert_int_equal(thread_try_start(&thread, "child", 0, look, NULL), 0);
    thread_join(&thread);
    binding_leave();
    assert_true(!has_several() || processor_of_child == BOUND_TO_NONE);
    assert_true(!has_several() || own_processor() == BOUND_TO_NONE);
}

static void without_a_topology_there_is_no_type(void **state) {
    BindType old = BIND_SPREAD;
    topology_skip_detection();
    assert_false(binding_set_type(BIND_UNBOUND, &old));
    assert_int_equal(binding_type(), BIND_UNBOUND);
    binding_renew();
    binding_set_active(1);
    assert_false(binding_is_due(0));
}

int main(void) {
    run_queues_init(SCHEDULERS);
    binding_init(SCHEDULERS);
    const struct CMUnitTest tests[] = {unit(without_a_topology_there_is_no_type), unit(schedulers_change_hands),
                                       unit(a_thread_of_a_bound_one_is_free)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
