/*
 * A ring of records that one thread writes, over the oldest ones, and others copy while it does.
 *
 * Record number n lies in slot n modulo the capacity; `done` is how many have been written. The writer has a release
 * fence, stores the words of number n (relaxed), then `done` = n + 1 (release). A reader loads `done` (acquire),
 * copies words of numbers below it (relaxed), has an acquire fence, and loads `done` again: D. The slot of number n
 * is next written for number n + capacity, after the store of `done` = n + capacity. If a word that he copied was of
 * that write, he sees by the two fences D >= n + capacity. So what has n + capacity > D is whole, and the rest is
 * thrown away: it was overwritten, or is about to be.
 *
 * test/model/m_recorder_ring.c tries all executions.
 */
#ifndef VIV_PROCESS_RECORDER_RING_H
#define VIV_PROCESS_RECORDER_RING_H

#include <stdatomic.h>
#include <stdbool.h>

#include "term/term.h"

/* `head` has the kind in its first byte, the detail in the next. */
typedef struct {
    uint64_t time; /* in ticks: of the end, where it took time */
    Word head, pid, a, b;
} Record;
#define RECORD_WORDS 5

typedef struct {
    _Atomic uint64_t done;
    _Atomic Word words[];
} RecorderRing;

/* Capacities are powers of two. */
static inline size_t recorder_ring_words(size_t capacity) { return capacity * RECORD_WORDS; }
/* By its writer. */
void recorder_ring_put(RecorderRing *ring, size_t capacity, const Record *record);
/* By anyone. How many records there were ever. */
uint64_t recorder_ring_done(const RecorderRing *ring);
/* Such records below number `end` as are whole, from number *from on, at most `most` of them; *from is the first one's
 * number then. 0: there are none left. */
size_t recorder_ring_copy(const RecorderRing *ring, size_t capacity, uint64_t *from, uint64_t end, Record *to,
                          size_t most);

#endif
