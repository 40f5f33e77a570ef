#include "term/map_place.h"

#include "term/compare.h"

/* A small integer where the first key is one: all that are not stand behind those. Nothing here jumps by what a key is:
 * where among some dozen one stands cannot be foretold, and a wrong guess costs as much as all of them. */
static size_t place_of_small(const Term *keys, size_t count, Term key) {
    size_t place = 0;
    for (size_t i = 0; i < count; i++)
        place += is_small(keys[i]) & ((SWord)keys[i] < (SWord)key);
    return place;
}

/* An atom where the first key is one: no number stands there. */
static size_t place_of_atom(const Term *keys, size_t count, Term key) {
    size_t place = 0;
    while (place < count && is_atom(keys[place]) && term_compare_keys(keys[place], key) < 0)
        place++;
    return place;
}

/* A pair of a plain term and a small integer, as {b_var, 12}. */
static bool is_numbered(Term key) {
    return is_tuple(key) && tuple_arity(key) == 2 && map_key_is_plain(tuple_elements(key)[0]) &&
           is_small(tuple_elements(key)[1]);
}

/* A numbered pair where the first key is another of the same kind: among tuples of two those of the kind come first,
 * and of these the ones with small integers, for the first key is one. */
static size_t place_of_numbered(const Term *keys, size_t count, Term key) {
    Term header = boxed_header(key), kind = tuple_elements(key)[0], number = tuple_elements(key)[1];
    size_t place = 0;
    for (size_t i = 0; i < count && is_boxed(keys[i]) && boxed_header(keys[i]) == header; i++) {
        const Term *pair = tuple_elements(keys[i]);
        place += (pair[0] == kind) & is_small(pair[1]) & ((SWord)pair[1] < (SWord)number);
    }
    return place;
}

static size_t place_of_other(const Term *keys, size_t count, Term key, bool *found) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = term_compare_keys(keys[middle], key);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = false;
    return low;
}

size_t map_place(const Term *keys, size_t count, Term key, bool *found) {
    size_t place;
    if (count > 0 && are_small(keys[0], key))
        place = place_of_small(keys, count, key);
    else if (count > 0 && is_atom(keys[0]) && is_atom(key))
        place = place_of_atom(keys, count, key);
    else if (count > 0 && is_numbered(key) && is_numbered(keys[0]) &&
             tuple_elements(keys[0])[0] == tuple_elements(key)[0])
        place = place_of_numbered(keys, count, key);
    else
        return place_of_other(keys, count, key, found);
    *found = place < count && term_identical(keys[place], key);
    return place;
}
