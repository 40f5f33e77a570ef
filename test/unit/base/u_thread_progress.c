/* Readers that look at shared cells while a writer replaces and frees them: nothing is read after its callback ran, and
 * every callback runs soon, whatever else is handed in. */
#include "base/thread_progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>

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
    assert_false(thread_progress_is_due());
    assert_int_equal(atomic_load(&freed), 2 * ROUNDS);
}

static void the_last_to_go_offline_runs_what_is_left(void **state) {
    int before = atomic_load(&freed);
    thread_progress_register();
    Cell *cell = cell_create(1);
    cell->node.run = cell_free;
    thread_progress_later(&cell->node);
    assert_int_equal(atomic_load(&freed), before);
    assert_false(thread_progress_is_due());
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
    assert_true(thread_progress_is_due());
    thread_progress_register();
    thread_progress_offline();
    assert_int_equal(atomic_load(&freed), before + 2);
    thread_progress_unregister();
    thread_progress_call_host = NULL;
}

static void later(void) {
    Cell *cell = cell_create(1);
    cell->node.run = cell_free;
    thread_progress_later(&cell->node);
}

static sem_t told, said;

static void *hand_in_one(void *unused) {
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    later();
    thread_progress_unregister();
    return NULL;
}

/* The host is awake, and had nothing to do: one quiescent point is enough. */
static void a_host_that_is_idle_sees_what_guests_left(void **state) {
    pthread_t thread;
    thread_progress_call_host = count_call;
    thread_progress_register();
    thread_progress_quiescent();
    thread_progress_quiescent();
    int before = atomic_load(&freed);
    pthread_create(&thread, NULL, hand_in_one, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&freed), before);
    thread_progress_quiescent();
    assert_int_equal(atomic_load(&freed), before + 1);
    thread_progress_unregister();
    thread_progress_call_host = NULL;
}

/* Passes a quiescent point each time that it is told. */
static void *obedient(void *turn) {
    thread_progress_register();
    sem_post(&said);
    for (;;) {
        sem_wait(turn);
        if (atomic_load(&stop))
            break;
        thread_progress_quiescent();
        sem_post(&said);
    }
    thread_progress_unregister();
    return NULL;
}

/* Two threads that pass in turns, and something new before each: the first that was handed in runs nevertheless. */
static void what_waits_does_not_wait_for_what_comes_later(void **state) {
    pthread_t threads[2];
    sem_t turns[2];
    atomic_store(&stop, false);
    sem_init(&said, 0, 0);
    for (int i = 0; i < 2; i++) {
        sem_init(&turns[i], 0, 0);
        pthread_create(&threads[i], NULL, obedient, &turns[i]);
        sem_wait(&said);
    }
    int before = atomic_load(&freed), handed_in = 0;
    for (; handed_in < 8; handed_in++) {
        later();
        sem_post(&turns[handed_in % 2]);
        sem_wait(&said);
    }
    int done = atomic_load(&freed) - before;
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) {
        sem_post(&turns[i]);
        pthread_join(threads[i], NULL);
    }
    assert_true(done >= handed_in - 4);
    assert_int_equal(atomic_load(&freed), before + handed_in);
}

/* One obedient thread, which is there when this returns; and its end. */
static pthread_t obedient_begin(sem_t *turn) {
    pthread_t thread;
    atomic_store(&stop, false);
    sem_init(&said, 0, 0);
    sem_init(turn, 0, 0);
    pthread_create(&thread, NULL, obedient, turn);
    sem_wait(&said);
    return thread;
}

static void obedient_end(pthread_t thread, sem_t *turn) {
    atomic_store(&stop, true);
    sem_post(turn);
    pthread_join(thread, NULL);
}

/* The same beside a thread that sleeps and wakes, and leaves something behind each time. */
static void what_was_left_behind_does_not_wait_for_more(void **state) {
    sem_t turn;
    pthread_t thread = obedient_begin(&turn);
    thread_progress_register();
    int before = atomic_load(&freed), rounds = 0;
    for (; rounds < 16; rounds++) {
        later();
        thread_progress_quiescent();
        thread_progress_offline();
        if (rounds % 2 == 0) {
            sem_post(&turn);
            sem_wait(&said);
        }
        thread_progress_online();
    }
    int done = atomic_load(&freed) - before;
    obedient_end(thread, &turn);
    thread_progress_unregister();
    assert_true(done >= rounds - 6);
    assert_int_equal(atomic_load(&freed), before + rounds);
}

static ProgressNode piece;
static int pieces;

static void next_piece(ProgressNode *node) {
    if (++pieces < 5)
        thread_progress_soon(node);
}

/* One at each quiescent point, though another thread passes none; the others when nobody is online any more. */
static void pieces_of_work_wait_for_nobody(void **state) {
    sem_t turn;
    pthread_t thread = obedient_begin(&turn);
    thread_progress_register();
    piece.run = next_piece;
    thread_progress_soon(&piece);
    for (int done = 0; done < 3; done++) {
        assert_int_equal(pieces, done);
        thread_progress_quiescent();
    }
    assert_int_equal(pieces, 3);
    thread_progress_unregister();
    assert_int_equal(pieces, 3);
    obedient_end(thread, &turn);
    assert_int_equal(pieces, 5);
}

#define CROWD 300

static void *one_of_many(void *data) {
    thread_progress_register();
    thread_progress_offline();
    sem_post(&said);
    sem_wait(&told);
    for (int i = 0; i < 20; i++) {
        thread_progress_enter();
        Cell *cell = atomic_load_explicit(&cells[i % CELLS], memory_order_acquire);
        assert_true(cell->value >= 0);
        Cell *old = atomic_exchange(&cells[(i + 1) % CELLS], cell_create(i));
        old->node.run = cell_free;
        thread_progress_later(&old->node);
        thread_progress_leave();
    }
    thread_progress_unregister();
    return NULL;
}

static void there_may_be_many_threads(void **state) {
    static pthread_t threads[CROWD];
    int before = atomic_load(&freed);
    sem_init(&told, 0, 0);
    sem_init(&said, 0, 0);
    for (int i = 0; i < CROWD; i++)
        pthread_create(&threads[i], NULL, one_of_many, NULL);
    for (int i = 0; i < CROWD; i++)
        sem_wait(&said);
    for (int i = 0; i < CROWD; i++)
        sem_post(&told);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    assert_false(thread_progress_is_due());
    assert_int_equal(atomic_load(&freed), before + CROWD * 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_read_after_it_was_freed),
        cmocka_unit_test(the_last_to_go_offline_runs_what_is_left),
        cmocka_unit_test(guests_leave_it_to_a_host),
        cmocka_unit_test(a_host_that_is_idle_sees_what_guests_left),
        cmocka_unit_test(what_waits_does_not_wait_for_what_comes_later),
        cmocka_unit_test(what_was_left_behind_does_not_wait_for_more),
        cmocka_unit_test(pieces_of_work_wait_for_nobody),
        cmocka_unit_test(there_may_be_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
