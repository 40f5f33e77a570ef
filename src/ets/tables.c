#include "ets/tables.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "ets/hash.h"
#include "heap/copy.h"
#include "process/message.h"
#include "sys/clock.h"
#include "term/atom.h"

struct Fixation {
    Term pid;
    Table *table; /* one reference, so that the table outlives it */
    int64_t count;
    Fixation *of_table, *of_pid; /* next ones */
};

#define PID_BUCKETS 1024
#define NAME_BUCKETS 256
#define NAME_STRIPES 16
static Mutex lock = MUTEX_INITIALIZER(LOCK_ETS_REGISTRY);
static Table *all, *owned[PID_BUCKETS];
static Fixation *fixations[PID_BUCKETS];
static int64_t count;
static RwLock name_locks[NAME_STRIPES];
static Table *names[NAME_BUCKETS];
static _Atomic uint64_t renames; /* odd while one is going on */

void tables_init(void) {
    for (unsigned i = 0; i < NAME_STRIPES; i++)
        rwlock_init(&name_locks[i], LOCK_ETS_NAMES);
}

static Table **owned_by(Term pid) { return &owned[pid_data(pid) % PID_BUCKETS]; }
static Fixation **fixed_by(Term pid) { return &fixations[pid_data(pid) % PID_BUCKETS]; }

/* Names */

static unsigned name_bucket(Term name) { return atom_index(name) * 0x9e3779b1u >> 24; }

static Table *look_for(Term name) {
    unsigned bucket = name_bucket(name);
    RwLock *l = &name_locks[bucket % NAME_STRIPES];
    rwlock_read(l);
    Table *t = names[bucket];
    while (t && t->name != name)
        t = t->name_next;
    rwlock_unlock(l);
    return t;
}

/* While a table is renamed it has no name for a moment: who finds none then looks again when that is over. */
Table *tables_find(Term name) {
    uint64_t before = atomic_load(&renames);
    Table *t = look_for(name);
    race_window("a table is looked for, and not yet used");
    if (t || (before % 2 == 0 && atomic_load(&renames) == before))
        return t;
    mutex_lock(&lock);
    t = look_for(name);
    mutex_unlock(&lock);
    return t;
}

/* Names change under the registry's lock, and under the lock of their bucket for those who look them up. */
static bool name_put(Table *t, Term name) {
    if (look_for(name))
        return false;
    unsigned bucket = name_bucket(name);
    RwLock *l = &name_locks[bucket % NAME_STRIPES];
    rwlock_write(l);
    t->name = name;
    t->name_next = names[bucket];
    names[bucket] = t;
    rwlock_unlock(l);
    return true;
}

static void name_remove(Table *t) {
    unsigned bucket = name_bucket(t->name);
    RwLock *l = &name_locks[bucket % NAME_STRIPES];
    rwlock_write(l);
    Table **place = &names[bucket];
    while (*place != t)
        place = &(*place)->name_next;
    *place = t->name_next;
    rwlock_unlock(l);
}

bool tables_rename(Table *t, Term name) {
    if (!t->named) {
        t->name = name;
        return true;
    }
    if (name == t->name)
        return true;
    mutex_lock(&lock);
    bool free = look_for(name) == NULL;
    if (free) {
        atomic_fetch_add(&renames, 1);
        name_remove(t);
        name_put(t, name);
        atomic_fetch_add(&renames, 1);
    }
    mutex_unlock(&lock);
    return free;
}

/* All tables, and owners */

static void owner_link(Table *t, Term pid) {
    atomic_store(&t->owner, pid);
    t->owner_next = *owned_by(pid);
    *owned_by(pid) = t;
}

static void owner_unlink(Table *t) {
    Table **place = owned_by(atomic_load(&t->owner));
    while (*place != t)
        place = &(*place)->owner_next;
    *place = t->owner_next;
}

bool tables_add(Table *t) {
    mutex_lock(&lock);
    if (t->named && !name_put(t, t->name)) {
        mutex_unlock(&lock);
        return false;
    }
    t->all_next = all;
    if (all)
        all->all_previous = t;
    all = t;
    count++;
    owner_link(t, atomic_load(&t->owner));
    mutex_unlock(&lock);
    return true;
}

