#include "term/node.h"

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/linear_hash.h"
#include "base/mix.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/magic_table.h"
#include "term/refc_binary.h"

#include <string.h>

/*
 * Who sends bytes says how many nodes there are: so both tables grow with them, by single buckets. One has all nodes,
 * by name and creation; the other has of each name the newest node, which leads to the older ones. All under the lock.
 */
#define ROOM_FIRST 64

typedef struct {
    bool is_of_names;
    Node **buckets;
    uint32_t bucket_count, room, count;
} NodeTable;

static NodeTable all, newest = {.is_of_names = true};
static Mutex the_lock = MUTEX_INITIALIZER(LOCK_NODE_TABLE);
static _Atomic(const Node *) this_node;

static Node **chain(const NodeTable *t, Node *node) { return t->is_of_names ? &node->name_next : &node->hash_next; }

static Node **bucket_of(const NodeTable *t, Term name, uint32_t creation) {
    uint64_t key = (uint64_t)atom_index(name) << 32 | (t->is_of_names ? 0 : creation);
    return &t->buckets[linear_index((uint32_t)mix_word(key), t->bucket_count)];
}

/* The place of the node, or the end of its bucket. */
static Node **place_of(const NodeTable *t, Term name, uint32_t creation) {
    Node **place = bucket_of(t, name, creation);
    while (*place != NULL && ((*place)->name != name || (!t->is_of_names && (*place)->creation != creation)))
        place = chain(t, *place);
    return place;
}

static void make_room(NodeTable *t, uint32_t wanted) {
    ALLOC_FOR_ALL;
    t->buckets = mem_realloc(ALLOC_NODE, t->buckets, wanted * sizeof *t->buckets);
    t->room = wanted;
}

static void add_bucket(NodeTable *t) {
    if (t->bucket_count == t->room)
        make_room(t, 2 * t->room);
    uint32_t new = t->bucket_count++;
    Node **from = &t->buckets[linear_buddy(new)], **to = &t->buckets[new];
    *to = NULL;
    for (Node *node; (node = *from) != NULL;) {
        if (bucket_of(t, node->name, node->creation) == to) {
            *from = *chain(t, node);
            *chain(t, node) = *to;
            *to = node;
        } else {
            from = chain(t, node);
        }
    }
}

static void enter(NodeTable *t, Node *node) {
    if (t->count++ == t->bucket_count)
        add_bucket(t);
    Node **bucket = bucket_of(t, node->name, node->creation);
    *chain(t, node) = *bucket;
    *bucket = node;
}

static void take_out(NodeTable *t, Node **place) {
    *place = *chain(t, *place);
    t->count--;
}

static void table_init(NodeTable *t) {
    if (t->buckets != NULL)
        return;
    make_room(t, ROOM_FIRST);
    t->buckets[0] = t->buckets[1] = NULL;
    t->bucket_count = 2;
}

static void table_release(NodeTable *t) {
    mem_free(ALLOC_NODE, t->buckets);
    *t = (NodeTable){.is_of_names = t->is_of_names};
}

void node_table_init(void) {
    table_init(&all);
    table_init(&newest);
    node_this_set(am_nonode_at_nohost, 0);
}

void node_table_release(void) {
    for (uint32_t i = 0; i < all.bucket_count; i++) {
        for (Node *node = all.buckets[i], *next; node != NULL; node = next) {
            next = node->hash_next;
            mem_free(ALLOC_NODE, node);
        }
    }
    table_release(&all);
    table_release(&newest);
}

const Node *node_this(void) { return atomic_load_explicit(&this_node, memory_order_acquire); }
bool node_is_alive(void) { return node_this_name() != am_nonode_at_nohost; }

/* Where the newest of a name is, this one stands now. */
static void replace_newest(Node **place, Node *by) {
    by->name_next = (*place)->name_next;
    *place = by;
}

static Node *node_add(Term name, uint32_t creation) {
    Node *node = mem_alloc(ALLOC_NODE, sizeof *node);
    *node = (Node){.name = name, .creation = creation};
    atomic_init(&node->refc, 1);
    enter(&all, node);
    Node **place = place_of(&newest, name, 0);
    if (*place == NULL) {
        enter(&newest, node);
        return node;
    }
    node->older = *place;
    node->older->newer = node;
    replace_newest(place, node);
    return node;
}

Node *node_put(Term name, uint32_t creation) {
    mutex_lock(&the_lock);
    Node *node = *place_of(&all, name, creation);
    if (node != NULL)
        node_retain(node);
    else
        node = node_add(name, creation);
    mutex_unlock(&the_lock);
    return node;
}

/* The count of the table's stays. */
void node_this_set(Term name, uint32_t creation) {
    atomic_store_explicit(&this_node, node_put(name, creation), memory_order_release);
}

void node_retain(Node *node) { atomic_fetch_add_explicit(&node->refc, 1, memory_order_relaxed); }

static void node_remove(Node *node) {
    take_out(&all, place_of(&all, node->name, node->creation));
    if (node->newer != NULL)
        node->newer->older = node->older;
    else if (node->older != NULL)
        replace_newest(place_of(&newest, node->name, 0), node->older);
    else
        take_out(&newest, place_of(&newest, node->name, 0));
    if (node->older != NULL)
        node->older->newer = node->newer;
    mem_free(ALLOC_NODE, node);
}

