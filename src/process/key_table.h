/*
 * A hash table of nodes that the user allocates, by a 64-bit key: links by pid, monitors by reference.
 *
 * An empty table takes no memory of its own, one of up to KEY_TABLE_INLINE nodes is a list. Keys may repeat only if the
 * user looks at all matches himself (nobody does). One owner; no locks.
 */
#ifndef VIV_PROCESS_KEY_TABLE_H
#define VIV_PROCESS_KEY_TABLE_H

#include "base/defs.h"

typedef struct KeyNode {
    struct KeyNode *next;
    uint64_t key;
} KeyNode;

#define KEY_TABLE_INLINE 8
typedef struct {
    union {
        KeyNode *list;     /* mask == 0 */
        KeyNode **buckets; /* mask + 1 of them */
    };
    uint32_t count, mask;
} KeyTable;

KeyNode *key_table_find(const KeyTable *table, uint64_t key);
void key_table_add(KeyTable *table, KeyNode *node);
/* The node taken out, NULL when it is not there. */
KeyNode *key_table_remove(KeyTable *table, uint64_t key);
/* Some node taken out, NULL when the table is empty: for taking everything apart. */
KeyNode *key_table_take_any(KeyTable *table);
void key_table_each(const KeyTable *table, void (*each)(KeyNode *node, void *data), void *data);
/* Bytes of buckets. */
size_t key_table_bytes(const KeyTable *table);

#endif
