#include "process/dictionary.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/compare.h"

#define CAPACITY_MIN 8
#define UNITS_TO_MOVE 50 /* a pair, of long work */
#define UNITS_TO_LOOK 10 /* at a place, and to tell it */

static Dictionary *dictionary_create(uint32_t capacity) {
    Dictionary *d = mem_alloc(ALLOC_PROCESS_MISC, sizeof *d + 2 * (size_t)capacity * sizeof(Term));
    d->count = 0;
    d->capacity = capacity;
    d->shift = (uint32_t)__builtin_clz(capacity) + 1;
    for (uint32_t i = 0; i < 2 * capacity; i++)
        d->pairs[i] = NON_VALUE;
    return d;
}

static uint32_t place_of_large(const Dictionary *d, Term key, uint32_t hash) {
    uint32_t i = dictionary_home(d, hash), mask = d->capacity - 1;
    for (Term at; at = d->pairs[2 * i], is_value(at) && !term_identical(at, key);)
        i = (i + 1) & mask;
    return i;
}

static uint32_t place_of(const Dictionary *d, Term key) {
    return dictionary_key_is_word(key) ? dictionary_place_of_word(d, key)
                                       : place_of_large(d, key, dictionary_hash(key));
}

Term dictionary_get(const Process *p, Term key) {
    const Dictionary *d = p->dictionary;
    return d ? d->pairs[2 * place_of(d, key) + 1] : NON_VALUE;
}

Term dictionary_get_hashed(const Process *p, Term key, uint32_t hash) {
    const Dictionary *d = p->dictionary;
    return d ? d->pairs[2 * place_of_large(d, key, hash) + 1] : NON_VALUE;
}

static void resize(Process *p, uint32_t capacity) {
    Dictionary *old = p->dictionary, *d = dictionary_create(capacity);
    if (old)
        long_work_count_large(old->capacity, UNITS_TO_MOVE);
    for (uint32_t i = 0; old && i < old->capacity; i++) {
        if (!is_value(old->pairs[2 * i]))
            continue;
        uint32_t to = place_of(d, old->pairs[2 * i]);
        d->pairs[2 * to] = old->pairs[2 * i];
        d->pairs[2 * to + 1] = old->pairs[2 * i + 1];
        d->count++;
    }
    mem_free(ALLOC_PROCESS_MISC, old);
    p->dictionary = d;
}

static void grow(Process *p) {
    const Dictionary *d = p->dictionary;
    if (!d)
        resize(p, CAPACITY_MIN);
    else if ((d->count + 1) * 4 > d->capacity * 3)
        resize(p, d->capacity * 2);
}

/* Each collection looks at all places, whatever is in them. */
static void shrink(Process *p) {
    const Dictionary *d = p->dictionary;
    if (d->count == 0)
        dictionary_erase_all(p);
    else if (d->count < d->capacity / 8 && d->capacity > CAPACITY_MIN)
        resize(p, d->capacity / 2);
}

Term dictionary_put(Process *p, Term key, Term value) {
    grow(p);
    Dictionary *d = p->dictionary;
    Term *pair = &d->pairs[2 * place_of(d, key)];
    Term old = pair[1];
    if (!is_value(pair[0])) {
        pair[0] = key;
        d->count++;
    }
    pair[1] = value;
    return old;
}

/* Fills the hole at i with the next entry of the run that may stand there, and so on. */
static void close_hole(Dictionary *d, uint32_t i) {
    uint32_t mask = d->capacity - 1;
    for (uint32_t j = (i + 1) & mask; is_value(d->pairs[2 * j]); j = (j + 1) & mask) {
        uint32_t home = dictionary_home(d, dictionary_hash(d->pairs[2 * j]));
        if (((j - home) & mask) < ((j - i) & mask))
            continue;
        d->pairs[2 * i] = d->pairs[2 * j];
        d->pairs[2 * i + 1] = d->pairs[2 * j + 1];
        i = j;
    }
    d->pairs[2 * i] = d->pairs[2 * i + 1] = NON_VALUE;
}

Term dictionary_erase(Process *p, Term key) {
    Dictionary *d = p->dictionary;
    if (!d)
        return NON_VALUE;
    uint32_t i = place_of(d, key);
    Term old = d->pairs[2 * i + 1];
    if (!is_value(d->pairs[2 * i]))
        return NON_VALUE;
    close_hole(d, i);
    d->count--;
    shrink(p);
    return old;
}

void dictionary_erase_all(Process *p) {
    mem_free(ALLOC_PROCESS_MISC, p->dictionary);
    p->dictionary = NULL;
}

typedef struct {
    const Dictionary *d;
    uint32_t place;
    unsigned left;
} Walk;

static Walk walk_begin(const Process *p) { return (Walk){.d = p->dictionary, .left = LONG_WORK_ROUND}; }

/* NULL: that was all. */
static const Term *next_pair(Walk *w) {
    while (w->d != NULL && w->place < w->d->capacity) {
        const Term *pair = &w->d->pairs[2 * w->place++];
        w->left = long_work_step(w->left, UNITS_TO_LOOK);
        if (is_value(pair[0]))
            return pair;
    }
    long_work_rest(w->left, UNITS_TO_LOOK);
    return NULL;
}

Term dictionary_to_list(const Process *p, Area *area) {
    Walk w = walk_begin(p);
    Term list = NIL;
    for (const Term *pair; (pair = next_pair(&w)) != NULL;)
        list = area_cons(area, area_tuple2(area, pair[0], pair[1]), list);
    return list;
}

Term dictionary_keys(const Process *p, Area *area) {
    Walk w = walk_begin(p);
    Term list = NIL;
    for (const Term *pair; (pair = next_pair(&w)) != NULL;)
        list = area_cons(area, pair[0], list);
    return list;
}

Term dictionary_keys_of(const Process *p, Area *area, Term value) {
    Walk w = walk_begin(p);
    Term list = NIL;
    for (const Term *pair; (pair = next_pair(&w)) != NULL;)
        if (term_identical(pair[1], value))
            list = area_cons(area, pair[0], list);
    return list;
}

size_t dictionary_bytes(const Process *p) {
    return p->dictionary ? sizeof *p->dictionary + 2 * (size_t)p->dictionary->capacity * sizeof(Term) : 0;
}
