#include "process/key_table.h"

#include "alloc/alloc.h"
#include "base/linear_hash.h"
#include "base/long_work.h"
#include "base/mix.h"

#define STEP 16 /* buckets come and go by so many */
#define BUCKETS_PER_NODE 4 /* at most */
#define UNITS_TO_LOOK 20 /* of long work */

_Static_assert(KEY_TABLE_INLINE < STEP && KEY_TABLE_SEGMENT % STEP == 0 && STEP >= 2, "steps fit");

static inline uint32_t hash(uint64_t key) { return (uint32_t)((key * MIX_GOLDEN) >> 32); }

static inline bool is_power(uint32_t n) { return (n & (n - 1)) == 0; }

static inline uint32_t index_of(const KeyTable *t, uint64_t key) { return linear_index(hash(key), t->bucket_count); }

static inline KeyNode **bucket_at(const KeyTable *t, uint32_t index) {
    if (t->bucket_count <= KEY_TABLE_SEGMENT)
        return &t->buckets[index];
    return &t->segments[index / KEY_TABLE_SEGMENT][index % KEY_TABLE_SEGMENT];
}

static inline KeyNode **chain_of(KeyTable *t, uint64_t key) {
    return t->bucket_count == 0 ? &t->list : bucket_at(t, index_of(t, key));
}

KeyNode *key_table_find(const KeyTable *t, uint64_t key) {
    KeyNode *n = *chain_of((KeyTable *)t, key);
    while (n && n->key != key)
        n = n->next;
    return n;
}

static void push(KeyNode **chain, KeyNode *node) {
    node->next = *chain;
    *chain = node;
}

static void make_buckets(KeyTable *t) {
    KeyNode *list = t->list;
    t->buckets = mem_calloc(ALLOC_LINK, STEP * sizeof *t->buckets);
    t->bucket_count = STEP;
    for (KeyNode *next; list != NULL; list = next) {
        next = list->next;
        push(chain_of(t, list->key), list);
    }
}

/* Of STEP buckets. */
static void make_list(KeyTable *t) {
    KeyNode *list = NULL;
    for (uint32_t i = 0; i < t->bucket_count; i++) {
        for (KeyNode *n = t->buckets[i], *next; n != NULL; n = next) {
            next = n->next;
            push(&list, n);
        }
    }
    mem_free(ALLOC_LINK, t->buckets);
    *t = (KeyTable){.list = list, .count = t->count};
}

static void resize(KeyTable *t, uint32_t pointers) {
    t->buckets = mem_realloc(ALLOC_LINK, t->buckets, pointers * sizeof *t->buckets);
}

/* For STEP buckets more. What was the array becomes the first segment. */
static void make_room(KeyTable *t) {
    uint32_t count = t->bucket_count, segment = count / KEY_TABLE_SEGMENT;
    if (count < KEY_TABLE_SEGMENT) {
        if (is_power(count))
            resize(t, 2 * count);
        return;
    }
    if (count % KEY_TABLE_SEGMENT != 0)
        return;
    if (count == KEY_TABLE_SEGMENT) {
        KeyNode **first = t->buckets;
        t->segments = mem_alloc(ALLOC_LINK, 2 * sizeof *t->segments);
        t->segments[0] = first;
    } else if (is_power(segment)) {
        resize(t, 2 * segment);
    }
    t->segments[segment] = mem_alloc(ALLOC_LINK, KEY_TABLE_SEGMENT * sizeof(KeyNode *));
}

/* After as many were taken away. */
static void give_room_back(KeyTable *t) {
    uint32_t count = t->bucket_count, segment = count / KEY_TABLE_SEGMENT;
    if (count < KEY_TABLE_SEGMENT) {
        if (is_power(count))
            resize(t, count);
        return;
    }
    if (count % KEY_TABLE_SEGMENT != 0)
        return;
    mem_free(ALLOC_LINK, t->segments[segment]);
    if (count == KEY_TABLE_SEGMENT) {
        KeyNode **first = t->segments[0];
        mem_free(ALLOC_LINK, t->segments);
        t->buckets = first;
    } else if (is_power(segment)) {
        resize(t, segment);
    }
}