Term tables_all(Area *area) {
    Term list = NIL;
    mutex_lock(&lock);
    for (Table *t = all; t; t = t->all_next)
        list = area_cons(area, t->named ? t->name : table_tid(t, area), list);
    mutex_unlock(&lock);
    return list;
}

int64_t tables_count(void) {
    mutex_lock(&lock);
    int64_t n = count;
    mutex_unlock(&lock);
    return n;
}

static bool can_own(Term pid) {
    Process *p = is_local_pid(pid) ? process_find(pid) : NULL;
    return p && !process_is_exiting(p);
}

/* Nobody takes it away meanwhile: under the lock. */
static bool is_owned_by(Table *t, Term pid) { return atomic_load(&t->owner) == pid && !atomic_load(&t->deleted); }

/* {'ETS-TRANSFER', Tid, From, Data}; the table is held. */
static Message *transfer_message(Table *t, Term from, Term data) {
    FragmentArea area;
    fragment_area_init(&area, 5 + MAGIC_REF_WORDS + term_flat_size(data));
    Term tid = t->named ? t->name : table_tid(t, &area.area);
    Term message = area_tuple4(&area.area, am_ETS_TRANSFER, tid, from, term_copy(data, &area.area));
    return message_create_with(message, fragment_area_finish(&area), from);
}

static bool give_held(Table *t, Term from, Term to, Term data) {
    Message *m = transfer_message(t, from, data);
    race_window("a table is about to be given away");
    mutex_lock(&lock);
    bool can = is_owned_by(t, from) && can_own(to);
    if (can) {
        owner_unlink(t);
        owner_link(t, to);
    }
    mutex_unlock(&lock);
    if (!can || !signal_send(to, &m->signal))
        message_free(m);
    return can;
}

bool tables_give(Table *t, Term from, Term to, Term data) {
    Hold hold;
    if (!table_hold(t, HOLD_READ, &hold))
        return false;
    bool given = give_held(t, from, to, data);
    table_let_go(&hold);
    return given;
}

void tables_set_heir(Table *t, Term heir, Term data) {
    Object *new_data = NULL;
    if (heir != am_none) {
        Term words[2] = {header_make(KIND_TUPLE, 1), data};
        new_data = object_create(boxed_make(words));
    }
    mutex_lock(&lock);
    Object *old = t->heir_data;
    t->heir = heir;
    t->heir_data = new_data;
    mutex_unlock(&lock);
    if (old)
        object_free(old);
}

Term tables_heir(Table *t) {
    mutex_lock(&lock);
    Term heir = t->heir;
    mutex_unlock(&lock);
    return heir;
}

/* Fixing */

static void fixation_remove(Fixation *f) {
    Fixation **place = &f->table->fixations;
    while (*place != f)
        place = &(*place)->of_table;
    *place = f->of_table;
    for (place = fixed_by(f->pid); *place != f;)
        place = &(*place)->of_pid;
    *place = f->of_pid;
}

static Fixation *fixation_find(Table *t, Term pid) {
    Fixation *f = t->fixations;
    while (f && f->pid != pid)
        f = f->of_table;
    return f;
}

void tables_fix(Table *t, Term pid) {
    mutex_lock(&lock);
    Fixation *f = fixation_find(t, pid);
    if (!f) {
        if (!t->fixations) {
            t->fixed_system_time = clock_real();
            t->fixed_monotonic_time = clock_monotonic();
        }
        f = mem_alloc(ALLOC_ETS_TABLE, sizeof *f);
        *f = (Fixation){pid, t, 0, t->fixations, *fixed_by(pid)};
        t->fixations = f;
        *fixed_by(pid) = f;
        refc_binary_retain(t->binary);
    }
    f->count++;
    mutex_unlock(&lock);
    tables_fix_briefly(t);
}

/* `by` fixations are undone; what was deleted meanwhile goes when they were the last. */
static void unfixed(Table *t, int64_t by) {
    Hold hold;
    if (atomic_fetch_sub(&t->fixed, (int32_t)by) != by || table_is_tree(t))
        return;
    if (atomic_load(&t->hash.purge) && table_hold(t, HOLD_EXCLUSIVE, &hold)) {
        hash_purge(t);
        table_let_go(&hold);
    }
}

