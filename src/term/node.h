/*
 * Nodes, and the identifiers that carry one: external pids, ports and references.
 *
 * A Node is (name, creation); there is one object for each pair in use, counted by the terms that carry it. This node's
 * own terms carry none: its pids and ports are immediates, its references have no node. What this node is called is
 * said in one place (node_this): nonode@nohost, creation 0, until distribution names it (distribution/alive.h), and
 * again when that is over. So a name may come and go while everybody runs: who wants name and creation of one moment
 * asks once for both. What it was called once stays in the table, for good. A term that arrives with this node's name
 * and creation becomes a local one (ident_* below). The table has a lock of its own, held only inside these calls.
 */
#ifndef VIV_TERM_NODE_H
#define VIV_TERM_NODE_H

#include "term/area.h"

#include <stdatomic.h>

typedef struct Node {
    Term name;
    uint32_t creation;
    _Atomic(int64_t) refc;
    struct Node *hash_next, *name_next; /* src/term/node.c */
    struct Node *older, *newer;         /* of the same name */
} Node;

void node_table_init(void);
void node_table_release(void);

/* Any thread, as of now; what is returned never changes and is never freed. */
const Node *node_this(void);
static inline Term node_this_name(void) { return node_this()->name; }
static inline uint32_t node_this_creation(void) { return node_this()->creation; }
/* Has it been given a name? */
bool node_is_alive(void);
/* By distribution, one at a time. */
void node_this_set(Term name, uint32_t creation);

/* Finds or adds, one reference for the caller. */
Node *node_put(Term name, uint32_t creation);
void node_retain(Node *node);
void node_release(Node *node);
/* Some known node with this name's atom index (as printed in <index.number.serial>), one reference; NULL when
 * unknown. */
Node *node_find_index(uint32_t atom_index);
/* Calls `each` for every node in use, under the table's lock. */
void node_each(void (*each)(const Node *node, void *data), void *data);
/* Calls `each` for the name of every node in use, once for each, under the table's lock; the second by a thread that is
 * alone, without. */
void node_each_name(void (*each)(Term name, void *data), void *data);
void node_each_name_alone(void (*each)(Term name, void *data), void *data);

/* Identifiers by their parts, as in the external format: local ones when name and creation are this node's (creation 0
 * stands for any). `numbers` as they are in memory: numbers[0] is the first that is sent. NON_VALUE: numbers out of
 * range (a local pid of more than 58 bits, reference of more than REF_NUMBERS_MAX numbers, or a local one that is none
 * of those that are made: of four numbers, or with a large first one). */
#define IDENT_MAX_WORDS 6
#define REF_FIRST_NUMBER_MAX 0x3ffff /* 18 bits */
Term ident_pid(Area *area, Term name, uint32_t creation, uint32_t number, uint32_t serial);
Term ident_port(Area *area, Term name, uint32_t creation, uint64_t id);
Term ident_ref(Area *area, Term name, uint32_t creation, const uint32_t *numbers, uint32_t count);

/* A local reference of 3 or 5 numbers. */
Term ref_make(Area *area, const uint32_t *numbers, uint32_t count);
#define ref_words(count) (1 + (4 + 4 * (size_t)(count) + 7) / 8)
/* Magic: takes over one reference to `binary`. */
struct RefcBinary;
Term magic_ref_make(Area *area, const uint32_t numbers[3], struct RefcBinary *binary);
static inline struct RefcBinary *magic_ref_binary(Term t) { return ((MagicRef *)boxed_ptr(t))->binary; }

/* The parts, of local and external ones alike. */
const Node *ident_node(Term pid_port_or_ref);
static inline Term ident_node_name(Term pid_port_or_ref) { return ident_node(pid_port_or_ref)->name; }
/* Of an external one: it is of an earlier run of this node, or of the time before it had this name. Who it names has
 * ended. */
static inline bool ident_is_earlier(Term external) { return ident_node_name(external) == node_this_name(); }
static inline bool is_earlier_pid(Term t) { return is_external_pid(t) && ident_is_earlier(t); }
static inline External *external_ptr(Term t) { return (External *)boxed_ptr(t); }
static inline uint32_t pid_number(Term t) {
    return is_local_pid(t) ? (uint32_t)(pid_data(t) & PID_NUMBER_MASK) : (uint32_t)external_ptr(t)->data;
}
static inline uint32_t pid_serial(Term t) {
    return is_local_pid(t) ? (uint32_t)(pid_data(t) >> PID_NUMBER_BITS) : (uint32_t)(external_ptr(t)->data >> 32);
}
static inline uint64_t port_number(Term t) { return is_local_port(t) ? port_data(t) : external_ptr(t)->data; }
/* Numbers of any reference, local, magic or external. */
static inline const uint32_t *ident_ref_numbers(Term t, uint32_t *count) {
    if (!is_external_ref(t))
        return ref_numbers(t, count);
    External *e = external_ptr(t);
    *count = e->ref.count;
    return e->ref.numbers;
}

#endif
