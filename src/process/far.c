#include "process/far.h"

#include "alloc/alloc.h"
#include "base/mix.h"
#include "sys/thread.h"

/*
 * The table never grows, so no call of it takes long: some ten thousand ties have chains of one, and a million has
 * chains of some sixty. As with nodes a count may only fall to zero under the lock, or far_put could revive what is
 * being freed. The node's count is given back behind the lock, as that has a table of its own.
 */

#define BUCKETS (1u << 14)

static Far *the_table[BUCKETS];
static size_t the_count;
static Mutex the_lock = MUTEX_INITIALIZER(LOCK_FAR_TABLE);

bool (*far_tell)(const FarOrder *order);

static Far **bucket_of(const Node *node, uint64_t data) {
    uint64_t mixed = ((uint64_t)(uintptr_t)node >> 4) * MIX_GOLDEN ^ data;
    return &the_table[mixed * MIX_GOLDEN >> 50];
}

_Static_assert(BUCKETS == 1u << (64 - 50), "the upper bits of the product choose the bucket");

/* Under the lock. */
static Far *look_up(const Node *node, uint64_t data) {
    Far *far = *bucket_of(node, data);
    while (far != NULL && (far->node != node || far->data != data))
        far = far->hash_next;
    if (far != NULL)
        far_retain(far);
    return far;
}

static Far *add(Node *node, uint64_t data) {
    Far *far = mem_alloc(ALLOC_NODE, sizeof *far), **bucket = bucket_of(node, data);
    node_retain(node);
    *far = (Far){.hash_next = *bucket, .node = node, .data = data};
    atomic_init(&far->refc, 1);
    *bucket = far;
    the_count++;
    return far;
}

/* There is one Node of each name and creation, so its address is as good. */
Far *far_put(Term pid) {
    const External *e = external_ptr(pid);
    mutex_lock(&the_lock);
    Far *far = look_up(e->node, e->data);
    if (far == NULL)
        far = add(e->node, e->data);
    mutex_unlock(&the_lock);
    return far;
}

Far *far_find(Term pid) {
    const External *e = external_ptr(pid);
    mutex_lock(&the_lock);
    Far *far = look_up(e->node, e->data);
    mutex_unlock(&the_lock);
    return far;
}

void far_retain(Far *far) { atomic_fetch_add_explicit(&far->refc, 1, memory_order_relaxed); }

/* Under the lock. */
static void take_out(Far *far) {
    Far **at = bucket_of(far->node, far->data);
    while (*at != far)
        at = &(*at)->hash_next;
    *at = far->hash_next;
    the_count--;
}

void far_release(Far *far) {
    int64_t refc = atomic_load_explicit(&far->refc, memory_order_relaxed);
    while (refc > 1)
        if (atomic_compare_exchange_weak_explicit(&far->refc, &refc, refc - 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return;
    mutex_lock(&the_lock);
    bool is_last = atomic_fetch_sub_explicit(&far->refc, 1, memory_order_acq_rel) == 1;
    if (is_last)
        take_out(far);
    mutex_unlock(&the_lock);
    if (!is_last)
        return;
    node_release(far->node);
    mem_free(ALLOC_NODE, far);
}

static Term put_external(External *e, const Far *far) {
    e->header = header_make(KIND_EXTERNAL_PID, FAR_TERM_WORDS - 1);
    e->next = NULL;
    e->node = far->node;
    e->data = far->data;
    return boxed_make(e);
}

_Static_assert(offsetof(External, data) + sizeof(Word) == FAR_TERM_WORDS * sizeof(Word), "an external pid fits");

Term far_term(Area *area, Far *far) {
    External *e = (External *)area_alloc(area, FAR_TERM_WORDS);
    Term term = put_external(e, far);
    node_retain(far->node);
    area_link_off_heap(area, (OffHeap *)e, 0);
    return term;
}

Term far_lend(FarRoom *room, const Far *far) { return put_external(&room->external, far); }

size_t far_count(void) {
    mutex_lock(&the_lock);
    size_t count = the_count;
    mutex_unlock(&the_lock);
    return count;
}
