/* Literal areas from many threads: each is its owner's alone, is told by its address. */
#include "heap/literal.h"

#include "alloc/kept_ranges.h"
#include "sys/thread.h"
#include "unit.h"
#include "unit_resident.h"

#define THREADS 4
#define ROUNDS 400
#define HELD 20
#define WORDS_MOST 3000
#define BEYOND_ALL 1000448 /* whole pages */

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void check(const LiteralArea *la, Term owner) {
    for (const Term *p = la->start; p < la->end; p++)
        assert_true(*p == owner);
}

static void work(void *data) {
    uint64_t seed = (uint64_t)(uintptr_t)data;
    LiteralArea *held[HELD] = {NULL};
    for (unsigned i = 0; i < ROUNDS; i++) {
        LiteralArea **place = &held[next(&seed) % HELD];
        Term owner = small_make((SWord)((uintptr_t)data * HELD + (size_t)(place - held)));
        if (*place) {
            check(*place, owner);
            literal_area_free(*place);
        }
        *place = literal_area_create(1 + next(&seed) % (next(&seed) % 2 ? WORDS_MOST : 130));
        assert_true(is_literal_ptr((*place)->start) && is_literal_ptr((*place)->end - 1));
        for (Term *p = (*place)->start; p < (*place)->end; p++)
            *p = owner;
    }
    for (unsigned i = 0; i < HELD; i++)
        if (held[i])
            literal_area_free(held[i]);
}

static void areas_are_apart(void **state) {
    Thread threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        thread_start(&threads[i], "literals", 0, work, (void *)(i + 1));
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    /* All is free again, in one piece but for what is kept: one area drives that out, and is itself kept and taken. */
    literal_area_free(literal_area_create(KEPT_BYTES_MOST / sizeof(Term)));
    LiteralArea *only = literal_area_create(KEPT_BYTES_MOST / sizeof(Term));
    LiteralArea *la = literal_area_create(BEYOND_ALL);
    bool is_in_the_way = (char *)only->start < literal_span_start + BEYOND_ALL * sizeof(Term);
    assert_ptr_equal(la->start, is_in_the_way ? (char *)only->end : literal_span_start);
    literal_area_free(la);
    literal_area_free(only);
    assert_false(is_literal_ptr(literal_span_start - 1));
    assert_false(is_literal_ptr(literal_span_start + LITERAL_SPAN_BYTES));
}

/* More areas, with gaps between them, than the system allows mappings: but where free ranges trap. */
#if defined(VIV_DEBUG) || defined(VIV_SANITIZE)
#define MANY 20000
#else
#define MANY 136000
#endif
static void there_may_be_very_many(void **state) {
    LiteralArea **areas = malloc(MANY * sizeof *areas);
    for (int i = 0; i < MANY; i++) {
        areas[i] = literal_area_create(i % 8 == 7 ? 2 : 200);
        areas[i]->start[0] = small_make(i);
    }
    for (int i = MANY - 2; i >= 0; i -= 2) /* the list of free ranges is by address */
        literal_area_free(areas[i]);
    for (int i = 1; i < MANY; i += 2) {
        assert_true(areas[i]->start[0] == small_make(i));
        literal_area_free(areas[i]);
    }
    free(areas);
}

#define LARGE_ONES 40
#define LARGE_WORDS ((size_t)12800)
static void little_stays_in_memory(void **state) {
    LiteralArea *areas[LARGE_ONES];
    for (int i = 0; i < LARGE_ONES; i++) {
        areas[i] = literal_area_create(LARGE_WORDS);
        for (Term *p = areas[i]->start; p < areas[i]->end; p++)
            *p = small_make(i);
    }
    const Term *low = areas[0]->start;
    for (int i = 1; i < LARGE_ONES; i++)
        low = areas[i]->start < low ? areas[i]->start : low;
    for (int i = 0; i < LARGE_ONES; i++)
        literal_area_free(areas[i]);
    assert_true(unit_resident_bytes(low, LARGE_ONES * LARGE_WORDS * sizeof(Term)) <= KEPT_BYTES_MOST);
}

static int setup(void **state) {
    literal_span_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(areas_are_apart), unit(little_stays_in_memory),
                                       unit(there_may_be_very_many)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
