#include "emu/maps.h"

#include "alloc/alloc.h"
#include "emu/interp.h"

#define PAIRS_ON_STACK 64

/* The operands' values, in `fixed` when they fit. */
static Term *fetch(const Term *x, const Term *E, const Word *list, size_t words, Term *fixed) {
    Term *pairs = words <= PAIRS_ON_STACK ? fixed : mem_alloc(ALLOC_TEMP, words * sizeof(Term));
    for (size_t i = 0; i < words; i++)
        pairs[i] = source_value(x, E, list[i]);
    return pairs;
}

static void drop(Term *pairs, const Term *fixed) {
    if (pairs != fixed)
        mem_free(ALLOC_TEMP, pairs);
}

Term emu_new_map(Process *p, const Term *x, const Term *E, Term keys, const Word *list, size_t count) {
    FlatMap *map = (FlatMap *)area_alloc(process_area(p), sizeof(FlatMap) / sizeof(Term) + count);
    map->header = header_make(KIND_FLAT_MAP, 1 + count);
    map->keys = keys;
    for (size_t i = 0; i < count; i++)
        map->values[i] = source_value(x, E, list[i]);
    return boxed_make(map);
}

Term emu_put_map(Process *p, const Term *x, const Term *E, Term map, const Word *list, size_t words) {
    if (words == 2)
        return map_put(process_area(p), map, source_value(x, E, list[0]), source_value(x, E, list[1]));
    Term fixed[PAIRS_ON_STACK];
    Term *pairs = fetch(x, E, list, words, fixed);
    Term result = map_put_many(process_area(p), map, pairs, words / 2);
    drop(pairs, fixed);
    return result;
}

Term emu_update_map(Process *p, const Term *x, const Term *E, Term map, const Word *list, size_t words, Term *missing) {
    if (words == 2) {
        *missing = source_value(x, E, list[0]);
        return map_update(process_area(p), map, *missing, source_value(x, E, list[1]));
    }
    Term fixed[PAIRS_ON_STACK];
    Term *pairs = fetch(x, E, list, words, fixed);
    Term result = map_update_many(process_area(p), map, pairs, words / 2, missing);
    drop(pairs, fixed);
    return result;
}
