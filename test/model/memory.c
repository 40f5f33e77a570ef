#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "explore.h"

#define STORES_MAX 512 /* to one object, in one execution */
#define NODES_MAX 1024
#define NODE_WORDS (NODES_MAX / 64)
#define CELLS (1u << 14)
#define BLOCK_BYTES (64u << 20)

typedef struct {
    uint64_t words[NODE_WORDS];
} Bits;

/* A seq_cst operation or fence, and all those before it in the order of them. */
typedef struct {
    Clock past; /* with itself */
    bool is_fence;
    Bits before;
} Node;

typedef struct Read {
    struct Read *next;
    Clock past;
    uint8_t thread;
    int node; /* negative: it is not seq_cst */
} Read;

typedef struct {
    uint64_t value;
    Clock past; /* of the event, with itself */
    Clock sync; /* what who acquires it comes to know */
    Clock first_read; /* by each thread: 0 when it has not */
    Read *reads;
    uint8_t thread;
    uint32_t index;
    int node;
    bool is_taken; /* a read-modify-write has read it, and stands right behind it */
} Store;

typedef struct Location {
    struct Location *next, *next_of_all;
    uintptr_t address;
    unsigned size, count;
    bool is_stale; /* written plainly since: to begin anew */
    Clock last_read, last_write;
    Store *stores[STORES_MAX];
} Location;

/* Eight bytes of memory. */
typedef struct {
    uintptr_t granule;
    uint32_t execution;
    uint8_t freed;
    bool is_saved;
    uint64_t saved; /* what it held when the execution began */
    Location *locations;
    uint8_t writer[8];
    uint32_t written[8];
    Clock read[8];
} Cell;

Knowledge known[MODEL_THREADS];
uint64_t memory_hash, memory_read_last;

static Cell cells[CELLS];
static uint32_t touched[CELLS], touched_count, execution;
static Location *locations;
static Node nodes[NODES_MAX];
static int node_count, fence_count;
static int nodes_of[MODEL_THREADS][NODES_MAX], node_counts[MODEL_THREADS];
static char *block;
static size_t block_used;

uint64_t hash_mix(uint64_t a, uint64_t b) {
    uint64_t x = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + b * 0x94d049bb133111ebu;
    x = (x ^ (x >> 29)) * 0xff51afd7ed558ccdu;
    return x ^ (x >> 32);
}

void clock_join(Clock *to, const Clock *from) {
    for (int t = 0; t < MODEL_THREADS; t++)
        if (to->of[t] < from->of[t])
            to->of[t] = from->of[t];
}

static bool is_past(const Clock *past, unsigned thread, uint32_t index) { return index <= past->of[thread]; }

static void *block_alloc(size_t bytes) {
    if (!block)
        block = malloc(BLOCK_BYTES);
    bytes = (bytes + 15) & ~(size_t)15;
    if (block_used + bytes > BLOCK_BYTES)
        model_fail("an execution takes too much memory");
    block_used += bytes;
    return block + block_used - bytes;
}

static void *block_calloc(size_t bytes) { return memset(block_alloc(bytes), 0, bytes); }

void memory_reset(void) {
    for (uint32_t i = 0; i < touched_count; i++) {
        Cell *c = &cells[touched[i]];
        if (c->is_saved)
            memcpy((void *)c->granule, &c->saved, 8);
    }
    execution++;
    touched_count = 0;
    locations = NULL;
    node_count = fence_count = 0;
    memset(node_counts, 0, sizeof node_counts);
    memset(known, 0, sizeof known);
    memory_hash = 0;
    block_used = 0;
}

static Cell *cell_of(uintptr_t address) {
    uintptr_t granule = address & ~(uintptr_t)7;
    uint32_t i = (uint32_t)hash_mix(granule, 0) & (CELLS - 1);
    while (cells[i].execution == execution && cells[i].granule != granule)
        i = (i + 1) & (CELLS - 1);
    Cell *c = &cells[i];
    if (c->execution != execution) {
        if (touched_count >= CELLS / 2)
            model_fail("an execution touches too much memory");
        memset(c, 0, sizeof *c);
        c->granule = granule;
        c->execution = execution;
        touched[touched_count++] = i;
    }
    return c;
}

