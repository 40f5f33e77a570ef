/* Memory for code: threads take it and give it back at random; nobody's bytes change, and what is written at one
 * address is there at the other. */
#include "code/code_space.h"

#include <string.h>

#include "alloc/kept_ranges.h"
#include "sys/thread.h"
#include "unit.h"
#include "unit_resident.h"

#define THREADS 4u
#define SPANS 60u
#define ROUNDS 1500u
#define MOST 100000u
#define LARGE ((size_t)9 << 20)

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static CodeSpaceKind kind_of(unsigned i) { return i % 2 == 0 ? CODE_SPACE_WORDS : CODE_SPACE_NATIVE; }

static void check(CodeSpan span, uint8_t with) {
    for (size_t at = 0; at < span.size; at += CODE_SPACE_UNIT - 1)
        if (span.address[at] != with)
            panic("%p has %u, %u was written", (void *)(span.address + at), span.address[at], with);
}

static CodeSpan take(CodeSpaceKind kind, size_t bytes, uint8_t with) {
    CodeSpan span = code_space_take(kind, bytes);
    bool is_right = span.address != NULL && span.size >= bytes && (uintptr_t)span.address % CODE_SPACE_UNIT == 0 &&
                    (uintptr_t)span.address + span.size <= (uintptr_t)1 << 31;
    if (!is_right || (kind == CODE_SPACE_WORDS) != (span.written == span.address))
        panic("%p, written at %p, %zu bytes", (void *)span.address, (void *)span.written, span.size);
    memset(span.written, with, span.size);
    return span;
}

static _Atomic uint32_t next_seed = 1;

static void take_and_give(void *data) {
    uint32_t seed = next_seed++;
    uint8_t with = (uint8_t)seed;
    CodeSpan spans[SPANS] = {0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned i = next_random(&seed) % SPANS;
        if (spans[i].address != NULL) {
            check(spans[i], with);
            code_space_give_back(kind_of(i), spans[i]);
            spans[i] = (CodeSpan){0};
        } else {
            spans[i] = take(kind_of(i), next_random(&seed) % MOST, with);
        }
    }
    for (unsigned i = 0; i < SPANS; i++)
        code_space_give_back(kind_of(i), spans[i]);
}

static void by_threads(void **state) {
    Thread threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        thread_start(&threads[i], "loader", 0, take_and_give, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
}

static void more_than_a_chunk(void **state) {
    for (unsigned kind = 0; kind < CODE_SPACE_KINDS; kind++) {
        CodeSpan small = take(kind, 1, 1), large = take(kind, LARGE, 2), second = take(kind, LARGE, 3);
        assert_true(large.is_new && second.is_new);
        check(large, 2);
        code_space_give_back(kind, large);
        check(second, 3);
        check(small, 1);
        code_space_give_back(kind, second);
        code_space_give_back(kind, small);
    }
}

static void used_again(void **state) {
    for (unsigned kind = 0; kind < CODE_SPACE_KINDS; kind++) {
        CodeSpan first = take(kind, 5000, 1), behind = take(kind, 5000, 2);
        code_space_give_back(kind, first);
        CodeSpan again = take(kind, 4000, 3);
        assert_ptr_equal(again.address, first.address);
        assert_false(again.is_new);
        check(behind, 2);
        code_space_give_back(kind, behind);
        code_space_give_back(kind, again);
    }
}

#define MANY 30
#define MANY_BYTES ((size_t)100 << 10)
static void little_stays_in_memory(void **state) {
    for (unsigned kind = 0; kind < CODE_SPACE_KINDS; kind++) {
        CodeSpan first = take(kind, MANY_BYTES, 1), spans[MANY];
        size_t in_memory = 0;
        for (unsigned i = 0; i < MANY; i++)
            spans[i] = take(kind, MANY_BYTES, 2);
        uint8_t *low = first.written;
        for (unsigned i = 0; i < MANY; i++)
            in_memory += unit_resident_bytes(spans[i].written, spans[i].size);
        assert_true(in_memory > MANY * (MANY_BYTES - 2 * PAGE_BYTES));
        for (unsigned i = 0; i < MANY; i++)
            code_space_give_back(kind, spans[i]);
        in_memory = unit_resident_bytes(low, (MANY + 1) * MANY_BYTES);
        assert_true(in_memory <= KEPT_BYTES_MOST + 2 * MANY_BYTES);
        check(first, 1);
        code_space_give_back(kind, first);
    }
}

UNIT_TESTS(unit(little_stays_in_memory), unit(used_again), unit(more_than_a_chunk), unit(by_threads))
