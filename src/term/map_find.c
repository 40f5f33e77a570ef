#include "term/map_find.h"

#include "term/hash.h"
#include "term/map_trie.h"

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
