#include "base/estack.h"
#include "base/long_work.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/hash_walk.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/map_trie.h"
#include "term/murmur.h"
#include "term/node.h"
#include "term/stock_word.h"

/* What the words of a term begin with. */
enum {
    MURMUR_IMMEDIATE = 1,
    MURMUR_LATER,
    MURMUR_HEAD,
    MURMUR_TAIL,
    MURMUR_STRING,
    MURMUR_TUPLE,
    MURMUR_FLAT_MAP,
    MURMUR_FULL_ROOT, /* of a large map: it has all children */
    MURMUR_ROOT,
    MURMUR_NODE,
    MURMUR_BITS,
    MURMUR_FUN,
    MURMUR_EXPORT_FUN,
    MURMUR_NEGATIVE,
    MURMUR_POSITIVE,
    MURMUR_FLOAT = 20,
    MURMUR_IDENT = 64, /* ours, for references, pids and ports: they have other words in each run */
};

/* Some words have two halves. */
static inline uint64_t murmur_halves(uint64_t low, uint64_t high) { return low | high << 32; }

static void murmur_immediate(Murmur *m, Term t) { murmur_pair(m, MURMUR_IMMEDIATE, stock_word(t)); }

static void murmur_element(EStack *stack, Murmur *m, Term element, bool is_last) {
    if (stock_is_immediate(element)) {
        murmur_immediate(m, element);
        return;
    }
    if (!is_last)
        murmur_first(m, MURMUR_LATER);
    estack_push(stack, element);
}

static void murmur_elements(EStack *stack, Murmur *m, const Term *elements, size_t count) {
    long_work_count_large(count, HASH_UNITS_PER_TERM);
    for (size_t i = 0; i < count; i++)
        murmur_element(stack, m, elements[i], i + 1 == count);
}

static void murmur_tuple(EStack *stack, Murmur *m, Term t) {
    murmur_pair(m, MURMUR_TUPLE, tuple_arity(t));
    murmur_elements(stack, m, tuple_elements(t), tuple_arity(t));
}

static void murmur_flat_map(EStack *stack, Murmur *m, Term t) {
    size_t size = flat_map_size(t);
    murmur_pair(m, MURMUR_FLAT_MAP, size);
    for (size_t i = 0; i < size; i++) {
        murmur_element(stack, m, flat_map_ptr(t)->values[i], false);
        murmur_element(stack, m, flat_map_keys(t)[i], i + 1 == size);
    }
}

/* None of a trie's elements counts as the last. */
static void murmur_children(EStack *stack, Murmur *m, const Term *node) {
    for (size_t i = 0, count = node_count(node); i < count; i++) {
        Term child = node_children(node)[i];
        if (!is_list(child)) {
            estack_push(stack, child);
            continue;
        }
        murmur_element(stack, m, list_tail(child), false);
        murmur_element(stack, m, list_head(child), false);
    }
}

static void murmur_large_map(EStack *stack, Murmur *m, Term t) {
    const Term *root = boxed_ptr(hash_map_ptr(t)->root);
    murmur_pair(m, node_count(root) == MAP_BRANCHES ? MURMUR_FULL_ROOT : MURMUR_ROOT, map_size(t));
    murmur_children(stack, m, root);
}

static void murmur_fun(EStack *stack, Murmur *m, Term t) {
    const Fun *fun = fun_ptr(t);
    const FunEntry *e = fun->entry;
    murmur_pair(m, murmur_halves(MURMUR_FUN, fun_free_count(t)), murmur_halves(e->index, e->old_uniq));
    murmur_immediate(m, e->module);
    murmur_elements(stack, m, fun->env, fun_free_count(t));
}

/* Limbs go into both halves by turns; a last one without a fellow goes into the second. */
static void murmur_big(Murmur *m, Term t) {
    IntegerView v;
    integer_view(t, &v);
    murmur_first(m, murmur_halves(v.negative ? MURMUR_NEGATIVE : MURMUR_POSITIVE, v.count));
    size_t i = 0;
    for (; i + 1 < v.count; i += 2)
        murmur_pair(m, v.limbs[i], v.limbs[i + 1]);
    if (i < v.count)
        murmur_second(m, v.limbs[i]);
    long_work_count_large(v.count, 1);
}

/* References that are equal may have zeros at their end that others have not. One without numbers has a zero there. */
static void murmur_ref(Murmur *m, Term t) {
    uint32_t count;
    const uint32_t *numbers = ident_ref_numbers(t, &count);
    murmur_first(m, MURMUR_IDENT);
    murmur_second(m, numbers[0]);
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] != 0)
            murmur_second(m, numbers[i]);
}

