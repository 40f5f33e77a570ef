#include "ets/tables.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "ets/hash.h"
#include "heap/copy.h"
#include "process/clock.h"
#include "process/message.h"
#include "process/signal.h"
#include "term/atom.h"
#include "term/integer.h"

#include <sys/mman.h>

struct Fixation {
    CallSignal end; /* to the process, when the table is deleted */
    Table *table; /* one reference, so that the table outlives it */
    Term pid;
    bool is_ending; /* `end` is on its way: out of the table's list, and freed by who handles that; under the lock */
    _Atomic int64_t count; /* changed by the process, read by anyone */
    Fixation *of_table, **table_place; /* next ones, and what points to this one */
    Fixation *of_process, **process_place;
};

static Mutex lock = MUTEX_INITIALIZER(LOCK_ETS_REGISTRY);
static TableLink all = {&all, &all, NULL};
static int64_t count;
static _Atomic(Table *) *names;

/* Address space for all names there can be; memory for those in whose neighbourhood there are any. */
void tables_init(void) {
    size_t bytes = atom_limit() * sizeof *names;
    names = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (names == MAP_FAILED)
        panic("no address space for names of tables");
}

/* Names */

static _Atomic(Table *) *named(Term name) { return &names[atom_index(name)]; }

Table *tables_find(Term name) {
    Table *t = atomic_load_explicit(named(name), memory_order_acquire);
    race_window("a table is looked for, and not yet used");
    return t;
}

bool tables_rename(Table *t, Term name) {
    mutex_lock(&lock);
    bool can = !t->named || !atomic_load(named(name)); /* its own name is taken, too */
    if (can && t->named) {
        atomic_store(named(name), t);
        atomic_store(named(t->name), NULL);
    }
    if (can)
        t->name = name;
    mutex_unlock(&lock);
    return can;
}

/* All tables, and owners */

static void link_put(TableLink *link, TableLink *previous) {
    *link = (TableLink){previous->next, previous, link->table};
    link->next->previous = previous->next = link;
}

static void link_take(TableLink *link) {
    link->previous->next = link->next;
    link->next->previous = link->previous;
}

static void owner_link(Table *t, Process *p) {
    atomic_store(&t->owner, p->pid);
    t->owner_next = p->tables;
    t->owner_place = &p->tables;
    if (t->owner_next)
        t->owner_next->owner_place = &t->owner_next;
    p->tables = t;
}

static void owner_unlink(Table *t) {
    *t->owner_place = t->owner_next;
    if (t->owner_next)
        t->owner_next->owner_place = t->owner_place;
}

/* False: the name is taken. */
static bool add(Table *t, Process *p) {
    mutex_lock(&lock);
    bool can = !t->named || !atomic_load(named(t->name));
    if (can) {
        link_put(&t->all, &all);
        count++;
        owner_link(t, p);
        if (t->named)
            atomic_store(named(t->name), t);
    }
    mutex_unlock(&lock);
    return can;
}

#define TABLES_PER_ROUND 256 /* for how many the lock is held */
#define UNITS_PER_TABLE 50   /* of long work */

/* In rounds: tables that come or go meanwhile may be in the list or not, all others are. */
Term tables_all(Area *area) {
    Term list = NIL;
    TableLink here = {0};
    mutex_lock(&lock);
    link_put(&here, &all);
    while (here.next != &all) {
        TableLink *at = &here;
        for (unsigned n = 0; n < TABLES_PER_ROUND && at->next != &all; n++) {
            at = at->next;
            if (at->table)
                list = area_cons(area, at->table->named ? at->table->name : table_tid(at->table, area), list);
        }
        link_take(&here);
        link_put(&here, at);
        mutex_unlock(&lock);
        long_work_count(TABLES_PER_ROUND * UNITS_PER_TABLE);
        mutex_lock(&lock);
    }
    link_take(&here);
    mutex_unlock(&lock);
    return list;
}

void tables_each_alone(void (*each)(Table *t, void *data), void *data) {
    for (TableLink *at = all.next; at != &all; at = at->next)
        if (at->table != NULL)
            each(at->table, data);
}

int64_t tables_count(void) {
    mutex_lock(&lock);
    int64_t n = count;
    mutex_unlock(&lock);
    return n;
}

Heir tables_heir_with(Term pid) {
    const Process *p = process_find(pid);
    return p != NULL ? (Heir){pid, p->unique} : HEIR_NONE;
}

