/*
 * A census of names: which of them are somebody's at one moment, though there are many atoms to look at, and others
 * register and unregister meanwhile.
 *
 * The words that say whose a name is are looked at few at a time, under the lock NAME_CENSUS. While a census is taken,
 * all who change a word do so under the lock, too, and keep for each census that has not come to that word whether it
 * was somebody's before: the first who changes it decides. While none is taken, who changes a word reads another, and
 * takes no lock. Who has read that just before a census began may change his word, for this census, before its moment
 * or after it: nothing that happened since the moment can be the cause of the change, and who has seen it made sees the
 * census, too.
 *
 * Source of the behaviour: erlang(3), registered/0.
 */
#ifndef VIV_PROCESS_NAME_CENSUS_H
#define VIV_PROCESS_NAME_CENSUS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "term/term.h"

/* Zero: nobody's. */
typedef _Atomic Term NameOwner;

/* The word of this name from `before` to `now`, if it is that. False: it is not. */
bool name_census_change(NameOwner *owner, Term name, Term before, Term now);
/* `owners`: a word for each atom, in the order of their indices. Calls `each` with the names that are somebody's, from
 * the first atom to the last. Long work, and thread progress may pass between two of them: the caller holds no lock and
 * nothing that it keeps good. */
void name_census_take(const NameOwner *owners, void (*each)(Term name, void *data), void *data);

#endif
