#include "alloc/thread_counts.h"

#include "alloc/general.h"

#include <pthread.h>

__thread ThreadCounts *my_thread_counts;

static pthread_mutex_t sets_lock = PTHREAD_MUTEX_INITIALIZER;
static ThreadCounts *sets;
static AllocSum ended[ALLOC_TYPE_COUNT];
static pthread_key_t thread_end_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int64_t get(const _Atomic int64_t *counter) { return atomic_load_explicit(counter, memory_order_relaxed); }

static void add(AllocSum *sum, const ThreadCounts *set, unsigned type) {
    sum->bytes += get(&set->held.bytes[type]);
    sum->blocks += get(&set->held.blocks[type]);
    sum->slack += get(&set->held.slack[type]);
    sum->page_bytes += get(&set->held.page_bytes[type]);
    sum->page_blocks += get(&set->held.page_blocks[type]);
}

/* Runs on the ending thread. Frees that other destructors make later open a new set, and this runs again. */
static void fold_set(void *data) {
    ThreadCounts *set = data;
    block_map_thread_ends(&set->map);
    if (maxima_on)
        maxima_hand_in(&set->maxima, &set->held);
    pthread_mutex_lock(&sets_lock);
    for (unsigned t = 0; t < ALLOC_TYPE_COUNT; t++)
        add(&ended[t], set, t);
    if (set->next)
        set->next->previous = set->previous;
    *(set->previous ? &set->previous->next : &sets) = set->next;
    my_thread_counts = NULL;
    pthread_mutex_unlock(&sets_lock);
    raw_free(set);
}

static void make_key(void) { pthread_key_create(&thread_end_key, fold_set); }

noinline ThreadCounts *thread_counts_open(void) {
    pthread_once(&once, make_key);
    ThreadCounts *set = raw_calloc(sizeof *set);
    if (!set)
        out_of_memory(ALLOC_MISC, sizeof *set);
    pthread_setspecific(thread_end_key, set);
    pthread_mutex_lock(&sets_lock);
    set->next = sets;
    if (sets)
        sets->previous = set;
    sets = set;
    my_thread_counts = set;
    pthread_mutex_unlock(&sets_lock);
    block_map_thread_began(&set->map);
    return set;
}

AllocSum alloc_sum(AllocType type) {
    pthread_mutex_lock(&sets_lock);
    AllocSum sum = ended[type];
    for (ThreadCounts *set = sets; set; set = set->next)
        add(&sum, set, type);
    pthread_mutex_unlock(&sets_lock);
    return sum;
}
