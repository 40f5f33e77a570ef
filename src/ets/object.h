/*
 * One stored object: a tuple with all that it refers to, in one block.
 *
 * An object belongs to its table. It is changed in place only by object_put_immediate and object_overwrite, under the
 * lock that excludes its readers; everything else makes a new object. Copies out go into the reader's area while the
 * reader holds the lock.
 *
 * In a compressed table the elements other than the key are kept packed (ets/packed.h) where that is smaller: their
 * bytes lie behind the words, and the element is a number that is no term. Only the functions here know; what they hand
 * out are terms. Elements that are not packed (immediate ones, the key, what cannot be packed) are as in other tables.
 */
#ifndef VIV_ETS_OBJECT_H
#define VIV_ETS_OBJECT_H

#include "heap/heap.h"

typedef struct Object Object;
struct Object {
    union {
        Object *link[2]; /* tree: smaller and greater */
        struct {
            Object *next; /* hash: in the bucket. link[0] */
            uint64_t generation; /* hash: of the table when it came; 0: deleted (ets/hash.h) */
        };
    };
    uint32_t hash;
    bool noted;       /* hash: its bucket will be purged */
    bool packed;      /* there are packed elements */
    int8_t balance;   /* tree */
    uint32_t words;   /* in all, packed bytes included */
    uint32_t term_words; /* before the packed bytes */
    OffHeap *off_heap;
    Term tuple_words[];
};

/* A copy of `tuple`. */
Object *object_create(Term tuple);
/* The same with all but the element at `keypos` packed, where that is smaller. */
Object *object_create_packed(Term tuple, uint32_t keypos);
void object_free(Object *object);

static inline size_t object_arity(const Object *o) { return header_arity(o->tuple_words[0]); }
/* Words of memory that the object takes, as ets:info(_, memory) counts. */
static inline size_t object_memory(const Object *o) { return sizeof(Object) / WORD_BYTES + o->words; }
/* An element that is never packed: the key. */
static inline Term object_key(const Object *o, size_t position) { return o->tuple_words[position]; }
/* Replaces an immediate by an immediate. */
static inline void object_put_immediate(Object *o, size_t position, Term t) { o->tuple_words[position] = t; }

/* A plain tuple is a small one of nothing but immediate terms. */
#define OBJECT_PLAIN_MAX 8
static inline bool object_is_plain(Term tuple) {
    size_t arity = tuple_arity(tuple);
    if (arity > OBJECT_PLAIN_MAX)
        return false;
    for (size_t i = 0; i < arity; i++)
        if (is_pointer(tuple_elements(tuple)[i]))
            return false;
    return true;
}
/* Becomes a copy of a plain tuple of the same key. False: it cannot, as it is of another size or not plain itself. */
static inline bool object_overwrite(Object *o, Term tuple) {
    size_t words = 1 + tuple_arity(tuple);
    if (o->words != words || o->packed || o->tuple_words[0] != boxed_header(tuple))
        return false;
    for (size_t i = 1; i < words; i++)
        o->tuple_words[i] = boxed_ptr(tuple)[i];
    return true;
}

/* How many words the copies below take. Of an element: 0 if it is not packed, and would have to be measured. */
size_t object_copy_words(const Object *o);
size_t object_element_words(const Object *o, size_t position);
/* Copies that share nothing with the object. */
Term object_copy(const Object *o, Area *area);
Term object_copy_element(const Object *o, size_t position, Area *area);
/* words[0..arity]: header and elements. Packed ones are unpacked into `area`, the others still belong to the object. */
void object_expand(const Object *o, Term *words, Area *area);
bool object_equals(const Object *o, Term tuple); /* =:= */
bool objects_equal(const Object *a, const Object *b);

/* The tuple to look at: the object's own, or one that lies in the view until it is released. */
typedef struct {
    FragmentArea area;
    bool is_used;
} ObjectView;
Term object_view_slow(const Object *o, ObjectView *view);
static inline Term object_view(const Object *o, ObjectView *view) {
    view->is_used = false;
    return likely(!o->packed) ? boxed_make(o->tuple_words) : object_view_slow(o, view);
}
void object_view_free(ObjectView *view);
static inline void object_view_release(ObjectView *view) {
    if (unlikely(view->is_used))
        object_view_free(view);
}

#endif