/* NULL: it cannot. */
static Process *can_own(Heir heir) {
    Process *p = heir.pid != am_none ? process_find(heir.pid) : NULL;
    return p != NULL && p->unique == heir.unique && !process_is_exiting(p) ? p : NULL;
}

/* Nobody takes it away meanwhile: under the lock. */
static bool is_owned_by(Table *t, Term pid) { return atomic_load(&t->owner) == pid && !atomic_load(&t->deleted); }

void tables_transfer_init(Transfer *transfer, Term data) {
    fragment_area_init(&transfer->area, 5 + MAGIC_REF_WORDS + term_flat_size(data));
    transfer->data = term_copy(data, &transfer->area.area);
}

void tables_transfer_drop(Transfer *transfer) { fragment_area_drop(&transfer->area); }

/* {'ETS-TRANSFER', Tid, From, Data} */
static Message *transfer_message(Table *t, Term from, Transfer *transfer) {
    Area *area = &transfer->area.area;
    Term tid = t->named ? t->name : table_tid(t, area);
    Term message = area_tuple4(area, am_ETS_TRANSFER, tid, from, transfer->data);
    return message_create_with(message, fragment_area_finish(&transfer->area), from);
}

bool tables_give_held(Table *t, Term from, Heir to, Transfer *transfer) {
    Message *m = transfer != NULL ? transfer_message(t, from, transfer) : NULL;
    race_window("a table is about to be given away");
    mutex_lock(&lock);
    Process *owner = is_owned_by(t, from) ? can_own(to) : NULL;
    if (owner) {
        owner_unlink(t);
        owner_link(t, owner);
    }
    mutex_unlock(&lock);
    if (m != NULL && (!owner || !signal_send(to.pid, &m->signal)))
        message_free(m);
    return owner != NULL;
}

Object *tables_heir_data(Heir heir, Term data) {
    Term words[2] = {header_make(KIND_TUPLE, 1), data};
    return heir.pid != am_none && is_value(data) ? object_create(boxed_make(words)) : NULL;
}

Object *tables_replace_heir(Table *t, Heir heir, Object *data) {
    mutex_lock(&lock);
    Object *old = t->heir_data;
    t->heir = heir;
    t->heir_data = data;
    mutex_unlock(&lock);
    return old;
}

void tables_set_heir(Table *t, Heir heir, Object *data) {
    Object *old = tables_replace_heir(t, heir, data);
    if (old)
        object_free(old);
}

Heir tables_heir(Table *t) {
    mutex_lock(&lock);
    Heir heir = t->heir;
    mutex_unlock(&lock);
    return heir;
}

Table *tables_create(Process *p, const TableOptions *options, Term *tid) {
    Table *t = table_make(options);
    atomic_init(&t->owner, p->pid);
    tables_set_heir(t, options->heir, tables_heir_data(options->heir, options->heir_data));
    refc_binary_retain(t->binary); /* once it has a name, somebody may delete it at once */
    bool added = add(t, p);
    if (added) {
        *tid = table_tid(t, process_area(p));
    } else {
        tables_set_heir(t, HEIR_NONE, NULL);
        refc_binary_release(t->binary);
    }
    refc_binary_release(t->binary);
    return added ? t : NULL;
}

/* Fixing */

#define UNITS_PER_FIXER 20 /* of long work */

/* With the table's lock of fixations held. Both lists are looked through until one of them ends. */
static Fixation *fixation_find(const Table *t, const Process *p) {
    Fixation *theirs = t->fixations, *own = p->fixations;
    unsigned left = LONG_WORK_ROUND;
    for (; theirs && own; theirs = theirs->of_table, own = own->of_process) {
        left = long_work_step(left, UNITS_PER_FIXER);
        if (theirs->pid == p->pid)
            return theirs;
        if (own->table == t)
            return own;
    }
    return NULL;
}

/* Into and out of the table's list. */
static void fixation_link(Fixation *f, Fixation **place) {
    f->of_table = *place;
    f->table_place = place;
    if (f->of_table)
        f->of_table->table_place = &f->of_table;
    *place = f;
}

static void fixation_unlink(Fixation *f) {
    *f->table_place = f->of_table;
    if (f->of_table)
        f->of_table->table_place = f->table_place;
}

static void fixation_add(Table *t, Process *p) {
    Fixation *f = mem_alloc(ALLOC_ETS_TABLE, sizeof *f);
    *f = (Fixation){.table = t, .pid = p->pid, .count = 1, .of_process = p->fixations, .process_place = &p->fixations};
    if (t->fixers++ == 0)
        t->fixed_time = monotonic_time();
    fixation_link(f, &t->fixations);
    if (f->of_process)
        f->of_process->process_place = &f->of_process;
    p->fixations = f;
    refc_binary_retain(t->binary);
}