/* Those of a bucket that is there now come from its buddy. */
static void split(KeyTable *t, uint32_t index) {
    KeyNode **to = bucket_at(t, index), **at = bucket_at(t, linear_buddy(index)), *n;
    *to = NULL;
    while ((n = *at) != NULL) {
        if (index_of(t, n->key) != index) {
            at = &n->next;
            continue;
        }
        *at = n->next;
        push(to, n);
    }
}

/* Their nodes are likely not in any cache: so they come there at the same time. */
static inline void prefetch(const KeyTable *t, uint32_t first) {
    for (uint32_t i = 0; i < STEP; i++)
        __builtin_prefetch(*bucket_at(t, first + i));
}

static void grow(KeyTable *t) {
    uint32_t first = t->bucket_count;
    make_room(t);
    t->bucket_count += STEP;
    prefetch(t, linear_buddy(first));
    for (uint32_t i = 0; i < STEP; i++)
        split(t, first + i);
}

static void merge(KeyTable *t, uint32_t index) {
    KeyNode **buddy = bucket_at(t, linear_buddy(index));
    for (KeyNode *n = *bucket_at(t, index), *next; n != NULL; n = next) {
        next = n->next;
        push(buddy, n);
    }
}

static void shrink(KeyTable *t) {
    uint32_t first = t->bucket_count - STEP;
    prefetch(t, first);
    for (uint32_t i = 0; i < STEP; i++)
        merge(t, first + i);
    t->bucket_count = first;
    give_room_back(t);
}

void key_table_add(KeyTable *t, KeyNode *node) {
    if (t->count >= KEY_TABLE_INLINE && t->bucket_count == 0)
        make_buckets(t);
    else if (t->count >= t->bucket_count && t->bucket_count != 0)
        grow(t);
    push(chain_of(t, node->key), node);
    t->count++;
}

static void removed_one(KeyTable *t) {
    t->count--;
    while (t->bucket_count > STEP && t->bucket_count > BUCKETS_PER_NODE * t->count)
        shrink(t);
    if (t->bucket_count == STEP && t->count <= KEY_TABLE_INLINE / 2)
        make_list(t);
}

KeyNode *key_table_remove(KeyTable *t, uint64_t key) {
    KeyNode **at = chain_of(t, key), *n;
    while ((n = *at) && n->key != key)
        at = &n->next;
    if (!n)
        return NULL;
    *at = n->next;
    removed_one(t);
    return n;
}

/* The first of the last STEP buckets; NULL: they are empty. */
static KeyNode **last_chain(const KeyTable *t) {
    for (uint32_t i = 1; i <= STEP; i++) {
        KeyNode **chain = bucket_at(t, t->bucket_count - i);
        if (*chain != NULL)
            return chain;
    }
    return NULL;
}

/* From the end. What is empty there goes. */
KeyNode *key_table_take_any(KeyTable *t) {
    if (t->count == 0)
        return NULL;
    KeyNode **chain = &t->list;
    while (t->bucket_count != 0 && (chain = last_chain(t)) == NULL)
        shrink(t);
    KeyNode *n = *chain;
    *chain = n->next;
    removed_one(t);
    return n;
}

void key_table_each(const KeyTable *t, void (*each)(KeyNode *, void *), void *data) {
    uint32_t chains = t->bucket_count == 0 ? 1 : t->bucket_count;
    unsigned left = LONG_WORK_ROUND;
    for (uint32_t i = 0; i < chains; i++) {
        KeyNode *n = t->bucket_count == 0 ? t->list : *bucket_at(t, i), *next;
        for (; n; n = next) {
            next = n->next;
            each(n, data);
            left = long_work_step(left, UNITS_TO_LOOK);
        }
    }
    long_work_rest(left, UNITS_TO_LOOK);
}

size_t key_table_bytes(const KeyTable *t) {
    uint32_t count = t->bucket_count;
    if (count <= KEY_TABLE_SEGMENT)
        return count == 0 ? 0 : power_above(count) * sizeof(KeyNode *);
    uint32_t segments = (count + KEY_TABLE_SEGMENT - 1) / KEY_TABLE_SEGMENT;
    return ((size_t)segments * KEY_TABLE_SEGMENT + power_above(segments)) * sizeof(KeyNode *);
}
