/*
 * Spare threads when the system gives none: nobody takes over, and however often that happened there are as many as
 * ever when it gives some again. Several ask at once.
 */
#include "sched/spare.h"

#include <errno.h>
#include <sched.h>

#include "unit.h"

#define ASKERS 4
#define TIMES (2 * SPARE_THREADS_MAX)

static _Atomic bool fails;
static _Atomic unsigned taken_over, served;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data) {
    return atomic_load(&fails) ? EAGAIN : __real_pthread_create(thread, attributes, run, data);
}

static void serve(void *rq) {
    pthread_detach(pthread_self());
    atomic_fetch_add(&served, 1);
}

static void *ask(void *rq) {
    for (int i = 0; i < TIMES; i++)
        if (spare_thread_take_over(rq, serve))
            atomic_fetch_add(&taken_over, 1);
    return NULL;
}

static void all_ask(void) {
    pthread_t threads[ASKERS];
    atomic_store(&taken_over, 0);
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(__real_pthread_create(&threads[i], NULL, ask, run_queue_at(0)), 0);
    for (int i = 0; i < ASKERS; i++)
        pthread_join(threads[i], NULL);
}

static void who_gets_no_thread_asks_again(void **state) {
    atomic_store(&fails, true);
    all_ask();
    assert_int_equal(atomic_load(&taken_over), 0);
    Thread thread;
    assert_int_equal(thread_try_start(&thread, "none", 0, serve, NULL), EAGAIN);
    atomic_store(&fails, false);
    all_ask();
    assert_int_equal(atomic_load(&taken_over), SPARE_THREADS_MAX);
    while (atomic_load(&served) < SPARE_THREADS_MAX)
        sched_yield();
}

int main(void) {
    run_queues_init(1);
    const struct CMUnitTest tests[] = {unit(who_gets_no_thread_asks_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
