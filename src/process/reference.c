#include "process/reference.h"

#include "sys/clock.h"
#include "term/node.h"

#include <stdatomic.h>

#define BLOCK_BITS 16
#define FIRST_NUMBER_BITS 18 /* the external format keeps no more of it */

static _Atomic uint64_t next_block;
static _Atomic uint32_t life;
static __thread uint64_t next, block_end;

static noinline void take_block(void) {
    uint32_t expected = 0;
    if (atomic_load(&life) == 0)
        atomic_compare_exchange_strong(&life, &expected, (uint32_t)(clock_real() / NANOSECONDS_PER_MILLISECOND) | 1);
    next = atomic_fetch_add(&next_block, 1) << BLOCK_BITS;
    block_end = next + (1 << BLOCK_BITS);
}

void reference_new_numbers(uint32_t numbers[3]) {
    if (unlikely(next == block_end))
        take_block();
    uint64_t n = next++;
    numbers[0] = n & ((1 << FIRST_NUMBER_BITS) - 1);
    numbers[1] = (uint32_t)(n >> FIRST_NUMBER_BITS);
    numbers[2] = atomic_load_explicit(&life, memory_order_relaxed) + (uint32_t)(n >> (FIRST_NUMBER_BITS + 32));
}

Term reference_new(Area *area) {
    uint32_t numbers[3];
    reference_new_numbers(numbers);
    return ref_make(area, numbers, 3);
}