static void save(Cell *c) {
    if (c->is_saved)
        return;
    c->is_saved = true;
    memcpy(&c->saved, (void *)c->granule, 8);
}

/* --- plain accesses ---------------------------------------------------------------------------------------------- */

static _Noreturn void race(uintptr_t address, unsigned other) {
    trace_step("accesses, in a race", address, 0, ORDER_NONE, 0);
    model_fail("data race with thread %u on %p", other, (void *)address);
}

static void check_byte(Cell *c, unsigned byte, bool is_write) {
    const Clock *past = &known[self].past;
    if (c->freed & (1u << byte))
        model_fail("access to freed memory at %p", (void *)(c->granule + byte));
    if (c->writer[byte] != self && !is_past(past, c->writer[byte], c->written[byte]))
        race(c->granule + byte, c->writer[byte]);
    for (unsigned t = 0; is_write && t < MODEL_THREADS; t++)
        if (t != self && !is_past(past, t, c->read[byte].of[t]))
            race(c->granule + byte, t);
}

/* Plain accesses and the atomic ones to the same bytes have an order. */
static void check_atomics(Cell *c, uintptr_t address, size_t size, bool is_write) {
    const Clock *past = &known[self].past;
    for (Location *l = c->locations; l; l = l->next) {
        if (l->address >= address + size || l->address + l->size <= address)
            continue;
        for (unsigned t = 0; t < MODEL_THREADS; t++)
            if (t != self &&
                (!is_past(past, t, l->last_write.of[t]) || (is_write && !is_past(past, t, l->last_read.of[t]))))
                race(l->address, t);
        l->is_stale |= is_write;
    }
}

void memory_plain(uintptr_t address, size_t size, bool is_write) {
    uint32_t index = known[self].past.of[self] + 1;
    for (uintptr_t at = address; at < address + size;) {
        Cell *c = cell_of(at);
        uintptr_t end = address + size < c->granule + 8 ? address + size : c->granule + 8;
        if (is_write)
            save(c);
        if (c->locations)
            check_atomics(c, at, end - at, is_write);
        for (; at < end; at++) {
            unsigned byte = at & 7;
            check_byte(c, byte, is_write);
            if (is_write) {
                c->writer[byte] = (uint8_t)self;
                c->written[byte] = index;
            } else {
                c->read[byte].of[self] = index;
            }
        }
    }
}

void memory_freed(uintptr_t address, size_t size) {
    memory_plain(address, size, true);
    for (uintptr_t at = address; at < address + size; at++)
        cell_of(at)->freed |= (uint8_t)(1u << (at & 7));
}

/* --- the order of seq_cst operations ----------------------------------------------------------------------------- */

static void bits_set(Bits *b, int i) { b->words[i / 64] |= 1ull << (i % 64); }
static bool bits_test(const Bits *b, int i) { return (b->words[i / 64] >> (i % 64)) & 1; }
static int bits_words(void) { return node_count / 64 + 1; }

static void bits_join(Bits *to, const Bits *from) {
    for (int i = 0; i < bits_words(); i++)
        to->words[i] |= from->words[i];
}

