/*
 * Export and fun entries under threads: whoever asks for the same one gets the same one, while the tables grow, and
 * those who look without a lock find what is there or nothing. Where an entry leads can be seen at any time.
 */
#include "code/export.h"

#include <stdatomic.h>
#include <stdio.h>

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "code/breakpoint.h"
#include "term/fun.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_progress.h"

#define THREADS 4
#define ENTRIES 20000 /* more than the tables have room for at first */
#define ROUNDS 1000

static Term functions[ENTRIES / 4];
static Export *exports[THREADS][ENTRIES];
static FunEntry *funs[THREADS][ENTRIES];

static Export *put(unsigned i) { return export_put(am_erlang, functions[i / 4], i % 4); }

static FunEntry *put_fun(unsigned i) {
    static const uint8_t uniq[16] = "1234567890abcdef";
    return fun_entry_put(am_erlang, i, i % 7, uniq, i % 5, i % 3);
}

static void work(void *data) {
    unsigned me = (unsigned)(uintptr_t)data;
    thread_progress_register();
    for (unsigned n = 0; n < ENTRIES; n++) {
        unsigned i = (n * 7919 + me * 1009) % ENTRIES; /* each in another order */
        const Export *seen = export_find(am_erlang, functions[i / 4], i % 4);
        exports[me][i] = put(i);
        assert_true(seen == NULL || seen == exports[me][i]);
        assert_true(exports[me][i]->function == functions[i / 4] && exports[me][i]->arity == i % 4);
        assert_false(export_is_defined(exports[me][i]));
        assert_ptr_equal(export_find(am_erlang, functions[i / 4], i % 4), exports[me][i]);
        funs[me][i] = put_fun(i);
        assert_int_equal(funs[me][i]->old_uniq, i);
        if (n % 64 == 0)
            thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void count_numbers(void *export, void *data) { ++((unsigned *)data)[((const Export *)export)->number]; }

static void all_get_the_same_entries(void **state) {
    Thread threads[THREADS];
    size_t before = export_count();
    for (unsigned i = 0; i < ENTRIES / 4; i++) {
        char name[20];
        snprintf(name, sizeof name, "f%u", i);
        functions[i] = atom_from_cstring(name);
    }
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "putter", 0, work, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    assert_int_equal(export_count(), before + ENTRIES);
    for (unsigned t = 1; t < THREADS; t++)
        for (unsigned i = 0; i < ENTRIES; i++) {
            assert_ptr_equal(exports[t][i], exports[0][i]);
            assert_ptr_equal(funs[t][i], funs[0][i]);
        }
    static unsigned numbers[ENTRIES + 100];
    export_each(count_numbers, numbers);
    for (size_t i = 0; i < export_count(); i++)
        assert_int_equal(numbers[i], 1);
}

/* A breakpoint comes and goes in an entry that leads nowhere: it leads nowhere all the time. */
static atomic_bool is_over;

static void look(void *data) {
    const Export *e = data;
    thread_progress_register();
    while (!atomic_load(&is_over)) {
        for (unsigned n = 0; n < 10; n++)
            assert_false(export_is_defined(e));
        thread_progress_quiescent();
    }
    thread_progress_unregister();
}

static void a_breakpoint_hides_no_target(void **state) {
    Thread looker;
    thread_progress_register();
    Export *e = export_put(am_erlang, am_ok, 0);
    ExportBp *bp = breakpoint_create(e);
    thread_start(&looker, "looker", 0, look, e);
    for (unsigned n = 0; n < ROUNDS; n++) {
        export_set_breakpoint(e, 0, n % 2 == 0 ? bp : NULL);
        unit_wait_for_progress();
    }
    atomic_store(&is_over, true);
    thread_progress_unregister();
    thread_join(&looker);
    breakpoint_free(&bp->bp);
}

static int setup(void **state) {
    atom_table_init(1 << 20);
    export_error_handler_instruction = 1; /* words that stand for what the engine sets */
    export_bif_instruction = 2;
    export_table_init();
    fun_table_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(all_get_the_same_entries), unit(a_breakpoint_hides_no_target)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
