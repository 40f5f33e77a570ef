/*
 * Samplers that begin and end while a thread comes to no safe place, one after another and in each other's places: each
 * is told what it has wanted itself, though there is room for few notes until then. The thread is the test's; the
 * tickers tick once in a second, and may add to what is wanted.
 */
#include "process/sampling.h"

#include <signal.h>

#include "process/sampler.h"
#include "term/term.h"
#include "unit.h"

#define MUCH 1000000

static int begin(void) {
    int error, place = sampler_start(1, &error);
    assert_int_equal(error, 0);
    return place;
}

static void want(int place, uint32_t weight) {
    atomic_fetch_add(&sampled_thread->wanted[place], weight);
    assert_int_equal(raise(SAMPLING_SIGNAL), 0);
}

/* How much of what was wanted it was told; it ends. */
static uint64_t told(int place) {
    uint64_t sum = 0;
    Sample *all = sampler_stop(place);
    for (const Sample *s = all; s != NULL; s = s->next) {
        assert_int_equal(s->head.note, NOTE_SERVES);
        sum += s->head.weight;
    }
    samples_free(all);
    return sum;
}

static bool is_about(uint64_t weight, uint64_t wanted) { return weight >= wanted && weight < wanted + MUCH / 2; }

static void those_that_begin_later(void **state) {
    int places[SAMPLERS_MOST];
    sampling_serve_slow();
    for (unsigned i = 0; i < SAMPLERS_MOST; i++) {
        places[i] = begin();
        for (unsigned j = 0; j <= i; j++)
            want(places[j], MUCH);
    }
    sampling_served_slow(NIL);
    for (unsigned i = 0; i < SAMPLERS_MOST; i++)
        assert_true(is_about(told(places[i]), (SAMPLERS_MOST - i) * MUCH));
}

static void those_in_the_place_of_others(void **state) {
    sampling_serve_slow();
    int others = begin();
    want(others, MUCH);
    for (unsigned i = 0; i < 2 * NOTES_MOST; i++) {
        int place = begin();
        want(place, MUCH);
        want(others, MUCH);
        assert_int_equal(told(place), 0); /* not yet */
    }
    int place = begin();
    want(place, 1);
    sampling_served_slow(NIL);
    assert_true(is_about(told(place), 1));
    assert_true(is_about(told(others), (2 * NOTES_MOST + 1) * MUCH));
}

int main(void) {
    sampling_join();
    const struct CMUnitTest tests[] = {unit(those_that_begin_later), unit(those_in_the_place_of_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
