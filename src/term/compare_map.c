#include "term/compare_map.h"

#include "alloc/alloc.h"
#include "term/compare.h"
#include "term/map.h"

#include <stdlib.h>

typedef struct {
    Term key, value;
} Pair;

static int by_key(const void *a, const void *b) {
    return term_compare_exact(((const Pair *)a)->key, ((const Pair *)b)->key);
}

static void take_sorted(Term map, Pair *pairs, Term *keys, Term *values) {
    MapIterator it;
    map_iterator_init(&it, map);
    size_t n = 0;
    while (map_iterator_next(&it, &pairs[n].key, &pairs[n].value))
        n++;
    qsort(pairs, n, sizeof *pairs, by_key);
    for (size_t i = 0; i < n; i++) {
        keys[i] = pairs[i].key;
        values[i] = pairs[i].value;
    }
}

SortedMaps *sorted_maps_make(Term a, Term b) {
    size_t n = map_size(a);
    SortedMaps *s = mem_alloc(ALLOC_TEMP, sizeof *s + 4 * n * sizeof(Term));
    s->keys_a = s->words;
    s->values_a = s->keys_a + n;
    s->keys_b = s->values_a + n;
    s->values_b = s->keys_b + n;
    Pair *pairs = mem_alloc(ALLOC_TEMP, n * sizeof *pairs);
    take_sorted(a, pairs, s->keys_a, s->values_a);
    take_sorted(b, pairs, s->keys_b, s->values_b);
    mem_free(ALLOC_TEMP, pairs);
    return s;
}

void sorted_maps_free(SortedMaps *s) {
    while (s != NULL) {
        SortedMaps *next = s->next;
        mem_free(ALLOC_TEMP, s);
        s = next;
    }
}
