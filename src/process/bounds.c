#include "process/bounds.h"

#include "base/race_window.h"

#define FIRST_MARK ((Birth)1 << 63) /* from here on: marks, and BIRTH_NEVER. Nothing is born so late */

static _Atomic Birth *bounds, *newest;
static _Atomic Birth next_mark = FIRST_MARK;

void bounds_init(_Atomic Birth *of_slots, _Atomic Birth *of_blocks) {
    bounds = of_slots;
    newest = of_blocks;
}

void bounds_set(size_t slot, Birth bound) {
    _Atomic Birth *block = &newest[slot / BOUNDS_BLOCK];
    if (bound != BIRTH_NEVER) {
        atomic_store_explicit(&bounds[slot], bound, memory_order_relaxed);
        return;
    }
    atomic_store(&bounds[slot], bound);
    race_window("a bound is raised, its block is not");
    if (atomic_load(block) != BIRTH_NEVER)
        atomic_store(block, BIRTH_NEVER);
}

static Birth largest_of(size_t block) {
    Birth largest = 0;
    for (size_t i = block * BOUNDS_BLOCK; i < (block + 1) * BOUNDS_BLOCK; i++) {
        Birth bound = atomic_load(&bounds[i]);
        largest = bound > largest ? bound : largest;
    }
    return largest;
}

static void sum_up(size_t block) {
    Birth mark = atomic_fetch_add_explicit(&next_mark, 1, memory_order_relaxed);
    atomic_store(&newest[block], mark);
    Birth largest = largest_of(block);
    race_window("the bounds of a block were looked at");
    atomic_compare_exchange_strong(&newest[block], &mark, largest);
}

static size_t find_in_block(size_t from, size_t end, Birth born) {
    while (from < end && atomic_load_explicit(&bounds[from], memory_order_relaxed) < born)
        from++;
    return from;
}

size_t bounds_find(size_t from, size_t end, Birth born, size_t *looked) {
    for (size_t stop; from < end; from = stop) {
        size_t block = from / BOUNDS_BLOCK;
        stop = (block + 1) * BOUNDS_BLOCK < end ? (block + 1) * BOUNDS_BLOCK : end;
        ++*looked;
        if (atomic_load_explicit(&newest[block], memory_order_relaxed) < born)
            continue;
        size_t found = find_in_block(from, stop, born);
        *looked += found - from;
        if (found < stop)
            return found;
        sum_up(block);
        *looked += BOUNDS_BLOCK;
    }
    return end;
}
