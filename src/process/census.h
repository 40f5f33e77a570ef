/*
 * A census: which actors of a table there are, at one moment, though to look at all takes long, and others come and go
 * meanwhile.
 *
 * Each census has a moment, a number higher than those before of that table. An actor keeps the newest moment that
 * there was before anybody could find it: so one that keeps the census's own, or a later one, came after it. Who ends
 * while censuses are taken tells those that have not come to its slot yet, in one step with ending: under the table's
 * lock CENSUS, under which they look at slots, too, few at a time. So what they count are those who came before the
 * moment and end after it.
 *
 * While nobody takes one, who ends reads a word, and ends without the lock. Who has read it just before a census began
 * may end, for this census, before its moment or after it: nothing that happened since the moment can be the cause of
 * that end, or it would have read another word; so no other end or beginning tells in which order the two were. The
 * same goes for who has read the newest moment, and can be found only after the next.
 *
 * For censuses beside each other as well, no slot is looked at for one before it was for all that are older; whoever
 * would overtake does it on their behalf. So of those who count one that ended late none is younger than one who does
 * not, and the other way round for one that came late: all their moments are in one order.
 *
 * Source of the behaviour: erlang(3), processes/0 and ports/0.
 */
#ifndef VIV_PROCESS_CENSUS_H
#define VIV_PROCESS_CENSUS_H

#include "process/slots.h"
#include "sys/thread.h"
#include "term/term.h"

/* Of one table. Fields are for census.c. */
typedef struct {
    const Slots *slots;
    Mutex lock;
    struct Census *being_taken; /* under the lock, as is all that they hold, but for who takes them */
    _Atomic uint32_t count;     /* of these; written under the lock */
    _Atomic uint64_t newest;    /* moment: they never go round */
} Censuses;

/* Once, before there is any actor. */
void censuses_init(Censuses *all, const Slots *slots);
/* By who makes it, before others can find it. */
void census_note_birth(const Censuses *all, struct Process *p);
/* Has it not ended? Asked under the lock, too. */
typedef bool CensusIsThere(const struct Process *p);
/* Ends it with `end`, under the lock if a census is taken. By one thread for one actor, which has this number. */
typedef void CensusEnd(struct Process *p, uint32_t how);
void census_note_end(Censuses *all, struct Process *p, uint64_t number, CensusIsThere *is_there, CensusEnd *end,
                     uint32_t how);

/* Calls `each` with what all are called that are there, from the end of the table to its beginning, so that a list made
 * of them has them in the order of their slots. `counts` is asked of those who have not ended since the moment. Long
 * work, and thread progress may pass between two of them: the caller holds no lock and nothing that it keeps good. */
void census_take(Censuses *all, CensusIsThere *counts, void (*each)(Term id, void *data), void *data);

#endif
