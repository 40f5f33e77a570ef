/*
 * Which tables there are, by whom they are owned, and who keeps them fixed; all under one lock, for it is rarely asked.
 * Names have a striped table of their own, which every access by name reads; they change under the registry's lock too.
 *
 * A process that ends (ets_process_exit, an exit handler) gives its tables to their heirs or deletes them, and undoes
 * its fixations. Whoever makes a process owner of a table does so under this lock, after having seen there that the
 * process is not exiting: so its exit handler will find the table. A table that is being deleted belongs to who
 * deletes it until its last object is gone, so that the work is finished if that process ends meanwhile.
 */
#ifndef VIV_ETS_TABLES_H
#define VIV_ETS_TABLES_H

#include "ets/table.h"

void tables_init(void);
/* Owned by t->owner. False: the name is taken (named tables). */
bool tables_add(Table *t);
bool tables_rename(Table *t, Term name); /* held exclusively; false: taken */
/* By name; good until the caller's next quiescent point. */
Table *tables_find(Term name);
Term tables_all(Area *area); /* a list of tids, names for named ones */
int64_t tables_count(void);

/* `to` becomes the owner and is told {'ETS-TRANSFER', Tid, From, Data}. False when it is no process that can own, or
 * `from` is not the owner any more. */
bool tables_give(Table *t, Term from, Term to, Term data);
void tables_set_heir(Table *t, Term heir, Term data);
Term tables_heir(Table *t);

/* A process fixes (or unfixes) the table once more. Unfixing: the table is not held. */
void tables_fix(Table *t, Term pid);
bool tables_unfix(Table *t, Term pid);
/* For the length of one round of a traversal, by nobody in particular. */
void tables_fix_briefly(Table *t);
void tables_unfix_briefly(Table *t);
bool tables_is_fixed(Table *t);
/* [{Pid, Count}], and since when. NIL when nobody does. */
Term tables_fixations(Table *t, Area *area, int64_t *system_time, int64_t *monotonic_time);

/* Begins to delete: from now on nobody finds it. False: someone else did. Then tables_delete_more until it is true. */
bool tables_delete(Table *t, Process *p);
bool tables_delete_more(Table *t, int64_t *budget);

/* The exit handler: true when nothing is left to do. */
bool ets_process_exit(Process *p, int64_t *reductions);

#endif
