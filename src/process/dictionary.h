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
#include "term/hash.h"

typedef struct Dictionary {
    uint32_t count, capacity; /* entries, places; a power of two */
    uint32_t shift;           /* of a hash, to a place */
    Term pairs[];
} Dictionary;

/* Most keys are one of these, and have one word each: that is compared, and has a hash of its own. */
static inline bool dictionary_key_is_word(Term key) { return is_atom(key) || is_small(key); }
static inline uint32_t dictionary_hash_of_word(Term key) { return (uint32_t)(key * MIX_GOLDEN >> 32); }
static inline uint32_t dictionary_hash(Term key) {
    return dictionary_key_is_word(key) ? dictionary_hash_of_word(key) : term_hash(key);
}
/* The place where a key of that hash stands, if no other stood there before. */
static inline uint32_t dictionary_home(const Dictionary *d, uint32_t hash) { return hash >> d->shift; }
/* The key's place, or the empty one where it would stand. */
static inline uint32_t dictionary_place_of_word(const Dictionary *d, Term key) {
    uint32_t i = dictionary_home(d, dictionary_hash_of_word(key)), mask = d->capacity - 1;
    for (Term at; at = d->pairs[2 * i], at != key && is_value(at);)
        i = (i + 1) & mask;
    return i;
}

/* NON_VALUE when it is not there. */
Term dictionary_get(const Process *p, Term key);
static inline Term dictionary_get_word(const Process *p, Term key) {
    const Dictionary *d = p->dictionary;
    return d ? d->pairs[2 * dictionary_place_of_word(d, key) + 1] : NON_VALUE;
}
/* The same of a key that is more than a word, whose dictionary_hash is known. */
Term dictionary_get_hashed(const Process *p, Term key, uint32_t hash);
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
