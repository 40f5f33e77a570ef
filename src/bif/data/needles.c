#include "bif/data/needles.h"

#include <stdlib.h>
#include <string.h>

#include "alloc/alloc.h"
#include "base/long_work.h"

/* The root is node 0. Nodes are in the order of their depth, and the children of one stand together, in the order of
 * their bytes. */
typedef struct {
    uint32_t children; /* the first */
    uint32_t count;    /* of children: up to 256 */
    uint32_t depth;    /* how many bytes lead here */
    uint32_t failure;  /* the node of the longest end of those bytes that leads to one */
    uint32_t found;    /* bytes of the longest needle that they end with; 0: with none */
} Node;

struct Needles {
    Node *nodes;
    uint8_t *bytes;      /* by which a node is reached from its parent */
    uint32_t roots[256]; /* the root's children; 0: none */
};

static int compare(const void *a, const void *b) {
    const Needle *x = a, *y = b;
    int order = memcmp(x->bytes, y->bytes, x->count < y->count ? x->count : y->count);
    return order != 0 ? order : (x->count > y->count) - (x->count < y->count);
}

static size_t in_common(const Needle *a, const Needle *b) {
    size_t least = a->count < b->count ? a->count : b->count, n = 0;
    while (n < least && a->bytes[n] == b->bytes[n])
        n++;
    return n;
}

static size_t count_nodes(const Needle *needles, size_t count) {
    size_t nodes = 1 + needles[0].count;
    for (size_t i = 1; i < count; i++)
        nodes += needles[i].count - in_common(&needles[i - 1], &needles[i]);
    return nodes;
}

static inline uint32_t child(const Needles *n, uint32_t node, uint8_t byte) {
    if (node == 0)
        return n->roots[byte];
    const Node *at = &n->nodes[node];
    const uint8_t *bytes = &n->bytes[at->children];
    if (at->count > 8) {
        const uint8_t *found = memchr(bytes, byte, at->count);
        return found != NULL ? at->children + (uint32_t)(found - bytes) : 0;
    }
    for (uint32_t i = 0; i < at->count; i++)
        if (bytes[i] == byte)
            return at->children + i;
    return 0;
}

static inline uint32_t step(const Needles *n, uint32_t node, uint8_t byte) {
    uint32_t next;
    while ((next = child(n, node, byte)) == 0 && node != 0)
        node = n->nodes[node].failure;
    return next;
}

/* Which of the sorted needles begin with the bytes of a node. */
typedef struct {
    size_t first, end;
} Range;

typedef struct {
    const Needle *needles;
    Needles *made;
    Range *ranges; /* of the nodes */
    uint32_t count; /* of nodes */
} Making;

static void add_child(Making *m, uint32_t parent, Range range, uint8_t byte) {
    uint32_t node = m->count++, depth = m->made->nodes[parent].depth + 1;
    if (m->made->nodes[parent].count++ == 0)
        m->made->nodes[parent].children = node;
    m->ranges[node] = range;
    m->made->bytes[node] = byte;
    uint32_t failure = parent == 0 ? 0 : step(m->made, m->made->nodes[parent].failure, byte);
    bool is_needle = m->needles[range.first].count == depth;
    m->made->nodes[node] =
        (Node){.depth = depth, .failure = failure, .found = is_needle ? depth : m->made->nodes[failure].found};
    if (parent == 0)
        m->made->roots[byte] = node;
}

#define UNITS_PER_NEEDLE_BYTE 20 /* of long work */

/* Those that end at the node come first in its range. */
static void add_children(Making *m, uint32_t parent) {
    size_t at = m->made->nodes[parent].depth, i = m->ranges[parent].first, end = m->ranges[parent].end;
    long_work_count((int64_t)(end - i) * UNITS_PER_NEEDLE_BYTE);
    while (i < end && m->needles[i].count == at)
        i++;
    while (i < end) {
        uint8_t byte = m->needles[i].bytes[at];
        size_t first = i;
        while (i < end && m->needles[i].bytes[at] == byte)
            i++;
        add_child(m, parent, (Range){first, i}, byte);
    }
}

#define UNITS_TO_SORT_NEEDLE 500

Needles *needles_make(Needle *needles, size_t count) {
    long_work_count((int64_t)count * UNITS_TO_SORT_NEEDLE);
    qsort(needles, count, sizeof *needles, compare);
    size_t nodes = count_nodes(needles, count);
    if (nodes > UINT32_MAX)
        return NULL;
    Needles *n = mem_calloc(ALLOC_REGEX, sizeof *n);
    n->nodes = mem_alloc(ALLOC_REGEX, nodes * sizeof *n->nodes);
    n->bytes = mem_alloc(ALLOC_REGEX, nodes);
    Making making = {needles, n, mem_alloc(ALLOC_REGEX, nodes * sizeof(Range)), 1};
    n->nodes[0] = (Node){0};
    making.ranges[0] = (Range){0, count};
    for (uint32_t node = 0; node < making.count; node++)
        add_children(&making, node);
    mem_free(ALLOC_REGEX, making.ranges);
    return n;
}

void needles_free(Needles *n) {
    if (n == NULL)
        return;
    mem_free(ALLOC_REGEX, n->nodes);
    mem_free(ALLOC_REGEX, n->bytes);
    mem_free(ALLOC_REGEX, n);
}

/* Where it is, and the best match so far. */
typedef struct {
    uint32_t node;
    const uint8_t *at;
    size_t length; /* 0: none */
} Search;

/* True: the match is the one. What a node's bytes begin with may still become a needle: nothing that begins behind the
 * match is of use, nor anything that ends there no later. */
static inline bool took_byte(Search *s, const Node *node, const uint8_t *next) {
    if (s->length > 0 && next - node->depth > s->at)
        return true;
    if (node->found > 0 && (s->length == 0 || next - node->found <= s->at)) {
        s->at = next - node->found;
        s->length = node->found;
    }
    return false;
}

/* False: there may be more in what follows. */
static bool search(const Needles *n, Search *s, const uint8_t *from, const uint8_t *end) {
    for (const uint8_t *p = from; p < end;) {
        if (s->node == 0)
            while (n->roots[*p] == 0) {
                if (s->length > 0)
                    return true;
                if (++p == end)
                    return false;
            }
        s->node = step(n, s->node, *p++);
        if (took_byte(s, &n->nodes[s->node], p))
            return true;
    }
    return false;
}

#define WINDOW_BYTES 65536
#define UNITS_PER_BYTE 5
#define UNITS_PER_SEARCH 30

bool needles_find(const Needles *n, const uint8_t *from, const uint8_t *end, const uint8_t **at, size_t *length) {
    Search s = {0};
    for (bool over = false; !over && from < end;) {
        size_t window = (size_t)(end - from) < WINDOW_BYTES ? (size_t)(end - from) : WINDOW_BYTES;
        over = search(n, &s, from, from + window);
        size_t looked_at = s.length > 0 && s.at + s.length > from ? (size_t)(s.at + s.length - from) : window;
        long_work_count((int64_t)looked_at * UNITS_PER_BYTE + UNITS_PER_SEARCH);
        from += window;
    }
    *at = s.at;
    *length = s.length;
    return s.length > 0;
}
