/* Keys and values of two large maps of one size, by ascending keys: working memory of one comparison. For compare.c. */
#ifndef VIV_TERM_COMPARE_MAP_H
#define VIV_TERM_COMPARE_MAP_H

#include "term/term.h"

typedef struct SortedMaps SortedMaps;
struct SortedMaps {
    SortedMaps *next;
    Term *keys_a, *values_a, *keys_b, *values_b;
    Term words[];
};
SortedMaps *sorted_maps_make(Term a, Term b);
void sorted_maps_free(SortedMaps *list);

#endif