/* The count may only fall to zero under the lock, or node_put could revive what is being freed. */
void node_release(Node *node) {
    int64_t refc = atomic_load_explicit(&node->refc, memory_order_relaxed);
    while (refc > 1)
        if (atomic_compare_exchange_weak_explicit(&node->refc, &refc, refc - 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return;
    mutex_lock(&the_lock);
    if (atomic_fetch_sub_explicit(&node->refc, 1, memory_order_acq_rel) == 1)
        node_remove(node);
    mutex_unlock(&the_lock);
}

Node *node_find_index(uint32_t index) {
    mutex_lock(&the_lock);
    Node *node = *place_of(&newest, atom_make(index), 0);
    if (node != NULL)
        node_retain(node);
    mutex_unlock(&the_lock);
    return node;
}

void node_each(void (*each)(const Node *node, void *data), void *data) {
    mutex_lock(&the_lock);
    for (uint32_t i = 0; i < all.bucket_count; i++)
        for (const Node *node = all.buckets[i]; node != NULL; node = node->hash_next)
            each(node, data);
    mutex_unlock(&the_lock);
}

void node_each_name_alone(void (*each)(Term name, void *data), void *data) {
    for (uint32_t i = 0; i < newest.bucket_count; i++)
        for (const Node *node = newest.buckets[i]; node != NULL; node = node->name_next)
            each(node->name, data);
}

void node_each_name(void (*each)(Term name, void *data), void *data) {
    mutex_lock(&the_lock);
    node_each_name_alone(each, data);
    mutex_unlock(&the_lock);
}

static bool is_this_node(Term name, uint32_t creation) {
    const Node *node = node_this();
    return name == node->name && (creation == node->creation || creation == 0);
}

/* Links the object; `data_words` of its words follow the node. */
static External *external_make(Area *area, Kind kind, size_t data_words, Term name, uint32_t creation) {
    External *e = (External *)area_alloc(area, 3 + data_words);
    e->header = header_make(kind, 2 + data_words);
    e->node = node_put(name, creation);
    area_link_off_heap(area, (OffHeap *)e, 0);
    return e;
}

Term ident_pid(Area *area, Term name, uint32_t creation, uint32_t number, uint32_t serial) {
    if (is_this_node(name, creation)) {
        if (number >> PID_NUMBER_BITS != 0 || serial >> 30 != 0)
            return NON_VALUE;
        return pid_make((Word)serial << PID_NUMBER_BITS | number);
    }
    External *e = external_make(area, KIND_EXTERNAL_PID, 1, name, creation);
    e->data = (Word)serial << 32 | number;
    return boxed_make(e);
}

Term ident_port(Area *area, Term name, uint32_t creation, uint64_t id) {
    if (is_this_node(name, creation))
        return id >> 58 == 0 ? port_make(id) : NON_VALUE;
    External *e = external_make(area, KIND_EXTERNAL_PORT, 1, name, creation);
    e->data = id;
    return boxed_make(e);
}

Term ident_ref(Area *area, Term name, uint32_t creation, const uint32_t *numbers, uint32_t count) {
    if (count > REF_NUMBERS_MAX)
        return NON_VALUE;
    if (is_this_node(name, creation)) {
        uint32_t padded[REF_NUMBERS_MAX] = {0};
        memcpy(padded, numbers, count * sizeof *numbers);
        if (padded[0] > REF_FIRST_NUMBER_MAX || count == 4)
            return NON_VALUE;
        RefcBinary *magic = count == 3 ? magic_recall(numbers) : NULL;
        if (magic != NULL)
            return magic_ref_make(area, numbers, magic);
        return ref_make(area, padded, count <= 3 ? 3 : REF_NUMBERS_MAX);
    }
    External *e = external_make(area, KIND_EXTERNAL_REF, bytes_to_words(4 + 4 * count), name, creation);
    e->ref.count = count;
    memcpy(e->ref.numbers, numbers, count * sizeof *numbers);
    if (count % 2 == 0) /* the last word's other half: one without numbers equals, and is hashed as, that of a zero */
        e->ref.numbers[count] = 0;
    return boxed_make(e);
}

Term ref_make(Area *area, const uint32_t *numbers, uint32_t count) {
    size_t words = ref_words(count);
    Ref *r = (Ref *)area_alloc(area, words);
    r->header = header_make(KIND_REF, words - 1);
    r->count = count;
    memcpy(r->numbers, numbers, count * sizeof *numbers);
    return boxed_make(r);
}

Term magic_ref_make(Area *area, const uint32_t numbers[3], RefcBinary *binary) {
    MagicRef *m = (MagicRef *)area_alloc(area, MAGIC_REF_WORDS);
    m->header = header_make(KIND_MAGIC_REF, MAGIC_REF_WORDS - 1);
    m->count = 3;
    memcpy(m->numbers, numbers, sizeof m->numbers);
    m->binary = binary;
    area_link_off_heap(area, (OffHeap *)m, 0);
    return boxed_make(m);
}

static bool is_external(Term t) { return is_external_pid(t) || is_external_port(t) || is_external_ref(t); }
const Node *ident_node(Term t) { return is_external(t) ? external_ptr(t)->node : node_this(); }
