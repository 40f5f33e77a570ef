/*
 * Sleeping on a word of memory: until somebody who has changed it wakes those who sleep there.
 *
 * The kernel compares the word with `expected` and falls asleep in one step, so a change that comes before is seen and
 * a wake that comes after is felt. Both may be for nothing (an address may have been somebody else's word before): who
 * sleeps looks at his word in a loop, and a wake for nobody does no harm, even where the memory is gone.
 */
#ifndef VIV_SYS_FUTEX_H
#define VIV_SYS_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* `deadline` of clock_monotonic, negative: none. False: it has passed. */
bool futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t deadline);
/* One of those who sleep there. */
void futex_wake(_Atomic uint32_t *word);

#endif
