#include "term/node.h"

#include "alloc/alloc.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/magic_table.h"
#include "term/refc_binary.h"

#include <string.h>

#define BUCKETS 256

static Node *the_table[BUCKETS];
static Mutex the_lock = MUTEX_INITIALIZER(LOCK_NODE_TABLE);
static _Atomic(const Node *) this_node;

void node_table_init(void) { node_this_set(am_nonode_at_nohost, 0); }

void node_table_release(void) {
    for (size_t i = 0; i < BUCKETS; i++) {
        while (the_table[i] != NULL) {
            Node *next = the_table[i]->hash_next;
            mem_free(ALLOC_NODE, the_table[i]);
            the_table[i] = next;
        }
    }
}

const Node *node_this(void) { return atomic_load_explicit(&this_node, memory_order_acquire); }
bool node_is_alive(void) { return node_this_name() != am_nonode_at_nohost; }

static Node **bucket_of(Term name) { return &the_table[(atom_index(name) * 0x9e3779b1u) >> 24]; }

Node *node_put(Term name, uint32_t creation) {
    mutex_lock(&the_lock);
    Node **bucket = bucket_of(name), *node = *bucket;
    while (node != NULL && (node->name != name || node->creation != creation))
        node = node->hash_next;
    if (node != NULL) {
        node_retain(node);
    } else {
        node = mem_alloc(ALLOC_NODE, sizeof *node);
        *node = (Node){.name = name, .creation = creation, .hash_next = *bucket};
        atomic_init(&node->refc, 1);
        *bucket = node;
    }
    mutex_unlock(&the_lock);
    return node;
}

/* The count of the table's stays. */
void node_this_set(Term name, uint32_t creation) {
    atomic_store_explicit(&this_node, node_put(name, creation), memory_order_release);
}

void node_retain(Node *node) { atomic_fetch_add_explicit(&node->refc, 1, memory_order_relaxed); }

/* The count may only fall to zero under the lock, or node_put could revive what is being freed. */
void node_release(Node *node) {
    int64_t refc = atomic_load_explicit(&node->refc, memory_order_relaxed);
    while (refc > 1)
        if (atomic_compare_exchange_weak_explicit(&node->refc, &refc, refc - 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return;
    mutex_lock(&the_lock);
    if (atomic_fetch_sub_explicit(&node->refc, 1, memory_order_acq_rel) == 1) {
        Node **link = bucket_of(node->name);
        while (*link != node)
            link = &(*link)->hash_next;
        *link = node->hash_next;
        mem_free(ALLOC_NODE, node);
    }
    mutex_unlock(&the_lock);
}

Node *node_find_index(uint32_t index) {
    mutex_lock(&the_lock);
    Node *node = *bucket_of(atom_make(index));
    while (node != NULL && atom_index(node->name) != index)
        node = node->hash_next;
    if (node != NULL)
        node_retain(node);
    mutex_unlock(&the_lock);
    return node;
}

/* There is one for each creation; all of a name are in one bucket. */
static bool is_first_of_name(const Node *node) {
    const Node *first = *bucket_of(node->name);
    while (first->name != node->name)
        first = first->hash_next;
    return first == node;
}

void node_each(void (*each)(const Node *node, void *data), void *data) {
    mutex_lock(&the_lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (const Node *node = the_table[i]; node != NULL; node = node->hash_next)
            each(node, data);
    mutex_unlock(&the_lock);
}

void node_each_name_alone(void (*each)(Term name, void *data), void *data) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (const Node *node = the_table[i]; node != NULL; node = node->hash_next)
            if (is_first_of_name(node))
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
