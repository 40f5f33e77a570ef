/*
 * A census: which processes there are, at one moment, though to look at all takes long, and processes come and go
 * meanwhile.
 *
 * Each census has a moment, a number higher than those before. A process keeps the newest moment that there was before
 * anybody could find it: so one that keeps the census's own, or a later one, came after it. Who ends while censuses are
 * taken tells those that have not come to its slot yet, in one step with ending: under the lock CENSUS, under which
 * they look at slots, too, few at a time. So what they count are those who came before the moment and end after it.
 *
 * While nobody takes one, who ends reads a word, and ends without the lock. Who has read it just before a census began
 * may end, for this census, before its moment or after it: nothing that happened since the moment can be the cause of
 * that end, or it would have read another word; so no other end or beginning tells in which order the two were.
 *
 * Source of the behaviour: erlang(3), processes/0.
 */
#ifndef VIV_PROCESS_CENSUS_H
#define VIV_PROCESS_CENSUS_H

#include "process/process.h"

/* By who makes it, before others can find it. */
void census_note_birth(Process *p);
/* Sets these bits of p's state, STATE_EXITING among them. By who owns p, or has its gate. */
void census_note_end(Process *p, uint32_t bits);

/* Does this process count? Asked under the lock; of one that exited before the moment, or is not exiting. */
typedef bool CensusCounts(const Process *p);
/* Calls `each` with the pids of all that count, from the end of the table to its beginning, so that a list made of them
 * has them in the order of their slots. Long work, and thread progress may pass between two of them: the caller holds
 * no lock and nothing that it keeps good. */
void census_take(CensusCounts *counts, void (*each)(Term pid, void *data), void *data);

#endif
