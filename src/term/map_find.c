#include "term/map_find.h"

#include "term/compare.h"
#include "term/hash.h"
#include "term/map_trie.h"

/* The last one of a tuple's elements, counted from 1, that is the same word in all that equals the tuple; 0: none of
 * those at its end is. */
#define LAST_ELEMENTS 4
static size_t telling_element(Term tuple) {
    size_t arity = tuple_arity(tuple), at = arity;
    while (at > 0 && arity - at < LAST_ELEMENTS && !map_key_is_plain(tuple_elements(tuple)[at - 1]))
        at--;
    return arity - at < LAST_ELEMENTS ? at : 0;
}

/* A key is compared as a whole where it has that element. */
static size_t find_by_element(const Term *keys, size_t count, Term key, size_t at) {
    Term header = boxed_header(key), element = tuple_elements(key)[at - 1];
    size_t i = 0;
    while (i < count && !(is_boxed(keys[i]) && boxed_header(keys[i]) == header &&
                          tuple_elements(keys[i])[at - 1] == element && term_identical(keys[i], key)))
        i++;
    return i;
}

size_t flat_map_find_equal(const Term *keys, size_t count, Term key) {
    size_t at = is_tuple(key) ? telling_element(key) : 0, i = 0;
    if (at > 0)
        return find_by_element(keys, count, key, at);
    while (i < count && !term_identical(keys[i], key))
        i++;
    return i;
}

const Term *map_get(Term map, Term key) {
    if (likely(is_flat_map(map))) {
        size_t count = flat_map_size(map), i = flat_map_find(flat_map_keys(map), count, key);
        return i == count ? NULL : &flat_map_ptr(map)->values[i];
    }
    return trie_get(hash_map_ptr(map)->root, key, term_hash(key));
}

const Term *map_get_hashed(Term map, Term key, uint32_t hash) {
    return is_flat_map(map) ? map_get(map, key) : trie_get(hash_map_ptr(map)->root, key, hash);
}
