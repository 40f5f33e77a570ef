#include "process/name_census.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "sys/thread.h"
#include "term/atom.h"

#define NAMES_AT_ONCE 1024 /* with the lock: about a microsecond, and as many units of long work */

typedef struct NameCensus {
    struct NameCensus *next;
    size_t atoms;     /* there were so many */
    size_t looked_at; /* of these, the first ones */
    /* Names not looked at that have changed: a bit for each; and which of them were somebody's. Made when there are
     * any, all zero. */
    uint64_t *changed, *owned;
} NameCensus;

static Mutex lock = MUTEX_INITIALIZER(LOCK_NAME_CENSUS);
static NameCensus *being_taken; /* under the lock */

/* --- Who changes -------------------------------------------------------------------------------------------------- */

static uint64_t *new_bits(const NameCensus *c) {
    return mem_calloc(ALLOC_TEMP, (c->atoms / 64 + 1) * sizeof(uint64_t));
}

static void tell(NameCensus *c, size_t name, bool was_owned) {
    uint64_t bit = (uint64_t)1 << name % 64;
    if (c->changed == NULL) {
        c->changed = new_bits(c);
        c->owned = new_bits(c);
    }
    if ((c->changed[name / 64] & bit) == 0 && was_owned)
        c->owned[name / 64] |= bit;
    c->changed[name / 64] |= bit;
}

static void tell_all(size_t name, bool was_owned) {
    for (NameCensus *c = being_taken; c != NULL; c = c->next)
        if (name >= c->looked_at && name < c->atoms)
            tell(c, name, was_owned);
}

bool name_census_change(NameOwner *owner, Term name, Term before, Term now) {
    mutex_lock(&lock);
    bool is_so = atomic_load_explicit(owner, memory_order_relaxed) == before;
    if (is_so) {
        tell_all(atom_index(name), before != 0);
        atomic_store(owner, now);
    }
    mutex_unlock(&lock);
    return is_so;
}

/* --- Who counts --------------------------------------------------------------------------------------------------- */

static void begin(NameCensus *c) {
    mutex_lock(&lock);
    c->atoms = atom_count();
    c->next = being_taken;
    being_taken = c;
    mutex_unlock(&lock);
}

static void finish(NameCensus *c) {
    mutex_lock(&lock);
    NameCensus **link = &being_taken;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    mutex_unlock(&lock);
    mem_free(ALLOC_TEMP, c->changed);
    mem_free(ALLOC_TEMP, c->owned);
}

static bool is_owned(const NameCensus *c, const NameOwner *owners, size_t name) {
    uint64_t bit = (uint64_t)1 << name % 64;
    if (c->changed != NULL && (c->changed[name / 64] & bit) != 0)
        return (c->owned[name / 64] & bit) != 0;
    return atomic_load(&owners[name]) != 0;
}

/* Gives how many are somebody's. */
static unsigned look_at_some(NameCensus *c, const NameOwner *owners, uint32_t *found) {
    unsigned n = 0;
    mutex_lock(&lock);
    size_t end = c->atoms - c->looked_at > NAMES_AT_ONCE ? c->looked_at + NAMES_AT_ONCE : c->atoms;
    for (size_t name = c->looked_at; name < end; name++)
        if (is_owned(c, owners, name))
            found[n++] = (uint32_t)name;
    c->looked_at = end;
    mutex_unlock(&lock);
    return n;
}

void name_census_take(const NameOwner *owners, void (*each)(Term, void *), void *data) {
    NameCensus c = {0};
    uint32_t found[NAMES_AT_ONCE];
    begin(&c);
    while (c.looked_at < c.atoms) {
        unsigned n = look_at_some(&c, owners, found);
        race_window("a census of names has looked at some");
        for (unsigned i = 0; i < n; i++)
            each(atom_make(found[i]), data);
        LONG_WORK_OPEN;
        long_work_count(NAMES_AT_ONCE);
    }
    finish(&c);
}
