#include "process/reference.h"

#include <stdatomic.h>

#include "sys/clock.h"
#include "term/integer.h"
#include "term/node.h"

#define BLOCK 0x4000
#define WHEEL_SHIFT 14
#define MAGIC_MARK (UINT32_C(1) << 31)

static uint64_t first;
static _Atomic uint64_t next_block;
static _Atomic uint64_t next_unique_block = 1;
static _Atomic uint64_t last_monotonic = UINT64_MAX; /* the next one is 0 */
static __thread uint64_t next, end, unique_next, unique_end;

/* The start differs from run to run, so that a reference from an earlier one is not taken for one of ours. */
void reference_init(void) {
    first = ((uint64_t)clock_real() / 1000) << 8 & ~(uint64_t)(BLOCK - 1);
    atomic_store(&next_block, first);
}

uint64_t reference_next(void) {
    if (unlikely(next == end)) {
        next = atomic_fetch_add_explicit(&next_block, BLOCK, memory_order_relaxed);
        end = next + BLOCK;
    }
    return next++;
}

static void key_numbers(uint64_t key, uint32_t numbers[3]) {
    numbers[0] = (uint32_t)(key & 0x3ffff);
    numbers[1] = (uint32_t)(key >> 18);
    numbers[2] = (uint32_t)(key >> 50);
}

void reference_new_magic_numbers(uint32_t numbers[3]) {
    key_numbers(reference_next(), numbers);
    numbers[2] |= MAGIC_MARK;
}

bool reference_was_magic(Term ref) {
    uint32_t count;
    return (ref_numbers(ref, &count)[2] & MAGIC_MARK) != 0;
}

/* Written in place: a copy of words that were just written would wait for them. */
static Ref *make(Area *area, uint64_t key) {
    Ref *ref = (Ref *)area_alloc(area, REF_WORDS);
    ref->header = header_make(KIND_REF, REF_WORDS - 1);
    ref->count = 3;
    key_numbers(key, ref->numbers);
    return ref;
}

Term reference_of_key(Area *area, uint64_t key) { return boxed_make(make(area, key)); }

Term reference_new(Area *area) { return reference_of_key(area, reference_next()); }

Term reference_with_wheel(Area *area, uint64_t key, unsigned wheel) {
    Ref *ref = make(area, key);
    ref->numbers[2] |= (wheel + 1) << WHEEL_SHIFT;
    return boxed_make(ref);
}

uint64_t reference_key(Term ref) {
    uint32_t count;
    const uint32_t *n = ref_numbers(ref, &count);
    return (uint64_t)n[0] | (uint64_t)n[1] << 18 | (uint64_t)(n[2] & ((1u << WHEEL_SHIFT) - 1)) << 50;
}

int reference_wheel(Term ref) {
    uint32_t count;
    return (int)((ref_numbers(ref, &count)[2] & ~MAGIC_MARK) >> WHEEL_SHIFT) - 1;
}

bool reference_was_given(Term ref) {
    uint64_t key = reference_key(ref);
    return key >= first && key < atomic_load_explicit(&next_block, memory_order_relaxed) && reference_wheel(ref) < 0 &&
           !reference_was_magic(ref);
}

Term reference_alias(Area *area, uint64_t key, Term pid) {
    uint32_t numbers[5];
    key_numbers(key, numbers);
    numbers[3] = (uint32_t)pid_data(pid);
    numbers[4] = (uint32_t)(pid_data(pid) >> 32);
    return ref_make(area, numbers, 5);
}

Term reference_alias_pid(Term ref) {
    uint32_t count;
    const uint32_t *n = ref_numbers(ref, &count);
    return count == 5 ? pid_make((uint64_t)n[3] | (uint64_t)n[4] << 32) : NON_VALUE;
}

uint64_t unique_integer_next_positive(void) {
    if (unlikely(unique_next == unique_end)) {
        unique_next = atomic_fetch_add_explicit(&next_unique_block, BLOCK, memory_order_relaxed);
        unique_end = unique_next + BLOCK;
    }
    return unique_next++;
}

int64_t unique_integer_next(void) { return (int64_t)unique_integer_next_positive() - 1 + UNIQUE_INTEGER_MIN; }

/* Those of any sign are the negative ones first, and then as many as are left of the counter: up to 2^64 - 2^59 - 1. */
Term unique_integer_monotonic(Area *area, bool positive) {
    uint64_t n = atomic_fetch_add_explicit(&last_monotonic, 1, memory_order_relaxed) + 1;
    if (positive)
        return integer_from_uint64(area, n + 1);
    if (n < (uint64_t)-UNIQUE_INTEGER_MIN)
        return integer_from_int64(area, (int64_t)n + UNIQUE_INTEGER_MIN);
    return integer_from_uint64(area, n + (uint64_t)UNIQUE_INTEGER_MIN);
}

uint64_t unique_integer_last_monotonic(void) { return atomic_load(&last_monotonic); }
void unique_integer_set_last_monotonic(uint64_t last) { atomic_store(&last_monotonic, last); }
