#include "process/memory_site.h"

#include "alloc/pages.h"
#include "alloc/who.h"
#include "base/mix.h"
#include "base/thread_progress.h"
#include "code/ranges.h"
#include "sys/thread.h"

/* Sites are numbered from 1 on. What a number leads to is written once, under the lock, before it is known. */
enum { SITES_MAX = 1 << 20, SLOTS = 2 * SITES_MAX, REMEMBERED = 256 };
static Mutex sites_lock = MUTEX_INITIALIZER(LOCK_MEMORY_SITES);
static MemorySite *sites;
static uint32_t *slots; /* numbers of sites, by their hash; 0: none */
static _Atomic uint32_t site_count;

typedef struct {
    const Word *ip;
    uint64_t publications;
    uint32_t site;
} Remembered;
static __thread Remembered remembered[REMEMBERED];

static bool have_tables(void) {
    if (!sites)
        sites = pages_get(sizeof *sites * (SITES_MAX + 1));
    if (!slots)
        slots = pages_get(sizeof *slots * SLOTS);
    return sites && slots;
}

static bool is_same(const MemorySite *a, const MemorySite *b) {
    return a->module == b->module && a->function == b->function && a->arity == b->arity && a->line == b->line;
}

static uint32_t hash(const MemorySite *s) {
    return (uint32_t)mix_word(s->module ^ mix_word(s->function ^ ((uint64_t)s->arity << 32 | s->line)));
}

/* Under the lock. 0: there are too many. */
static uint32_t number_of(const MemorySite *s) {
    uint32_t at = hash(s) % SLOTS, count = atomic_load_explicit(&site_count, memory_order_relaxed);
    for (; slots[at] != 0; at = (at + 1) % SLOTS)
        if (is_same(&sites[slots[at]], s))
            return slots[at];
    if (count == SITES_MAX)
        return 0;
    sites[++count] = *s;
    slots[at] = count;
    atomic_store_explicit(&site_count, count, memory_order_release);
    return count;
}

static uint32_t site_of(const MemorySite *s) {
    mutex_lock(&sites_lock);
    uint32_t number = have_tables() ? number_of(s) : 0;
    mutex_unlock(&sites_lock);
    return number;
}

static uint32_t site_at(const Word *ip) {
    CodePlace place;
    if (!range_place(ip, &place))
        return 0;
    const FunctionHeader *f = place.function;
    return site_of(&(MemorySite){f->module, f->function, (uint32_t)f->arity, place.line});
}

/* An address is another's when its code has been freed, which comes after a publication. */
static uint32_t site_remembered(const Word *ip) {
    Remembered *r = &remembered[mix_word((uintptr_t)ip) % REMEMBERED];
    uint64_t publications = code_publications();
    if (r->ip != ip || r->publications != publications)
        *r = (Remembered){ip, publications, site_at(ip)};
    return r->site;
}

/* Who may not look at code where he is knows the function that he called at least. */
static uint32_t site_of_running(const void *context) {
    const Process *p = context;
    if (p->ip != NULL && thread_progress_may_read())
        return site_remembered(p->ip);
    const Export *bif = p->current_bif;
    return bif ? site_of(&(MemorySite){bif->module, bif->function, bif->arity, 0}) : 0;
}

void memory_site_init(void) { alloc_site = site_of_running; }
void memory_site_enter(const Process *p) { alloc_context = p; }
void memory_site_leave(void) { alloc_context = NULL; }

bool memory_site_find(uint32_t site, MemorySite *found) {
    if (site == 0 || site > atomic_load_explicit(&site_count, memory_order_acquire))
        return false;
    *found = sites[site];
    return true;
}
