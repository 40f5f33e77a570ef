/* Every n-th fails, of its kind alone, whichever thread asks; in builds without faults none does. */
#include "base/fault.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#define THREADS 4
#define ROUNDS 3000

static _Atomic unsigned failed;

static void *ask(void *data) {
    for (unsigned i = 0; i < ROUNDS; i++)
        atomic_fetch_add(&failed, fault_now(FAULT_ALLOC));
    return NULL;
}

static void every_third_fails(void **state) {
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, ask, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
#ifdef VIV_DEBUG
    assert_int_equal(atomic_load(&failed), THREADS * ROUNDS / 3);
    assert_true(fault_now(FAULT_MMAP));
#else
    assert_int_equal(atomic_load(&failed), 0);
    assert_false(fault_now(FAULT_MMAP));
#endif
    assert_false(fault_now(FAULT_THREAD));
}

int main(void) {
    setenv("VIV_FAIL_ALLOC", "3", 1);
    setenv("VIV_FAIL_MMAP", "1", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_third_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
