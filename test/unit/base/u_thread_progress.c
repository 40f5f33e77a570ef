/* Readers that look at shared cells while a writer replaces and frees them: nothing is read after its callback ran. */
#include "base/thread_progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#define CELLS 8
#define ROUNDS 20000

typedef struct {
    ProgressNode node;
    int value;
} Cell;

static _Atomic(Cell *) cells[CELLS];
static _Atomic int freed;
static _Atomic bool stop;

static void cell_free(ProgressNode *node) {
    Cell *cell = container_of(node, Cell, node);
    cell->value = -1;
    free(cell);
    atomic_fetch_add(&freed, 1);
}

static Cell *cell_create(int value) {
    Cell *cell = malloc(sizeof *cell);
    cell->value = value;
    return cell;
}

static void *managed(void *data) {
    thread_progress_register();
    unsigned n = 0;
    while (!atomic_load(&stop)) {
        Cell *cell = atomic_load_explicit(&cells[n++ % CELLS], memory_order_acquire);
        assert_true(cell->value >= 0);
        thread_progress_quiescent();
        if (n % 512 == 0) {
            thread_progress_offline();
            thread_progress_online();
        }
    }
    thread_progress_unregister();
    return NULL;
}

static void *visitor(void *data) {
    thread_progress_register();
    thread_progress_offline();
    for (unsigned n = 0; !atomic_load(&stop); n++) {
        thread_progress_enter();
        thread_progress_enter();
        Cell *cell = atomic_load_explicit(&cells[n % CELLS], memory_order_acquire);
        thread_progress_leave();
        assert_true(cell->value >= 0);
        thread_progress_leave();
    }
    thread_progress_unregister();
    return NULL;
}

static void *writer(void *data) {
    bool is_managed = data != NULL;
    if (is_managed)
        thread_progress_register();
    for (int i = 0; i < ROUNDS; i++) {
        Cell *old = atomic_exchange(&cells[i % CELLS], cell_create(i));
        old->node.run = cell_free;
        thread_progress_later(&old->node);
        if (is_managed)
            thread_progress_quiescent();
    }
    if (is_managed)
        thread_progress_unregister();
    return NULL;
}

static void nothing_is_read_after_it_was_freed(void **state) {
    pthread_t threads[5];
    for (int i = 0; i < CELLS; i++)
        atomic_store(&cells[i], cell_create(i));
    pthread_create(&threads[0], NULL, managed, NULL);
    pthread_create(&threads[1], NULL, managed, NULL);
    pthread_create(&threads[2], NULL, visitor, NULL);
    pthread_create(&threads[3], NULL, writer, NULL);
    pthread_create(&threads[4], NULL, writer, &stop);
    pthread_join(threads[3], NULL);
    pthread_join(threads[4], NULL);
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_false(thread_progress_is_pending());
    assert_int_equal(atomic_load(&freed), 2 * ROUNDS);
}

static void the_last_to_go_offline_runs_what_is_left(void **state) {
    int before = atomic_load(&freed);
    thread_progress_register();
    Cell *cell = cell_create(1);
    cell->node.run = cell_free;
    thread_progress_later(&cell->node);
    assert_int_equal(atomic_load(&freed), before);
    assert_true(thread_progress_is_pending());
    thread_progress_offline();
    assert_int_equal(atomic_load(&freed), before + 1);
    assert_false(thread_progress_may_read());
    thread_progress_unregister();
}

static _Atomic int calls;
static void count_call(void) { atomic_fetch_add(&calls, 1); }

/* Hands in a callback, once as an unregistered thread and once as a guest, the last of all to go offline. */
static void *guest(void *data) {
    int before = atomic_load(&freed);
    for (int i = 0; i < 2; i++) {
        Cell *cell = cell_create(i);
        cell->node.run = cell_free;
        if (i == 1) {
            thread_progress_be_guest();
            thread_progress_register();
        }
        thread_progress_later(&cell->node);
        if (i == 1)
            thread_progress_unregister();
        assert_int_equal(atomic_load(&calls), i + 1);
        assert_int_equal(atomic_load(&freed), before);
    }
    return NULL;
}

static void guests_leave_it_to_a_host(void **state) {
    int before = atomic_load(&freed);
    thread_progress_call_host = count_call;
    pthread_t thread;
    pthread_create(&thread, NULL, guest, NULL);
    pthread_join(thread, NULL);
    assert_true(thread_progress_is_pending());
    thread_progress_register();
    thread_progress_offline();
    assert_int_equal(atomic_load(&freed), before + 2);
    thread_progress_unregister();
    thread_progress_call_host = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_read_after_it_was_freed),
        cmocka_unit_test(the_last_to_go_offline_runs_what_is_left),
        cmocka_unit_test(guests_leave_it_to_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
