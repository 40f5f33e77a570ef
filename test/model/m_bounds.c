/*
 * Bounds of slots, and the newest of each block (process/bounds.h): who walks never passes over one who was set to
 * BIRTH_NEVER before, however walks and those who set come between each other. A block has two slots here.
 */
#include "process/bounds.c"

#include "model.h"

#define SLOTS 4
#define OLD 1
#define NEW 2

static _Atomic Birth of_slots[SLOTS], of_blocks[SLOTS / BOUNDS_BLOCK];

/* All are old, and nobody has walked. */
static void setup(void) {
    for (unsigned i = 0; i < SLOTS; i++)
        atomic_init(&of_slots[i], OLD);
    for (unsigned i = 0; i < SLOTS / BOUNDS_BLOCK; i++)
        atomic_init(&of_blocks[i], BIRTH_NEVER);
    bounds_init(of_slots, of_blocks);
}

static void wakes_first(void) { bounds_set(0, BIRTH_NEVER); }
static void wakes_second(void) { bounds_set(1, BIRTH_NEVER); }
static void wakes_and_is_looked_at(void) {
    bounds_set(0, BIRTH_NEVER);
    bounds_set(0, OLD);
    bounds_set(0, BIRTH_NEVER);
}

static void walks(void) {
    size_t looked = 0;
    for (size_t at = 0; at < SLOTS; at++)
        at = bounds_find(at, SLOTS, NEW, &looked);
}
static void walks_twice(void) {
    walks();
    walks();
}

/* Who walks when all is done and seen. */
static void nobody_is_passed_over(void) {
    size_t looked = 0;
    for (size_t i = 0; i < SLOTS; i++)
        model_check((bounds_find(i, i + 1, NEW, &looked) == i) == (atomic_load(&of_slots[i]) == BIRTH_NEVER));
    looked = 0;
    model_check(bounds_find(BOUNDS_BLOCK, SLOTS, NEW, &looked) == SLOTS && looked == 1); /* that block was summed up */
}

#define CASE(the_name, preemptions, ...)                                                                               \
    {.name = the_name,                                                                                                 \
     .setup = setup,                                                                                                   \
     .threads = {__VA_ARGS__},                                                                                         \
     .end = nobody_is_passed_over,                                                                                     \
     .bounds = {preemptions, 1},                                                                                       \
     .deep_bounds = {4, 2}}

MODEL(CASE("one is woken, one walks", 3, wakes_first, walks),
      CASE("one is woken twice, one walks twice", 2, wakes_and_is_looked_at, walks_twice),
      CASE("two are woken, one walks", 2, wakes_first, wakes_second, walks),
      CASE("one is woken, two walk", 2, wakes_first, walks, walks))
