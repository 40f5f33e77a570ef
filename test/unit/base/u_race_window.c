/* Marks: passes are counted, rare ones hold up often and common ones rarely, each thread has numbers of its own. */
#include "base/race_window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#define PASSES 40000
#define THREADS 4

static void pass(RaceMark *mark, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        race_window_pass(mark);
}

static void passes_are_counted(void **state) {
    RaceMark mark = RACE_MARK_MAKE("counted", true);
    assert_int_equal(race_window_passes(&mark), 0);
    for (unsigned i = 1; i <= 1000; i++) {
        race_window_pass(&mark);
        assert_int_equal(race_window_passes(&mark), i);
    }
}

/* At first every second pass or so; after many passes one in the rate, or the chosen marks' share of it. */
static void rare_marks_hold_up_often(void **state) {
    RaceMark mark = RACE_MARK_MAKE("rare", true);
    pass(&mark, 40);
    uint64_t at_first = atomic_load(&mark.held);
    assert_true(at_first >= 4);
    pass(&mark, PASSES);
    uint64_t then = atomic_load(&mark.held) - at_first;
    assert_true(then >= PASSES / 2000 && then < PASSES / 20);
}

/* Those on operations hold up less. */
static void operations_hold_up_less(void **state) {
    RaceMark by_hand = RACE_MARK_MAKE("by hand", true), operation = RACE_MARK_MAKE("operation", false);
    operation.line = by_hand.line;
    pass(&by_hand, PASSES);
    pass(&operation, PASSES);
    assert_true(atomic_load(&operation.held) > 0);
    assert_true(atomic_load(&operation.held) < atomic_load(&by_hand.held));
}

static void errno_is_kept(void **state) {
    RaceMark mark = RACE_MARK_MAKE("errno", true);
    errno = ENOTTY;
    pass(&mark, 100);
    assert_int_equal(errno, ENOTTY);
}

static RaceMark shared = RACE_MARK_MAKE("shared", true);

static void *pass_shared(void *data) {
    pass(&shared, PASSES);
    return NULL;
}

/* Counts are without order: some passes may be lost, but no pass may be without end or count for many. */
static void threads_share_a_mark(void **state) {
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, pass_shared, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_true(race_window_passes(&shared) > PASSES / 2);
    assert_true(race_window_passes(&shared) < 2 * THREADS * PASSES);
}

static void a_report_names_the_marks(void **state) {
    char name[] = "/tmp/u_race_window_XXXXXX", line[512];
    int fd = mkstemp(name);
    setenv("VIV_DELAY_REPORT", name, 1);
    race_window("in the report");
    race_window_report();
    FILE *file = fdopen(fd, "r");
    bool found = false;
    while (fgets(line, sizeof line, file) != NULL)
        found |= strstr(line, "u_race_window.c") != NULL && strstr(line, "in the report (by hand)") != NULL;
    fclose(file);
    remove(name);
#ifdef VIV_DELAY
    assert_true(found);
#else
    assert_false(found); /* a mark is nothing there */
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_counted),      cmocka_unit_test(rare_marks_hold_up_often),
        cmocka_unit_test(operations_hold_up_less), cmocka_unit_test(errno_is_kept),
        cmocka_unit_test(threads_share_a_mark),    cmocka_unit_test(a_report_names_the_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