void tables_fix_briefly(Table *t) {
    atomic_fetch_add(&t->fixed, 1);
    if (!table_is_tree(t))
        hash_settle(t);
}

void tables_unfix_briefly(Table *t) { unfixed(t, 1); }

bool tables_unfix(Table *t, Term pid) {
    mutex_lock(&lock);
    Fixation *f = fixation_find(t, pid);
    bool last = f && --f->count == 0;
    if (last)
        fixation_remove(f);
    mutex_unlock(&lock);
    if (!f)
        return false;
    race_window("a fixation is gone, the table still fixed");
    unfixed(t, 1);
    if (last) {
        refc_binary_release(t->binary);
        mem_free(ALLOC_ETS_TABLE, f);
    }
    return true;
}

bool tables_is_fixed(Table *t) {
    mutex_lock(&lock);
    bool fixed = t->fixations != NULL;
    mutex_unlock(&lock);
    return fixed;
}

Term tables_fixations(Table *t, Area *area, int64_t *system_time, int64_t *monotonic_time) {
    Term list = NIL;
    mutex_lock(&lock);
    for (Fixation *f = t->fixations; f; f = f->of_table)
        list = area_cons(area, area_tuple2(area, f->pid, small_make(f->count)), list);
    *system_time = t->fixed_system_time;
    *monotonic_time = t->fixed_monotonic_time;
    mutex_unlock(&lock);
    return list;
}

/* Deleting */

/* Deleted and owned by who deletes it, both at once: so whoever finds himself the owner of a deleted table is the one
 * who takes its objects out. */
bool tables_delete(Table *t, Process *p) {
    Hold hold;
    if (!table_hold(t, HOLD_EXCLUSIVE, &hold))
        return false;
    mutex_lock(&lock);
    atomic_store(&t->deleted, true);
    if (t->named)
        name_remove(t);
    *(t->all_previous ? &t->all_previous->all_next : &all) = t->all_next;
    if (t->all_next)
        t->all_next->all_previous = t->all_previous;
    count--;
    owner_unlink(t);
    owner_link(t, p->pid);
    mutex_unlock(&lock);
    table_let_go(&hold);
    return true;
}

bool tables_delete_more(Table *t, int64_t *budget) {
    race_window("a table is deleted, its objects are there");
    if (!table_clear_some(t, budget))
        return false;
    mutex_lock(&lock);
    owner_unlink(t);
    mutex_unlock(&lock);
    tables_set_heir(t, am_none, NIL);
    refc_binary_release(t->binary);
    return true;
}

/* Exit */

/* *deleted: by the owner himself, who had no time to finish. */
static Table *next_owned(Term pid, bool *deleted) {
    mutex_lock(&lock);
    Table *t = *owned_by(pid);
    while (t && atomic_load(&t->owner) != pid)
        t = t->owner_next;
    *deleted = t && atomic_load(&t->deleted);
    mutex_unlock(&lock);
    return t;
}

/* True when there was an heir who could take it. Somebody else may delete the table meanwhile; only its owner, who ends
 * here, sets the heir. */
static bool inherit(Table *t, Term from) {
    Hold hold;
    if (!table_hold(t, HOLD_READ, &hold))
        return false;
    Term heir = tables_heir(t);
    bool taken = heir != am_none && heir != from && give_held(t, from, heir, object_key(t->heir_data, 1));
    table_let_go(&hold);
    return taken;
}

static void undo_fixations(Term pid) {
    for (;;) {
        mutex_lock(&lock);
        Fixation *f = *fixed_by(pid);
        while (f && f->pid != pid)
            f = f->of_pid;
        if (f)
            fixation_remove(f);
        mutex_unlock(&lock);
        if (!f)
            return;
        unfixed(f->table, f->count);
        refc_binary_release(f->table->binary);
        mem_free(ALLOC_ETS_TABLE, f);
    }
}

bool ets_process_exit(Process *p, int64_t *reductions) {
    undo_fixations(p->pid);
    bool deleted;
    for (Table *t; (t = next_owned(p->pid, &deleted));) {
        race_window("an ending process has found a table of its own");
        if (!deleted && (inherit(t, p->pid) || !tables_delete(t, p)))
            continue;
        if (!tables_delete_more(t, reductions))
            return false;
    }
    return true;
}
