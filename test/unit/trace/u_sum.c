/*
 * Sums whose table is full, where another thread takes the queue over while keys are compared: the key goes into the
 * table of the threads that serve none, which has room for it. Figures that are read while rows come,
 * and sums that do not fit.
 */
#include "trace/sum.h"

#include "base/long_work.h"
#include "base/thread_progress.h"
#include "process/process_table.h"
#include "process/run_queue.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/boxed.h"
#include "term/compare.h"
#include "term/hash.h"
#include "term/integer.h"
#include "unit.h"

typedef struct {
    uint32_t hash;
    int32_t number;
} Hashed;

/* {[0, ..., 0], Number}: to compare two of them takes a while. */
#define CELLS 8
#define KEY_WORDS (3 + 1 + 2 * CELLS)
static Term key_of(Term words[KEY_WORDS], SWord number) {
    Term list = NIL;
    for (Term *cell = words + 4; cell < words + KEY_WORDS; cell += 2) {
        cell[0] = small_make(0);
        cell[1] = list;
        list = list_make(cell);
    }
    words[0] = header_make(KIND_TUPLE, 2);
    words[1] = list;
    words[2] = small_make(number);
    return boxed_make(words);
}

static int by_hash(const void *a, const void *b) {
    uint32_t x = ((const Hashed *)a)->hash, y = ((const Hashed *)b)->hash;
    return (x > y) - (x < y);
}

/* Two keys of one hash. */
#define TRIED 400000
static void find_pair(int32_t *one, int32_t *other) {
    Hashed *all = malloc(TRIED * sizeof *all);
    _Alignas(16) Term words[KEY_WORDS];
    for (int32_t i = 0; i < TRIED; i++)
        all[i] = (Hashed){term_hash(key_of(words, i)), i};
    qsort(all, TRIED, sizeof *all, by_hash);
    size_t i = 1;
    while (i < TRIED && all[i].hash != all[i - 1].hash)
        i++;
    assert_true(i < TRIED);
    *one = all[i - 1].number;
    *other = all[i].number;
    free(all);
}

static unsigned times_given_away, taken_over_at;

/* Where work may be long: the key's hash, comparisons, copies. */
static void give_away(void) {
    if (++times_given_away == taken_over_at)
        run_queue_set_self(NULL);
    long_work_hurry(0);
}

static void add_long(CallSum *sum, Term key) {
    times_given_away = 0;
    long_work_here.give_away = give_away;
    long_work_begin();
    long_work_hurry(0);
    sum_add(sum, key, 1);
    long_work_none();
}

/* What there is no row for has no key; all others have theirs. */
static void check(const CallSum *sum, Term first, Term second) {
    SumFigures figures;
    int64_t count = 0;
    sum_read(sum, &figures);
    for (size_t i = 0; i < figures.count; i++) {
        assert_true(term_identical(figures.rows[i].key, i == 0 ? first : second));
        count += figures.rows[i].count;
    }
    assert_int_equal(count + figures.other.count, 2);
    sum_figures_release(&figures);
}

#define PLACES 8
static void keys_keep_their_names(void **state) {
    int32_t one, other;
    _Alignas(16) Term first[KEY_WORDS], second[KEY_WORDS];
    find_pair(&one, &other);
    key_of(first, one);
    key_of(second, other);
    TraceSession *session = trace_session_create(am_ok, TRACER_NOBODY, false, NULL);
    const SumForm form = {.parts = 1, .part = {KEY_EXPRESSION}, .value = SUM_ONE, .rows = 1};
    for (taken_over_at = 1; taken_over_at <= PLACES; taken_over_at++) {
        CallSum *sum = sum_create(session, &form);
        run_queue_set_self(run_queue_at(0));
        sum_add(sum, boxed_make(first), 1);
        add_long(sum, boxed_make(second));
        check(sum, boxed_make(first), boxed_make(second));
        sum_drop(sum);
    }
    assert_true(times_given_away > 0 && times_given_away < PLACES); /* all were tried */
    trace_session_release(session);
}

