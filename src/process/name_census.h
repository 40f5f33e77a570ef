/*
 * A census of names: which of them are somebody's at one moment, though there are many atoms to look at, and others
 * register and unregister meanwhile.
 *
 * The words that say whose a name is change under the lock NAME_CENSUS; anybody reads them. They are looked at under
 * it, too, few at a time. Who changes a word keeps for each census that has not come to it whether it was somebody's
 * before: the first who changes it decides. So the moment of a census is when it begins. (That nobody takes one could
 * be read from a word first, without the lock, as process/census.h does: but then a census and who reads two names
 * could tell of different orders, and names change seldom.)
 *
 * Source of the behaviour: erlang(3), registered/0.
 */
#ifndef VIV_PROCESS_NAME_CENSUS_H
#define VIV_PROCESS_NAME_CENSUS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "term/term.h"

/* Zero: nobody's. Written by name_census_change alone. */
typedef _Atomic Term NameOwner;

/* The word of this name from `before` to `now`, if it is that. False: it is not. */
bool name_census_change(NameOwner *owner, Term name, Term before, Term now);
/* `owners`: a word for each atom, in the order of their indices. Calls `each` with the names that are somebody's, from
 * the first atom to the last. Long work, and thread progress may pass between two of them: the caller holds no lock and
 * nothing that it keeps good. */
void name_census_take(const NameOwner *owners, void (*each)(Term name, void *data), void *data);

#endif