static void murmur_boxed(EStack *stack, Murmur *m, Term t) {
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE: murmur_tuple(stack, m, t); break;
    case KIND_FLAT_MAP: murmur_flat_map(stack, m, t); break;
    case KIND_HASH_MAP: murmur_large_map(stack, m, t); break;
    case KIND_MAP_NODE:
        murmur_first(m, MURMUR_NODE);
        murmur_children(stack, m, boxed_ptr(t));
        break;
    case KIND_FUN: murmur_fun(stack, m, t); break;
    case KIND_EXPORT_FUN:
        murmur_pair(m, MURMUR_EXPORT_FUN, (uintptr_t)((const ExportFun *)boxed_ptr(t))->export);
        break;
    case KIND_POS_BIG:
    case KIND_NEG_BIG: murmur_big(m, t); break;
    case KIND_FLOAT: murmur_pair(m, MURMUR_FLOAT, float_bits(float_value(t))); break;
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: murmur_ref(m, t); break;
    case KIND_EXTERNAL_PID: murmur_pair(m, MURMUR_IDENT, murmur_halves(pid_number(t), pid_serial(t))); break;
    case KIND_EXTERNAL_PORT: murmur_pair(m, MURMUR_IDENT, port_number(t)); break;
    default: murmur_pair(m, MURMUR_BITS, bits_size(t)); murmur_bits(m, t);
    }
}

static inline bool is_byte(Term t) { return is_small(t) && (uint64_t)small_value(t) <= UINT8_MAX; }

/* Up to four bytes in one word, the first of them weighing most. */
#define BYTES_PER_WORD 4
static Term murmur_string(Murmur *m, Term t) {
    uint64_t bytes = 0;
    unsigned count = 0;
    for (; count < BYTES_PER_WORD && is_list(t) && is_byte(list_head(t)); t = list_tail(t), count++)
        bytes = bytes << 8 | (uint64_t)small_value(list_head(t));
    murmur_first(m, murmur_halves(MURMUR_STRING | count << 8, bytes));
    return t;
}

/* The cells of a list up to the first head that is more than one word, and the tail that is not nil; that cell, or what
 * the list ends with. */
static Term murmur_plain_cells(Murmur *m, Term t) {
    unsigned left = LONG_WORK_ROUND;
    while (is_list(t) && stock_is_immediate(list_head(t))) {
        left = long_work_step(left, HASH_UNITS_PER_TERM);
        if (is_byte(list_head(t))) {
            t = murmur_string(m, t);
            continue;
        }
        murmur_pair(m, murmur_halves(MURMUR_IMMEDIATE, MURMUR_HEAD), stock_word(list_head(t)));
        t = list_tail(t);
        if (!is_list(t))
            murmur_first(m, MURMUR_TAIL);
    }
    long_work_rest(left, HASH_UNITS_PER_TERM);
    return t;
}

static void murmur_list(EStack *stack, Murmur *m, Term t) {
    t = murmur_plain_cells(m, t);
    if (!is_list(t)) {
        estack_push(stack, t);
        return;
    }
    murmur_first(m, MURMUR_HEAD);
    estack_push(stack, list_tail(t));
    if (!is_list(list_tail(t)))
        estack_push(stack, HASH_TAIL_MARK);
    estack_push(stack, list_head(t));
}

static void murmur_term(EStack *stack, Murmur *m, Term t) {
    if (t == HASH_TAIL_MARK)
        murmur_second(m, MURMUR_TAIL);
    else if (is_list(t))
        murmur_list(stack, m, t);
    else if (stock_is_immediate(t))
        murmur_immediate(m, t);
    else if (is_boxed(t))
        murmur_boxed(stack, m, t);
    else if (is_small(t))
        murmur_big(m, t);
    else
        murmur_pair(m, MURMUR_FLOAT, float_bits(float_value(t)));
}

static uint32_t murmur_walk(Term t) {
    Murmur m = {0};
    ESTACK(stack);
    estack_push(&stack, t);
    unsigned left = LONG_WORK_ROUND;
    while (!estack_is_empty(&stack)) {
        left = long_work_step(left, HASH_UNITS_PER_TERM);
        murmur_term(&stack, &m, estack_pop(&stack));
    }
    long_work_rest(left, HASH_UNITS_PER_TERM);
    return (uint32_t)murmur_end(&m);
}

/* What is a whole key and one word is mixed by itself. */
uint32_t murmur_hash(Term t) { return stock_is_immediate(t) ? (uint32_t)mix_word(stock_word(t)) : murmur_walk(t); }
