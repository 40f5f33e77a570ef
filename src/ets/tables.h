/*
 * Which tables there are, their names, by whom they are owned, and who keeps them fixed.
 *
 * The first three change under one lock, which is held for a few steps: a table is in a list of all tables, and in one
 * of its owner's. A name leads to its table by one load: there is a word for each atom. While a table is renamed both
 * names lead to it; whoever found it by name asks again under the table's lock what its name is.
 *
 * A fixation is a process's: it is in a list of that process, which nobody else looks at, and in one of the table,
 * under the table's lock of fixations. The shorter of the two lists is what finding one costs. When the table is
 * deleted its fixations leave its list and are sent to their processes, as signals, which end them.
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
/* A new table of p; its tid is in *tid. NULL: it is named, and there is one of that name. */
Table *tables_create(Process *p, const TableOptions *options, Term *tid);
bool tables_rename(Table *t, Term name); /* held exclusively; false: taken */
/* By name, or NULL; good until the caller's next quiescent point. Once it is held, table_is_named says whether it still
 * has that name. */
Table *tables_find(Term name);
static inline bool table_is_named(const Table *t, Term name) { return t->named && t->name == name; }
Term tables_all(Area *area); /* a list of tids, names for named ones */
int64_t tables_count(void);
/* Of all that there are, without the lock: by one who is alone, as the program ends. */
void tables_each_alone(void (*each)(Table *t, void *data), void *data);

/* `to` becomes the owner and is told {'ETS-TRANSFER', Tid, From, Data}, where the data, which may be large, is
 * copied before the table is held: into a message that is sent or freed. Without a `transfer` he is told nothing.
 * False when `to` can own nothing any more, or `from` is not the owner any more. */
typedef struct {
    FragmentArea area;
    Term data;
} Transfer;
void tables_transfer_init(Transfer *transfer, Term data);
void tables_transfer_drop(Transfer *transfer);
bool tables_give_held(Table *t, Term from, Heir to, Transfer *transfer);
/* Who has that local pid now; HEIR_NONE: nobody. */
Heir tables_heir_with(Term pid);
/* The same for an heir and his data; NON_VALUE: he is not told. */
Object *tables_heir_data(Heir heir, Term data);
void tables_set_heir(Table *t, Heir heir, Object *data);
Object *tables_replace_heir(Table *t, Heir heir, Object *data); /* the data from before: the caller's, or NULL */
Heir tables_heir(Table *t);

/* The calling process fixes (or unfixes) the table once more. Unfixing: the table is not held. */
void tables_fix(Table *t, Process *p);
bool tables_unfix(Table *t, Process *p);
/* For the length of one round of a traversal, by nobody in particular. */
void tables_fix_briefly(Table *t);
void tables_unfix_briefly(Table *t);
bool tables_is_fixed(Table *t);
/* [{Pid, Count}], and since when, in Erlang's monotonic time. NIL when nobody does. */
Term tables_fixations(Table *t, Area *area, int64_t *since);

/* Begins to delete: from now on nobody finds it. Then tables_delete_more until it is true. The table is held
 * exclusively, and let go. */
void tables_delete_held(Hold *hold, Process *p);
/* The same of a table that is not held. False: someone else did. */
bool tables_delete(Table *t, Process *p);
bool tables_delete_more(Table *t, int64_t *budget);

/* The exit handler: true when nothing is left to do. */
bool ets_process_exit(Process *p, int64_t *reductions);
/* exit_hand_over: tables and fixations of p are those of `to`. Nobody gives p a table any more, for it is exiting. */
void ets_process_hand_over(Process *p, Process *to);

#endif