/* Out of the process's list, by the process. */
static void fixation_give_up(Fixation *f) {
    *f->process_place = f->of_process;
    if (f->of_process)
        f->of_process->process_place = f->process_place;
    f->process_place = NULL;
}

/* Out of the table's list. */
static void fixation_let_go(Fixation *f) {
    fixation_unlink(f);
    f->table->fixers--;
}

void tables_fix(Table *t, Process *p) {
    mutex_lock(&t->fixing);
    Fixation *f = fixation_find(t, p);
    if (f)
        atomic_fetch_add_explicit(&f->count, 1, memory_order_relaxed);
    else
        fixation_add(t, p);
    mutex_unlock(&t->fixing);
    if (!f)
        tables_fix_briefly(t);
}

static bool needs_purge(Table *t) { return atomic_load(&t->hash.purge) && !atomic_load(&t->deleted); }

/* What was deleted meanwhile goes when this was the last fixation: in rounds, so that others get in. Of a deleted table
 * all goes anyway, and its lock is not taken: that the fixation ends a dirty thread may be told, which must not take it
 * (ets/fair_lock.h). */
void tables_unfix_briefly(Table *t) {
    Hold hold;
    if (atomic_fetch_sub(&t->fixed, 1) != 1 || table_is_tree(t))
        return;
    for (bool done = false; !done && needs_purge(t) && table_hold(t, HOLD_EXCLUSIVE, &hold);) {
        done = hash_purge_some(t);
        table_let_go(&hold);
    }
}

void tables_fix_briefly(Table *t) {
    atomic_fetch_add(&t->fixed, 1);
    if (!table_is_tree(t))
        hash_settle(t);
}

static void fixation_free(Fixation *f) {
    tables_unfix_briefly(f->table);
    refc_binary_release(f->table->binary);
    mem_free(ALLOC_ETS_TABLE, f);
}

bool tables_unfix(Table *t, Process *p) {
    mutex_lock(&t->fixing);
    Fixation *f = fixation_find(t, p);
    if (f && f->is_ending)
        f = NULL;
    bool last = f && atomic_fetch_sub_explicit(&f->count, 1, memory_order_relaxed) == 1;
    if (last) {
        fixation_let_go(f);
        fixation_give_up(f);
    }
    mutex_unlock(&t->fixing);
    race_window("a fixation is gone, the table still fixed");
    if (last)
        fixation_free(f);
    return f != NULL;
}

bool tables_is_fixed(Table *t) {
    mutex_lock(&t->fixing);
    bool fixed = t->fixers > 0;
    mutex_unlock(&t->fixing);
    return fixed;
}

#define FIXERS_PER_ROUND 256 /* for how many the lock is held */

/* In rounds, between which `here` keeps the place in the list: it is of no process, and others pass over it. */
Term tables_fixations(Table *t, Area *area, int64_t *since) {
    Term list = NIL;
    Fixation here = {.pid = NON_VALUE};
    mutex_lock(&t->fixing);
    *since = t->fixed_time;
    fixation_link(&here, &t->fixations);
    while (here.of_table) {
        Fixation *at = &here;
        for (unsigned n = 0; n < FIXERS_PER_ROUND && at->of_table; n++) {
            at = at->of_table;
            Term times = integer_from_int64(area, atomic_load_explicit(&at->count, memory_order_relaxed));
            if (is_value(at->pid))
                list = area_cons(area, area_tuple2(area, at->pid, times), list);
        }
        fixation_unlink(&here);
        fixation_link(&here, &at->of_table);
        mutex_unlock(&t->fixing);
        long_work_count(FIXERS_PER_ROUND * UNITS_PER_FIXER);
        mutex_lock(&t->fixing);
    }
    fixation_unlink(&here);
    mutex_unlock(&t->fixing);
    return list;
}

/* Deleting */

/* Deleted and owned by who deletes it, both at once: so whoever finds himself the owner of a deleted table is the one
 * who takes its objects out. */
void tables_delete_held(Hold *hold, Process *p) {
    Table *t = hold->table;
    mutex_lock(&lock);
    atomic_store(&t->deleted, true);
    if (t->named)
        atomic_store(named(t->name), NULL);
    link_take(&t->all);
    count--;
    owner_unlink(t);
    owner_link(t, p);
    mutex_unlock(&lock);
    table_let_go(hold);
}

