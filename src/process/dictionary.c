#include "process/dictionary.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/compare.h"
#include "term/hash.h"

#define CAPACITY_MIN 8
#define UNITS_TO_MOVE 50 /* a pair, of long work */

static Dictionary *dictionary_create(uint32_t capacity) {
    Dictionary *d = mem_alloc(ALLOC_PROCESS_MISC, sizeof *d + 2 * (size_t)capacity * sizeof(Term));
    d->count = 0;
    d->capacity = capacity;
    for (uint32_t i = 0; i < 2 * capacity; i++)
        d->pairs[i] = NON_VALUE;
    return d;
}

/* The key's place, or the empty one where it would stand. */
static uint32_t place_of(const Dictionary *d, Term key) {
    uint32_t i = term_hash(key) & (d->capacity - 1);
    while (is_value(d->pairs[2 * i]) && !term_identical(d->pairs[2 * i], key))
        i = (i + 1) & (d->capacity - 1);
    return i;
}

Term dictionary_get(const Process *p, Term key) {
    const Dictionary *d = p->dictionary;
    return d ? d->pairs[2 * place_of(d, key) + 1] : NON_VALUE;
}

static void grow(Process *p) {
    Dictionary *old = p->dictionary;
    if (old && (old->count + 1) * 4 <= old->capacity * 3)
        return;
    if (old)
        long_work_count_large(old->capacity, UNITS_TO_MOVE);
    Dictionary *d = dictionary_create(old ? old->capacity * 2 : CAPACITY_MIN);
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
        uint32_t home = term_hash(d->pairs[2 * j]) & mask;
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
    if (--d->count == 0)
        dictionary_erase_all(p);
    return old;
}

void dictionary_erase_all(Process *p) {
    mem_free(ALLOC_PROCESS_MISC, p->dictionary);
    p->dictionary = NULL;
}

Term dictionary_to_list(const Process *p, Area *area) {
    const Dictionary *d = p->dictionary;
    Term list = NIL;
    for (uint32_t i = 0; d && i < d->capacity; i++)
        if (is_value(d->pairs[2 * i]))
            list = area_cons(area, area_tuple2(area, d->pairs[2 * i], d->pairs[2 * i + 1]), list);
    return list;
}

Term dictionary_keys(const Process *p, Area *area) {
    const Dictionary *d = p->dictionary;
    Term list = NIL;
    for (uint32_t i = 0; d && i < d->capacity; i++)
        if (is_value(d->pairs[2 * i]))
            list = area_cons(area, d->pairs[2 * i], list);
    return list;
}

Term dictionary_keys_of(const Process *p, Area *area, Term value) {
    const Dictionary *d = p->dictionary;
    Term list = NIL;
    for (uint32_t i = 0; d && i < d->capacity; i++)
        if (is_value(d->pairs[2 * i]) && term_identical(d->pairs[2 * i + 1], value))
            list = area_cons(area, d->pairs[2 * i], list);
    return list;
}

size_t dictionary_bytes(const Process *p) {
    return p->dictionary ? sizeof *p->dictionary + 2 * (size_t)p->dictionary->capacity * sizeof(Term) : 0;
}
