#include "process/key_table.h"

#include "alloc/alloc.h"

static inline uint32_t bucket_of(const KeyTable *t, uint64_t key) {
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & t->mask;
}

static inline KeyNode **chain_of(KeyTable *t, uint64_t key) {
    return t->mask == 0 ? &t->list : &t->buckets[bucket_of(t, key)];
}

KeyNode *key_table_find(const KeyTable *t, uint64_t key) {
    KeyNode *n = *chain_of((KeyTable *)t, key);
    while (n && n->key != key)
        n = n->next;
    return n;
}

static void rehash(KeyTable *t, uint32_t buckets) {
    KeyTable bigger = {.count = t->count, .mask = buckets - 1};
    bigger.buckets = mem_calloc(ALLOC_LINK, buckets * sizeof(KeyNode *));
    for (uint32_t i = 0; i <= t->mask; i++) {
        KeyNode *n = t->mask == 0 ? t->list : t->buckets[i];
        while (n) {
            KeyNode *next = n->next, **chain = chain_of(&bigger, n->key);
            n->next = *chain;
            *chain = n;
            n = next;
        }
    }
    if (t->mask)
        mem_free(ALLOC_LINK, t->buckets);
    *t = bigger;
}

void key_table_add(KeyTable *t, KeyNode *node) {
    if (t->mask == 0 ? t->count >= KEY_TABLE_INLINE : t->count >= 2 * (t->mask + 1))
        rehash(t, t->mask == 0 ? 2 * KEY_TABLE_INLINE : 4 * (t->mask + 1));
    KeyNode **chain = chain_of(t, node->key);
    node->next = *chain;
    *chain = node;
    t->count++;
}

static void removed_one(KeyTable *t) {
    if (--t->count == 0 && t->mask) {
        mem_free(ALLOC_LINK, t->buckets);
        *t = (KeyTable){0};
    }
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

/* A table that is taken apart becomes a list first, so that each node is found at once. */
static void flatten(KeyTable *t) {
    KeyNode *list = NULL;
    for (uint32_t i = 0; i <= t->mask; i++) {
        for (KeyNode *n = t->buckets[i], *next; n; n = next) {
            next = n->next;
            n->next = list;
            list = n;
        }
    }
    mem_free(ALLOC_LINK, t->buckets);
    t->mask = 0;
    t->list = list;
}

KeyNode *key_table_take_any(KeyTable *t) {
    if (t->count == 0)
        return NULL;
    if (t->mask)
        flatten(t);
    KeyNode *n = t->list;
    t->list = n->next;
    t->count--;
    return n;
}

void key_table_each(const KeyTable *t, void (*each)(KeyNode *, void *), void *data) {
    for (uint32_t i = 0; i <= t->mask; i++) {
        KeyNode *n = t->mask == 0 ? t->list : t->buckets[i], *next;
        for (; n; n = next) {
            next = n->next;
            each(n, data);
        }
    }
}

size_t key_table_bytes(const KeyTable *t) { return t->mask ? (t->mask + 1) * sizeof(KeyNode *) : 0; }
