/*
 * Iterators of large maps, as Erlang code has them: from the first child to the last, by positions, so that one can go
 * on at any time without keeping the way (map_iterate.c goes the other way round).
 */
#include "term/hash.h"
#include "term/map.h"
#include "term/map_trie.h"

/* The hash with its nibbles turned round: what rises along an iterator's way. */
static uint32_t position_of(Term key) {
    uint32_t h = __builtin_bswap32(term_hash(key));
    return (h & 0x0f0f0f0f) << 4 | (h >> 4 & 0x0f0f0f0f);
}

/* What is still to come, from the first child to the last; the innermost node last. */
typedef struct {
    unsigned depth;
    struct {
        const Term *next, *end;
    } level[MAP_LEVELS + 1];
} Forward;

static void forward_enter(Forward *f, Term node, size_t skip) {
    const Term *p = boxed_ptr(node);
    f->level[f->depth].next = p + 2 + skip;
    f->level[f->depth].end = p + 2 + node_count(p);
    f->depth++;
}

static Term forward_next(Forward *f) {
    while (f->depth > 0) {
        unsigned top = f->depth - 1;
        if (f->level[top].next == f->level[top].end) {
            f->depth--;
            continue;
        }
        Term child = *f->level[top].next++;
        if (is_list(child))
            return child;
        forward_enter(f, child, 0);
    }
    return NO_CHILD;
}

/* Prepares *f to give the cells from `position` on. */
static void seek(Forward *f, Term node, uint32_t position) {
    f->depth = 0;
    for (unsigned level = 0;; level++) {
        const Term *p = boxed_ptr(node);
        uint32_t bitmap = node_bitmap(p);
        if (bitmap == MAP_COLLISION) {
            forward_enter(f, node, 0);
            return;
        }
        uint32_t bit = 1u << (position >> (28 - 4 * level) & 15);
        size_t below = (size_t)__builtin_popcount(bitmap & (bit - 1));
        Term child = (bitmap & bit) == 0 ? NO_CHILD : p[2 + below];
        if (!is_boxed(child)) {
            forward_enter(f, node, below + (child != NO_CHILD && position_of(list_head(child)) < position));
            return;
        }
        forward_enter(f, node, below + 1);
        node = child;
    }
}

/* A position is the turned hash of the next key, and how many keys of the same hash were given already. */
#define POSITION_SKIP_BITS 24
#define POSITION_SKIP_MASK (((uint64_t)1 << POSITION_SKIP_BITS) - 1)

/* How many of the last pairs have keys at that position. */
static size_t count_at(const Term *pairs, size_t count, uint32_t position) {
    size_t same = 0;
    while (same < count && position_of(pairs[2 * (count - 1 - same)]) == position)
        same++;
    return same;
}

/* Only where a batch begins and ends hashes are asked for: the keys of one hash stand side by side. */
size_t map_next(Term map, uint64_t *position, Term *pairs, size_t max) {
    if (*position >> POSITION_SKIP_BITS > UINT32_MAX) {
        *position = MAP_POSITION_END;
        return 0;
    }
    Forward f;
    uint32_t first = (uint32_t)(*position >> POSITION_SKIP_BITS);
    uint64_t given = *position & POSITION_SKIP_MASK, skipped = 0;
    seek(&f, hash_map_ptr(map)->root, first);
    size_t count = 0;
    for (Term cell; (cell = forward_next(&f)) != NO_CHILD;) {
        if (skipped < given && count == 0 && position_of(list_head(cell)) == first) {
            skipped++;
            continue;
        }
        if (count == max) {
            uint32_t next = position_of(list_head(cell));
            uint64_t same = count_at(pairs, count, next);
            if (same == count && next == first)
                same += skipped;
            *position = (uint64_t)next << POSITION_SKIP_BITS | same;
            return count;
        }
        pairs[2 * count] = list_head(cell);
        pairs[2 * count + 1] = list_tail(cell);
        count++;
    }
    *position = MAP_POSITION_END;
    return count;
}
