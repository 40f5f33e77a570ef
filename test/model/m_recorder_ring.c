/*
 * A ring that is copied while it is written (process/recorder_ring.h): what a reader gets is whole, and in order.
 */
#include "process/recorder_ring.c"

#include "model.h"

#define CAPACITY 2

static RecorderRing *ring;

static void setup(void) {
    ring = model_alloc(sizeof *ring + recorder_ring_words(CAPACITY) * sizeof(Word));
    atomic_init(&ring->done, 0);
    for (size_t i = 0; i < recorder_ring_words(CAPACITY); i++)
        atomic_init(&ring->words[i], 0);
}

static void put_next(void) {
    Word n = 1 + recorder_ring_done(ring);
    recorder_ring_put(ring, CAPACITY, &(Record){.time = n, .head = n, .pid = n, .a = n, .b = n});
}
static void writes_two(void) {
    put_next();
    put_next();
}
static void writes_three(void) {
    writes_two();
    put_next();
}

static void reads(void) {
    uint64_t from = 0, end = recorder_ring_done(ring);
    Record got[CAPACITY];
    for (size_t count; (count = recorder_ring_copy(ring, CAPACITY, &from, end, got, CAPACITY)) > 0; from += count)
        for (size_t i = 0; i < count; i++)
            model_check(got[i].time == from + i + 1 && got[i].head == got[i].time && got[i].pid == got[i].time &&
                        got[i].a == got[i].time && got[i].b == got[i].time);
}

/* The last one is there in the end. */
static void the_last_is_there(void) {
    uint64_t from = 0, end = recorder_ring_done(ring);
    Record got[CAPACITY];
    model_check(recorder_ring_copy(ring, CAPACITY, &from, end, got, CAPACITY) == 1 && got[0].time == end);
}

#define CASE(the_name, preemptions, ...)                                                                               \
    {.name = the_name,                                                                                                 \
     .setup = setup,                                                                                                   \
     .threads = {__VA_ARGS__},                                                                                         \
     .end = the_last_is_there,                                                                                         \
     .bounds = {preemptions, 2},                                                                                       \
     .deep_bounds = {4, 3}}

MODEL(CASE("two records, one reads", 3, writes_two, reads), CASE("three records, one reads", 2, writes_three, reads),
      CASE("three records, two read", 1, writes_three, reads, reads))
