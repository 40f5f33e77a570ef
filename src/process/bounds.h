/*
 * Bounds: for each slot of the process table what its process may refer to at most, and the newest of each block of
 * slots, so that who looks for those that may refer to something passes over whole blocks of others.
 *
 * A bound: nothing that was born later (base/birth.h). BIRTH_NEVER: anything; 0: the slot is free. process/rest.h tells
 * who sets which, and what follows from one that is read.
 *
 * The invariant: what stands for a block is never less than any of its bounds, but for those that are being set to
 * BIRTH_NEVER at that moment; who sets one is done when it holds again. He sets the bound, then looks at the block, and
 * raises it. Only who walks lowers it: he puts a mark there, which is like BIRTH_NEVER to others and which nobody ever
 * puts again, then looks at the bounds, and puts the largest in place of his mark, if that is there still. These four
 * are sequentially consistent. So of one who raises and one who walks, either the first sees the mark, or one of other
 * walkers, and stores over it; or the second sees his bound. test/model/m_bounds.c tries all executions.
 *
 * Who reads may read what was there before, of a block as of a bound: thread progress is what makes him right.
 *
 * So a walk costs as many words as there are blocks, and those of blocks in which somebody is not known to be older;
 * however many others there are.
 */
#ifndef VIV_PROCESS_BOUNDS_H
#define VIV_PROCESS_BOUNDS_H

#include "base/birth.h"

#include <stdatomic.h>

#define BOUNDS_BLOCK 256 /* slots of a block: a look at all of them takes less than one at a process */

/* Both are zero; `slots` of the first, and one of the second for each block. They stay. */
void bounds_init(_Atomic Birth *of_slots, _Atomic Birth *of_blocks);
/* Any thread that the slot is left to. */
void bounds_set(size_t slot, Birth bound);
/* The first slot from `from` on, and before `end`, whose bound is `born` or later; `end` when there is none. Adds to
 * *looked the words that it looked at. Any thread. */
size_t bounds_find(size_t from, size_t end, Birth born, size_t *looked);

#endif