static void assert_sum(CallSum *sum, int64_t is) {
    SumFigures figures;
    sum_read(sum, &figures);
    assert_int_equal(figures.count, 1);
    assert_true(figures.rows[0].sum == is);
    sum_figures_release(&figures);
}

static void add_on(const RunQueue *rq, CallSum *sum, unsigned times, int64_t value) {
    run_queue_set_self((RunQueue *)rq);
    while (times-- > 0)
        sum_add(sum, NIL, value);
}

/* One that would not fit stays, whatever comes after, there and in other tables; but tables together may come back. */
static void stays_at_the_end(void **state) {
    TraceSession *session = trace_session_create(am_ok, TRACER_NOBODY, false, NULL);
    const SumForm form = {.value = SUM_EXPRESSION, .rows = 1};
    RunQueue *here = run_queue_at(0);
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t end = sign < 0 ? INT64_MIN : INT64_MAX, much = sign * ((int64_t)1 << 59);
        CallSum *sum = sum_create(session, &form);
        add_on(here, sum, 15, much);
        assert_sum(sum, 15 * much);
        add_on(here, sum, 2, much);
        assert_sum(sum, end);
        add_on(here, sum, 10, -much);
        assert_sum(sum, end);
        add_on(NULL, sum, 10, -much);
        assert_sum(sum, end);
        sum_drop(sum);
        sum = sum_create(session, &form);
        add_on(here, sum, 15, much);
        add_on(NULL, sum, 15, much);
        assert_sum(sum, end);
        add_on(NULL, sum, 20, -much);
        assert_sum(sum, 10 * much);
        sum_drop(sum);
    }
    trace_session_release(session);
}

#define WRITTEN 20000
static _Atomic bool is_written;

static void write_rows(void *data) {
    thread_progress_register();
    run_queue_set_self(run_queue_at(0));
    for (SWord key = 0; key < WRITTEN; key++) {
        sum_add(data, small_make(key), 7);
        thread_progress_quiescent();
    }
    thread_progress_unregister();
    atomic_store(&is_written, true);
}

static void assert_whole(const SumRow *r) {
    assert_true(r->count == 0 || (r->least == 7 && r->most == 7));
    assert_true(r->sum >= 7 * r->count);
}

/* Whatever is read of a row has been counted there, and no row that was there is left out for one that comes. */
static void read_while_written(void **state) {
    Thread writer;
    TraceSession *session = trace_session_create(am_ok, TRACER_NOBODY, false, NULL);
    const SumForm form = {.parts = 1, .part = {KEY_EXPRESSION}, .value = SUM_EXPRESSION, .rows = WRITTEN / 2};
    CallSum *sum = sum_create(session, &form);
    run_queue_set_self(NULL);
    sum_add(sum, small_make(-1), 7); /* the last of all, as tables are read */
    thread_start(&writer, "writer", 0, write_rows, sum);
    for (bool is_last = false; !is_last;) {
        is_last = atomic_load(&is_written);
        bool has_first = false;
        SumFigures figures;
        sum_read(sum, &figures);
        for (size_t i = 0; i < figures.count; i++) {
            assert_int_equal(figures.rows[i].count, 1);
            assert_whole(&figures.rows[i]);
            has_first |= figures.rows[i].key == small_make(-1);
        }
        assert_true(has_first);
        assert_whole(&figures.other);
        sum_figures_release(&figures);
        thread_progress_quiescent();
    }
    thread_join(&writer);
    sum_drop(sum);
    trace_session_release(session);
}

int main(void) {
    run_queues_init(1);
    process_table_init(PROCESS_LIMIT_MIN);
    thread_progress_register();
    const struct CMUnitTest tests[] = {unit(keys_keep_their_names), unit(stays_at_the_end), unit(read_while_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