bool tables_delete(Table *t, Process *p) {
    Hold hold;
    if (!table_hold(t, HOLD_EXCLUSIVE, &hold))
        return false;
    tables_delete_held(&hold, p);
    return true;
}

/* By the process, which may have given it up as it ended. */
static void handle_end(Process *p, CallSignal *end) {
    Fixation *f = container_of(end, Fixation, end);
    if (f->process_place)
        fixation_give_up(f);
    fixation_free(f);
}

/* The next one of a deleted table whose process is to hear of it, or NULL. */
static Fixation *next_ending(Table *t) {
    mutex_lock(&t->fixing);
    Fixation *f = t->fixations;
    while (f && !is_value(f->pid)) /* the place of who lists them */
        f = f->of_table;
    if (f) {
        fixation_let_go(f);
        f->is_ending = true;
    }
    mutex_unlock(&t->fixing);
    return f;
}

#define REDUCTIONS_PER_FIXER 5

static bool end_fixations(Table *t, int64_t *budget) {
    for (Fixation *f; (f = next_ending(t)); *budget -= REDUCTIONS_PER_FIXER) {
        f->end.handle = handle_end;
        signal_init(&f->end.signal, SIGNAL_CALL);
        race_window("a fixation ends, its process has yet to hear of it");
        if (!signal_send_beside(f->pid, &f->end.signal))
            fixation_free(f); /* the process has given it up, and ended */
        if (*budget <= REDUCTIONS_PER_FIXER)
            return false;
    }
    return true;
}

bool tables_delete_more(Table *t, int64_t *budget) {
    race_window("a table is deleted, its objects are there");
    if (!table_clear_some(t, budget) || !end_fixations(t, budget))
        return false;
    mutex_lock(&lock);
    owner_unlink(t);
    mutex_unlock(&lock);
    tables_set_heir(t, HEIR_NONE, NULL);
    refc_binary_release(t->binary);
    return true;
}

/* Exit */

/* *deleted: by the owner himself, who had no time to finish. */
static Table *next_owned(Process *p, bool *deleted) {
    mutex_lock(&lock);
    Table *t = p->tables;
    *deleted = t && atomic_load(&t->deleted);
    mutex_unlock(&lock);
    return t;
}

/* True when there was an heir who could take it. Somebody else may delete the table meanwhile, and the heir's data with
 * it: so that is copied while it is held. Only the table's owner, who ends here, sets the heir. */
static bool inherit(Table *t, Term from) {
    Hold hold;
    bool taken = false;
    if (!table_hold(t, HOLD_READ, &hold))
        return false;
    Heir heir = tables_heir(t);
    if (heir.pid != am_none && heir.pid != from) {
        Transfer transfer;
        if (t->heir_data != NULL)
            tables_transfer_init(&transfer, object_key(t->heir_data, 1));
        taken = tables_give_held(t, from, heir, t->heir_data != NULL ? &transfer : NULL);
    }
    table_let_go(&hold);
    return taken;
}

#define REDUCTIONS_PER_TABLE 10

static bool undo_fixations(Process *p, int64_t *reductions) {
    for (Fixation *f; (f = p->fixations); *reductions -= REDUCTIONS_PER_TABLE) {
        if (*reductions <= 0)
            return false;
        mutex_lock(&f->table->fixing);
        bool ends = f->is_ending;
        if (!ends)
            fixation_let_go(f);
        fixation_give_up(f);
        mutex_unlock(&f->table->fixing);
        if (!ends)
            fixation_free(f);
    }
    return true;
}

bool ets_process_exit(Process *p, int64_t *reductions) {
    if (!undo_fixations(p, reductions))
        return false;
    bool deleted;
    for (Table *t; (t = next_owned(p, &deleted)); *reductions -= REDUCTIONS_PER_TABLE) {
        if (*reductions <= 0)
            return false;
        race_window("an ending process has found a table of its own");
        if (!deleted && (inherit(t, p->pid) || !tables_delete(t, p)))
            continue;
        if (!tables_delete_more(t, reductions))
            return false;
    }
    return true;
}

void ets_process_hand_over(Process *p, Process *to) {
    mutex_lock(&lock);
    to->tables = p->tables;
    if (to->tables != NULL)
        to->tables->owner_place = &to->tables;
    p->tables = NULL;
    mutex_unlock(&lock);
    to->fixations = p->fixations;
    if (to->fixations != NULL)
        to->fixations->process_place = &to->fixations;
    p->fixations = NULL;
}
