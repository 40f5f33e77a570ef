/*
 * One stored object: a tuple with all that it refers to, in one block.
 *
 * An object belongs to its table. It is changed in place only by object_put_small, under the lock that excludes its
 * readers; everything else makes a new object. Copies out go into the reader's area while the reader holds the lock.
 */
#ifndef VIV_ETS_OBJECT_H
#define VIV_ETS_OBJECT_H

#include "term/area.h"

typedef struct Object Object;
struct Object {
    Object *link[2];  /* hash: the next in the bucket; tree: smaller and greater */
    uint32_t hash;
    bool deleted;     /* hash, while the table is fixed: gone for all but traversals that stand on it */
    int8_t balance;   /* tree */
    uint32_t words;   /* in `words` */
    OffHeap *off_heap;
    Term tuple_words[];
};

/* A copy of `tuple`. */
Object *object_create(Term tuple);
void object_free(Object *object);
static inline Term object_tuple(const Object *o) { return boxed_make(o->tuple_words); }
static inline Term object_element(const Object *o, size_t position) { return o->tuple_words[position]; }
static inline size_t object_arity(const Object *o) { return header_arity(o->tuple_words[0]); }
/* Words of memory that the object takes, as ets:info(_, memory) counts. */
static inline size_t object_memory(const Object *o) { return sizeof(Object) / WORD_BYTES + o->words; }
/* Replaces an immediate by an immediate. */
static inline void object_put_immediate(Object *o, size_t position, Term t) { o->tuple_words[position] = t; }

#endif
