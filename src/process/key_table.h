/*
 * A hash table of nodes that the user allocates, by a 64-bit key: links by pid, monitors by reference, timers.
 *
 * No step takes long, however many nodes there are: the table grows and shrinks by a few buckets
 * (base/linear_hash.h), which lie in segments, so it is never moved as a whole. It has as many buckets as nodes, and
 * gives buckets back when it has four times as many. An empty table takes no memory of its own, one of up to
 * KEY_TABLE_INLINE nodes is a list. Keys may repeat only if the user looks at all matches himself (nobody does). One
 * owner; no locks.
 */
#ifndef VIV_PROCESS_KEY_TABLE_H
#define VIV_PROCESS_KEY_TABLE_H

#include "base/defs.h"

typedef struct KeyNode {
    struct KeyNode *next;
    uint64_t key;
} KeyNode;

#define KEY_TABLE_INLINE 8
#define KEY_TABLE_SEGMENT 256 /* buckets */
typedef struct {
    union {
        KeyNode *list;        /* bucket_count == 0 */
        KeyNode **buckets;    /* room for the next power of two of them, up to KEY_TABLE_SEGMENT */
        KeyNode ***segments;  /* room for the next power of two of them */
    };
    uint32_t count, bucket_count;
} KeyTable;

KeyNode *key_table_find(const KeyTable *table, uint64_t key);
void key_table_add(KeyTable *table, KeyNode *node);
/* The node taken out, NULL when it is not there. */
KeyNode *key_table_remove(KeyTable *table, uint64_t key);
/* Some node taken out, NULL when the table is empty: for taking everything apart. */
KeyNode *key_table_take_any(KeyTable *table);
/* Counts long work. `each` may free the node. */
void key_table_each(const KeyTable *table, void (*each)(KeyNode *node, void *data), void *data);
/* Bytes of buckets. */
size_t key_table_bytes(const KeyTable *table);

#endif
