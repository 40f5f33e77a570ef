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
    f->level[f->depth].next = node_children(p) + skip;
    f->level[f->depth].end = node_children(p) + node_count(p);
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
        Term child = (bitmap & bit) == 0 ? NO_CHILD : node_children(p)[below];
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

static void pair_put(Term *pair, Term cell) {
    pair[0] = list_head(cell);
    pair[1] = list_tail(cell);
}

/* Up to so many of the next pairs; how many. The cells of a node, most of them side by side, are taken in one go. */
static size_t forward_pairs(Forward *f, Term *pairs, size_t max) {
    size_t count = 0;
    while (f->depth > 0 && count < max) {
        unsigned top = f->depth - 1;
        const Term *next = f->level[top].next, *end = f->level[top].end;
        for (; next < end && count < max && is_list(*next); next++)
            pair_put(pairs + 2 * count++, *next);
        f->level[top].next = next;
        if (next == end) {
            f->depth--;
        } else if (count < max) {
            f->level[top].next++;
            forward_enter(f, *next, 0);
        }
    }
    return count;
}

/* The first cell that was not given yet: `given` of those at `first` were. */
static Term first_cell(Forward *f, uint32_t first, uint64_t given, uint64_t *skipped) {
    Term cell = forward_next(f);
    for (*skipped = 0; *skipped < given && cell != NO_CHILD && position_of(list_head(cell)) == first; ++*skipped)
        cell = forward_next(f);
    return cell;
}

/* Only where a batch begins and ends hashes are asked for: the keys of one hash stand side by side. */
size_t map_next(Term map, uint64_t *position, Term *pairs, size_t max) {
    Forward f;
    uint64_t first = *position >> POSITION_SKIP_BITS, given = *position & POSITION_SKIP_MASK, skipped;
    *position = MAP_POSITION_END;
    if (first > UINT32_MAX)
        return 0;
    seek(&f, hash_map_ptr(map)->root, (uint32_t)first);
    Term cell = first_cell(&f, (uint32_t)first, given, &skipped);
    if (cell == NO_CHILD)
        return 0;
    pair_put(pairs, cell);
    size_t count = 1 + forward_pairs(&f, pairs + 2, max - 1);
    if (count < max || (cell = forward_next(&f)) == NO_CHILD)
        return count;
    uint32_t next = position_of(list_head(cell));
    uint64_t same = count_at(pairs, count, next);
    *position = (uint64_t)next << POSITION_SKIP_BITS | (same == count && next == first ? same + skipped : same);
    return count;
}
