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

bool registry_register(Term name, Process *p) {
    Term none = NON_VALUE, owner = atomic_load_explicit(&names[atom_index(name)], memory_order_acquire);
    Process *lender = lender_to(owner, p);
    if ((owner && !lender) || !atomic_compare_exchange_strong(&p->registered_name, &none, name))
        return false;
    race_window("a process has a name, the name no process");
    Term held = name;
    if (!name_census_change(&names[atom_index(name)], name, owner, p->pid)) {
        atomic_compare_exchange_strong(&p->registered_name, &held, NON_VALUE);
        return false;
    }
    if (lender)
        atomic_compare_exchange_strong(&lender->registered_name, &held, NON_VALUE);
    else
        atomic_fetch_add_explicit(&name_count, 1, memory_order_relaxed);
    /* It may have begun to end between the two steps, without seeing the name in its place: then the name is taken back
     * here. If it is no longer p's it was registered, and then given up by somebody. */
    return atomic_load(&p->registered_name) == name || !take_back(name, p->pid);
}

bool registry_unregister(Term name) {
    Term owner = atomic_load(&names[atom_index(name)]);
    if (!owner || !take_back(name, owner))
        return false;
    Process *p = actor_find(owner);
    if (p)
        atomic_compare_exchange_strong(&p->registered_name, &name, NON_VALUE);
    return true;
}

Term registry_forget(Process *p) {
    Term name = atomic_exchange(&p->registered_name, NIL);
    return is_atom(name) && take_back(name, p->pid) ? name : NON_VALUE;
}

Term registry_name_of(const Process *p) {
    Term name = atomic_load_explicit(&p->registered_name, memory_order_relaxed);
    return is_atom(name) ? name : NON_VALUE;
}

size_t registry_count(void) { return atomic_load_explicit(&name_count, memory_order_relaxed); }

void registry_each(void (*each)(Term, void *), void *data) { name_census_take(names, each, data); }
