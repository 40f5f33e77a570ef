/*
 * The process dictionary: an open-addressing hash table of keys and values, one block of words that the collector
 * scans.
 *
 * Empty places hold NON_VALUE in both words. At most three quarters full, and an eighth at least but for the smallest.
 * A removal moves later entries of the same run back, so there are no tombstones. Belongs to its process. Source:
 * erlang(3) put/2, get/0,1, erase/0,1, get_keys/0,1.
 */
#ifndef VIV_PROCESS_DICTIONARY_H
#define VIV_PROCESS_DICTIONARY_H

#include "process/process.h"

typedef struct Dictionary {
    uint32_t count, capacity; /* entries, places; a power of two */
    Term pairs[];
} Dictionary;

/* NON_VALUE when it is not there. */
Term dictionary_get(const Process *p, Term key);
/* The old value, or NON_VALUE. */
Term dictionary_put(Process *p, Term key, Term value);
Term dictionary_erase(Process *p, Term key);
void dictionary_erase_all(Process *p);
/* As a list [{Key, Value}], the keys alone, the keys of one value: built in `area`. */
Term dictionary_to_list(const Process *p, Area *area);
Term dictionary_keys(const Process *p, Area *area);
Term dictionary_keys_of(const Process *p, Area *area, Term value);
size_t dictionary_bytes(const Process *p);
/* For max_heap_size: what the pairs take on a heap, as tuples; the stock runtime has them there. */
static inline size_t dictionary_words_beside(const Process *p) {
    return p->dictionary ? 3 * (size_t)p->dictionary->count : 0;
}

#endif
