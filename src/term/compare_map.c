#include "term/compare_map.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/compare.h"
#include "term/map.h"

/* Those keys of `a` that `b` has not got; `swapped`: a and b have changed places. */
static size_t gather_keys(Term a, Term b, bool swapped, MapDifference *to) {
    MapIterator it;
    size_t count = 0;
    Term key, value;
    map_iterator_init(&it, a);
    while (map_iterator_next(&it, &key, &value))
        if (map_get(b, key) == NULL) {
            const Term *mine = map_get(a, key);
            to[count++] = (MapDifference){key, swapped ? NULL : mine, swapped ? mine : NULL};
        }
    return count;
}

static size_t gather_values(Term a, Term b, bool exact, MapDifference *to) {
    MapIterator it;
    size_t count = 0;
    Term key, value;
    map_iterator_init(&it, a);
    while (map_iterator_next(&it, &key, &value)) {
        const Term *other = map_get(b, key);
        if (value != *other && !(exact ? term_identical(value, *other) : term_equal(value, *other)))
            to[count++] = (MapDifference){key, map_get(a, key), other};
    }
    return count;
}

#define UNITS_PER_KEY 300 /* to look the keys of two maps up in each other */

MapDifference *map_differences(Term a, Term b, bool exact, size_t *count) {
    size_t size = map_size(a);
    long_work_count_large(size, UNITS_PER_KEY);
    MapDifference *differences = mem_alloc(ALLOC_TEMP, 2 * size * sizeof *differences);
    *count = gather_keys(a, b, false, differences);
    if (*count > 0) /* then `b` has as many of its own */
        *count += gather_keys(b, a, true, differences + *count);
    else
        *count = gather_values(a, b, exact, differences);
    if (*count > 0)
        return differences;
    mem_free(ALLOC_TEMP, differences);
    return NULL;
}
