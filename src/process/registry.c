#include "process/registry.h"

#include <sys/mman.h>

#include "base/race_window.h"
#include "process/name_census.h"
#include "process/port_table.h"
#include "term/atom.h"

static _Atomic Term *names;
static _Atomic size_t name_count;

void registry_init(void) {
    size_t bytes = atom_limit() * sizeof *names;
    names = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (names == MAP_FAILED)
        panic("no address space for registered names");
}

Term registry_whereis(Term name) {
    Term owner = atomic_load_explicit(&names[atom_index(name)], memory_order_acquire);
    return owner ? owner : NON_VALUE;
}

static bool take_back(Term name, Term owner) {
    if (!name_census_change(&names[atom_index(name)], name, owner, 0))
        return false;
    atomic_fetch_sub_explicit(&name_count, 1, memory_order_relaxed);
    return true;
}

void registry_lend(Process *p) { atomic_fetch_or(&p->state, STATE_LENDS_NAME); }

/* The process that holds a name, when it lends it to p; else NULL. */
static Process *lender_to(Term owner, const Process *p) {
    Process *lender = owner && owner == p->parent ? process_find(owner) : NULL;
    return lender && (atomic_load(&lender->state) & STATE_LENDS_NAME) ? lender : NULL;
}

/* What `registered_name` says while a name is being given. */
static Term being_given(Term name) { return small_make(atom_index(name)); }
/* NON_VALUE: it has none, or has ended. */
static Term name_said(Term said) { return is_small(said) ? atom_make((uint32_t)small_value(said)) : said; }

static bool is_owned_by(Term name, const Process *p) {
    return atomic_load_explicit(&names[atom_index(name)], memory_order_acquire) == p->pid;
}

static bool is_free(Term said, const Process *p) { return !is_value(said) || (is_atom(said) && !is_owned_by(said, p)); }

/* The name that p had was given to it anew, while it seemed to have none. */
static void restore(Process *p, Term name, Term given) {
    Term held = being_given(given);
    if (!atomic_compare_exchange_strong(&p->registered_name, &held, name))
        (void)take_back(name, p->pid); /* it ends, and did not see that one */
}

/* The first step. From then on nobody else gives p a name. */
static bool begin_to_give(Term name, Process *p) {
    Term said = atomic_load(&p->registered_name);
    if (!is_free(said, p) || !atomic_compare_exchange_strong(&p->registered_name, &said, being_given(name)))
        return false;
    if (!is_value(said) || !is_owned_by(said, p))
        return true;
    restore(p, said, name);
    return false;
}

bool registry_register(Term name, Process *p) {
    Term owner = atomic_load_explicit(&names[atom_index(name)], memory_order_acquire);
    const Process *lender = lender_to(owner, p);
    if ((owner && !lender) || !begin_to_give(name, p))
        return false;
    race_window("a process has a name, the name no process");
    Term held = being_given(name);
    if (!name_census_change(&names[atom_index(name)], name, owner, p->pid)) {
        atomic_compare_exchange_strong(&p->registered_name, &held, NON_VALUE);
        return false;
    }
    if (!lender)
        atomic_fetch_add_explicit(&name_count, 1, memory_order_relaxed);
    /* It may have begun to end between the two steps, without seeing the name in its place: then the name is taken back
     * here. If it is no longer p's it was registered, and then given up by somebody. */
    return atomic_compare_exchange_strong(&p->registered_name, &held, name) || !take_back(name, p->pid);
}

bool registry_unregister(Term name) {
    Term owner = atomic_load(&names[atom_index(name)]);
    return owner && take_back(name, owner);
}

Term registry_forget(Process *p) {
    Term name = name_said(atomic_exchange(&p->registered_name, NIL));
    return is_value(name) && is_atom(name) && take_back(name, p->pid) ? name : NON_VALUE;
}

Term registry_name_of(const Process *p) {
    Term name = name_said(atomic_load_explicit(&p->registered_name, memory_order_acquire));
    return is_value(name) && is_atom(name) && is_owned_by(name, p) ? name : NON_VALUE;
}

size_t registry_count(void) { return atomic_load_explicit(&name_count, memory_order_relaxed); }

void registry_each(void (*each)(Term, void *), void *data) { name_census_take(names, each, data); }