static bool bits_meet(const Bits *a, const Bits *b) {
    for (int i = 0; i < bits_words(); i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

static void add_node(Bits *to, int node) {
    bits_set(to, node);
    bits_join(to, &nodes[node].before);
}

/* The newest of each thread that happens before: the older ones are before those. */
static void add_past(Bits *to, const Clock *past, bool fences_only) {
    if (fences_only && fence_count == 0)
        return;
    for (unsigned t = 0; t < MODEL_THREADS; t++)
        for (int i = node_counts[t]; i-- > 0;) {
            const Node *n = &nodes[nodes_of[t][i]];
            if (is_past(past, t, n->past.of[t]) && (n->is_fence || !fences_only)) {
                add_node(to, nodes_of[t][i]);
                break;
            }
        }
}

static void add_event(Bits *to, int node, const Clock *past) {
    if (node >= 0)
        add_node(to, node);
    add_past(to, past, true);
}

/* What comes before a write behind stores[place - 1]: by modification order, and what read older stores. */
static void add_overwritten(Bits *to, const Location *l, unsigned place) {
    while (place-- > 0) {
        const Store *s = l->stores[place];
        add_event(to, s->node, &s->past);
        for (const Read *r = s->reads; r; r = r->next)
            add_event(to, r->node, &r->past);
        if (s->node >= 0)
            return; /* before it comes all that is left */
    }
}

static void add_fences_after(Bits *to, unsigned thread, uint32_t index) {
    for (int i = 0; fence_count > 0 && i < node_count; i++)
        if (nodes[i].is_fence && is_past(&nodes[i].past, thread, index))
            bits_set(to, i);
}

/* An access that is about to be made: behind stores[place - 1]. */
typedef struct {
    const Location *object;
    unsigned place;
    int order;
    bool is_write;
    const Store *read; /* or NULL */
} Operation;

static bool is_sc(int order) { return order == __ATOMIC_SEQ_CST; }
static bool acquires(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
static bool releases(int order) { return order >= __ATOMIC_RELEASE; }

/* Edges in the order, to an operation and on to what is known to come later. */
typedef struct {
    Bits from, to;               /* of the operation itself */
    Bits fences_from, fences_to; /* of the fences before it */
} Edges;

static void find_edges(Edges *e, const Operation *o) {
    memset(e, 0, sizeof *e);
    const Location *l = o->object;
    Clock past = known[self].past;
    if (o->read && acquires(o->order))
        clock_join(&past, &o->read->sync);
    add_past(&e->fences_from, &past, true);
    if (is_sc(o->order)) {
        add_past(&e->from, &past, false);
        if (o->is_write)
            add_overwritten(&e->from, l, o->place);
    }
    for (unsigned i = o->place; i < l->count; i++) {
        const Store *s = l->stores[i];
        if (s->node >= 0)
            bits_set(&e->to, s->node);
        add_fences_after(&e->to, s->thread, s->index);
        for (const Read *r = s->reads; r; r = r->next)
            add_fences_after(&e->fences_to, r->thread, r->past.of[r->thread]);
    }
    bits_join(&e->fences_to, &e->to);
}

/* May it stand there: would the order of seq_cst operations have no circle? */
static bool may_stand(const Operation *o) {
    if (o->place == o->object->count)
        return true; /* nothing comes later */
    Edges e;
    find_edges(&e, o);
    return !bits_meet(&e.from, &e.to) && !bits_meet(&e.fences_from, &e.fences_to);
}

static void put_before(const Bits *from, const Bits *to) {
    for (int i = 0; i < node_count; i++)
        if (bits_test(to, i) || bits_meet(&nodes[i].before, to))
            bits_join(&nodes[i].before, from);
}

static int node_add(const Bits *before, bool is_fence) {
    if (node_count == NODES_MAX)
        model_fail("an execution has too many seq_cst operations");
    int node = node_count++;
    nodes[node] = (Node){.past = known[self].past, .is_fence = is_fence, .before = *before};
    nodes[node].past.of[self] += !is_fence; /* a fence is counted already */
    nodes_of[self][node_counts[self]++] = node;
    fence_count += is_fence;
    return node;
}

/* Its node, when it is seq_cst. Before the operation is counted. */
static int stand(const Operation *o) {
    bool has_later = o->place < o->object->count;
    if (!is_sc(o->order) && (fence_count == 0 || !has_later))
        return -1;
    Edges e;
    find_edges(&e, o);
    int node = -1;
    if (is_sc(o->order)) {
        node = node_add(&e.from, false);
        bits_set(&e.from, node);
        if (has_later)
            put_before(&e.from, &e.to);
    }
    if (fence_count > 0 && has_later)
        put_before(&e.fences_from, &e.fences_to);
    return node;
}

/* What comes before a fence because of what its thread knows of one object. */
static void add_before_fence(Bits *to, const Location *l, const Clock *past) {
    bool is_known = false, is_read = false;
    for (unsigned i = l->count; i-- > 0;) {
        const Store *s = l->stores[i];
        if (is_known && s->node >= 0)
            add_node(to, s->node);
        for (const Read *r = s->reads; r; r = r->next) {
            if (is_known)
                add_event(to, r->node, &r->past);
            else if (is_read)
                add_past(to, &r->past, true);
            is_read |= is_past(past, r->thread, r->past.of[r->thread]);
        }
        is_known |= is_past(past, s->thread, s->index);
        if (is_known || is_read)
            add_past(to, &s->past, true);
    }
}

/* --- atomic accesses --------------------------------------------------------------------------------------------- */

static uint64_t store_name(const Store *s) { return (uint64_t)s->thread << 32 | s->index; }

static uint64_t read_memory(uintptr_t address, unsigned size) {
    uint64_t value = 0;
    memcpy(&value, (void *)address, size);
    return value;
}

static void begin_history(Location *l) {
    Store *s = block_calloc(sizeof *s);
    s->value = read_memory(l->address, l->size);
    s->node = -1;
    l->stores[0] = s;
    l->count = 1;
    l->is_stale = false;
    l->last_read = l->last_write = (Clock){{0}};
}

static Location *location_of(uintptr_t address, unsigned size) {
    Cell *c = cell_of(address);
    Location *l = c->locations;
    while (l && l->address != address)
        l = l->next;
    if (!l) {
        l = block_alloc(sizeof *l);
        memset(l, 0, offsetof(Location, stores));
        *l = (Location){.next = c->locations, .next_of_all = locations, .address = address, .size = size};
        c->locations = locations = l;
        begin_history(l);
    } else if (l->is_stale) {
        begin_history(l);
    }
    if (l->size != size)
        model_fail("accesses of %u and %u bytes to %p", l->size, size, (void *)address);
    return l;
}

/* The object, checked against plain accesses without order. */
static Location *access(uintptr_t address, unsigned size, bool is_write) {
    Location *l = location_of(address, size);
    Cell *c = cell_of(address);
    for (unsigned byte = address & 7; byte < (address & 7) + size; byte++)
        check_byte(c, byte, is_write);
    if (is_write)
        save(c);
    return l;
}

static bool knows_store(const Clock *past, const Store *s) {
    if (is_past(past, s->thread, s->index))
        return true;
    for (unsigned t = 0; t < MODEL_THREADS; t++)
        if (s->first_read.of[t] && is_past(past, t, s->first_read.of[t]))
            return true;
    return false;
}

static unsigned oldest_visible(const Location *l) {
    unsigned i = l->count - 1;
    while (i > 0 && !knows_store(&known[self].past, l->stores[i]))
        i--;
    return i;
}

uint64_t memory_newest(uintptr_t address, unsigned size) {
    Location *l = location_of(address, size);
    return store_name(l->stores[l->count - 1]);
}

void memory_step(uint64_t what, uint64_t seen) {
    uint32_t index = ++known[self].past.of[self];
    memory_hash += hash_mix(hash_mix(what, (uint64_t)self << 32 | index), seen);
}

/* By the event that was counted last. */
static void know_store(Location *l, Store *s, int order, int node) {
    Knowledge *k = &known[self];
    if (!s->first_read.of[self])
        s->first_read.of[self] = k->past.of[self];
    l->last_read.of[self] = k->past.of[self];
    memory_read_last = store_name(s);
    clock_join(&k->acquired, &s->sync);
    if (acquires(order))
        clock_join(&k->past, &s->sync);
    Read *r = block_alloc(sizeof *r);
    *r = (Read){.next = s->reads, .past = k->past, .thread = (uint8_t)self, .node = node};
    s->reads = r;
}

static uint64_t read_store(Location *l, const Operation *o, const char *what) {
    Store *s = l->stores[o->place - 1];
    int node = stand(o);
    memory_step(2, hash_mix(l->address, store_name(s)));
    know_store(l, s, o->order, node);
    trace_step(what, l->address, s->value, o->order, store_name(s));
    return s->value;
}

static void store_add(Location *l, const Operation *o, uint64_t value, int node) {
    Knowledge *k = &known[self];
    unsigned place = o->place;
    Store *s = block_calloc(sizeof *s);
    *s = (Store){.value = value, .past = k->past, .thread = (uint8_t)self, .index = k->past.of[self], .node = node};
    s->sync = releases(o->order) ? k->past : k->released;
    if (o->read)
        clock_join(&s->sync, &o->read->sync);
    if (l->count == STORES_MAX)
        model_fail("too many stores to %p", (void *)l->address);
    const Store *before = l->stores[place - 1], *after = place < l->count ? l->stores[place] : NULL;
    uint64_t at = hash_mix(l->address, 1);
    if (after)
        memory_hash -= hash_mix(at, hash_mix(store_name(before), store_name(after)));
    memory_hash += hash_mix(at, hash_mix(store_name(before), store_name(s)));
    if (after)
        memory_hash += hash_mix(at, hash_mix(store_name(s), store_name(after)));
    memmove(&l->stores[place + 1], &l->stores[place], (l->count - place) * sizeof l->stores[0]);
    l->stores[place] = s;
    l->count++;
    l->last_write.of[self] = k->past.of[self];
    if (!after)
        memcpy((void *)l->address, &value, l->size);
}

/* Where it may read, newest first: into `places`. What reads and writes stands right behind what it reads. */
static Operation read_at(Location *l, unsigned i, bool is_write, int order) {
    return (Operation){l, i + 1, order, is_write, l->stores[i]};
}

uint64_t memory_load(uintptr_t address, unsigned size, int order, bool newest_only) {
    Location *l = access(address, size, false);
    Operation ways[STORES_MAX];
    unsigned count = 0, oldest = newest_only ? l->count - 1 : oldest_visible(l);
    for (unsigned i = l->count; i-- > oldest;) {
        ways[count] = read_at(l, i, false, order);
        count += may_stand(&ways[count]);
    }
    return read_store(l, &ways[choose_store(count)], "loads");
}

void memory_store(uintptr_t address, unsigned size, uint64_t value, int order) {
    Location *l = access(address, size, true);
    Operation ways[STORES_MAX];
    unsigned count = 0, oldest = oldest_visible(l);
    for (unsigned i = l->count; i > oldest; i--) {
        ways[count] = (Operation){l, i, order, true, NULL};
        count += !l->stores[i - 1]->is_taken && may_stand(&ways[count]);
    }
    const Operation *o = &ways[choose_store(count)];
    int node = stand(o);
    memory_step(3, hash_mix(address, value));
    store_add(l, o, value, node);
    trace_step(o->place + 1 == l->count ? "stores" : "stores, overtaken,", address, value, order, 0);
}

/* Gives the value that it replaced. */
static uint64_t replace(Location *l, const Operation *o, uint64_t value) {
    Store *s = l->stores[o->place - 1];
    int node = stand(o);
    memory_step(4, hash_mix(l->address, hash_mix(store_name(s), value)));
    know_store(l, s, o->order, node);
    s->is_taken = true;
    store_add(l, o, value, node);
    trace_step("changes to", l->address, value, o->order, store_name(s));
    return s->value;
}

uint64_t memory_update(uintptr_t address, unsigned size, Update *update, uint64_t operand, int order) {
    Location *l = access(address, size, true);
    Operation ways[STORES_MAX];
    unsigned count = 0, oldest = oldest_visible(l);
    for (unsigned i = l->count; i-- > oldest;) {
        ways[count] = read_at(l, i, true, order);
        count += !l->stores[i]->is_taken && may_stand(&ways[count]);
    }
    const Operation *o = &ways[choose_store(count)];
    uint64_t mask = size == 8 ? UINT64_MAX : (1ull << size * 8) - 1;
    return replace(l, o, update(o->read->value, operand) & mask);
}

uint64_t memory_compare_exchange(uintptr_t address, unsigned size, uint64_t expected, uint64_t desired, int order,
                                 int failure, bool newest_only) {
    Location *l = access(address, size, true);
    Operation ways[STORES_MAX];
    unsigned count = 0, oldest = newest_only ? l->count - 1 : oldest_visible(l);
    for (unsigned i = l->count; i-- > oldest;) {
        bool is_same = l->stores[i]->value == expected;
        ways[count] = read_at(l, i, is_same, is_same ? order : failure);
        count += !(is_same && l->stores[i]->is_taken) && may_stand(&ways[count]);
    }
    const Operation *o = &ways[choose_store(count)];
    return o->is_write ? replace(l, o, desired) : read_store(l, o, "does not exchange, for it is");
}

void memory_fence(int order) {
    Knowledge *k = &known[self];
    if (acquires(order))
        clock_join(&k->past, &k->acquired);
    memory_step(5, (uint64_t)order);
    if (is_sc(order)) {
        Bits before = {{0}};
        add_past(&before, &k->past, false);
        for (const Location *l = locations; l; l = l->next_of_all)
            add_before_fence(&before, l, &k->past);
        node_add(&before, true);
    }
    if (releases(order))
        k->released = k->past;
    trace_step("fences", 0, 0, order, 0);
}
