#include "distribution/alive.h"

#include <ctype.h>
#include <string.h>

#include "base/race_window.h"
#include "process/registry.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"

/* The name and the process change together, under the lock. Whoever ends sets STATE_EXITING, and then looks whether it
 * is that process; who gives a name writes the process, and then looks whether it ends. So one of the two sees the
 * other. */
static Mutex the_lock = MUTEX_INITIALIZER(LOCK_ALIVE);
static _Atomic Term net_kernel = NON_VALUE;

static _Atomic uint64_t withheld;
void capabilities_withhold(uint64_t abilities) { atomic_store(&withheld, abilities); }
uint64_t capabilities_withheld(void) { return atomic_load(&withheld); }

static bool may_stand_in_name(uint8_t c) { return isascii(c) && (isalnum(c) || c == '_' || c == '-'); }

bool is_node_name(Term t) {
    if (!is_atom(t))
        return false;
    const AtomName *name = atom_name(t);
    const uint8_t *at = name->bytes, *end = at + name->byte_count;
    while (at < end && may_stand_in_name(*at))
        at++;
    return at > name->bytes && at + 1 < end && *at == '@' && memchr(at + 1, '@', (size_t)(end - at - 1)) == NULL;
}

static bool begin(Term name, uint32_t creation) {
    Term pid = registry_whereis(am_net_kernel);
    const Process *p = is_value(pid) && is_local_pid(pid) ? process_find(pid) : NULL;
    if (p == NULL)
        return false;
    atomic_store(&net_kernel, pid);
    race_window("a net_kernel is known, and may be ending");
    if (atomic_load(&p->state) & STATE_EXITING) {
        atomic_store(&net_kernel, NON_VALUE);
        return false;
    }
    node_this_set(name, creation);
    return true;
}

bool alive_begin(Term name, uint32_t creation) {
    if (!is_node_name(name) || name == am_nonode_at_nohost)
        return false;
    mutex_lock(&the_lock);
    bool begun = !is_value(atomic_load(&net_kernel)) && begin(name, creation);
    mutex_unlock(&the_lock);
    return begun;
}

Term alive_end(const Process *p) {
    if (likely(atomic_load(&net_kernel) != p->pid))
        return NON_VALUE;
    Term name = NON_VALUE;
    mutex_lock(&the_lock);
    if (atomic_load(&net_kernel) == p->pid) {
        name = node_this_name();
        node_this_set(am_nonode_at_nohost, 0);
        atomic_store(&net_kernel, NON_VALUE);
    }
    mutex_unlock(&the_lock);
    return name;
}
