/*
 * The hash of maps and tables. It decides the order in which large maps are walked, so for what has the same words on
 * every runtime (integers, strings, binaries, floats, and tuples, lists and maps of these) it follows the order that
 * stock maps show. Since OTP 27 that is another one (term/murmur.h).
 */
#include "base/estack.h"
#include "base/long_work.h"
#include "base/mix.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/hash.h"
#include "term/hash_mix.h"
#include "term/hash_walk.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/map_trie.h"
#include "term/murmur.h"
#include "term/node.h"
#include "term/stock_word.h"

/* Where every hash begins: a prime, so that a table's buckets do not follow phash2. */
#define HASH_START 3432918353u

/* Mixes in the kind of what follows, where there is nothing else to mix. */
static uint32_t hash_mark(uint32_t hash, uint32_t kind) {
    hash ^= kind;
    return hash << 17 ^ hash >> 15;
}

static uint32_t hash_both(uint32_t hash, uint64_t v, uint32_t kind) {
    return hash_pair(hash, (uint32_t)v, (uint32_t)(v >> 32), kind);
}

static uint32_t hash_float(uint32_t hash, Term t) {
    double d = float_value(t);
    return hash_both(hash, d == 0 ? 0 : float_bits(d), hash_constant(12));
}

static inline uint32_t hash_small(uint32_t hash, Term t) {
    SWord v = small_value(t);
    return stock_is_small(v) ? hash_both(hash, stock_small(v), HASH_GOLDEN) : hash_limbs(hash, t);
}

static uint32_t hash_immediate(uint32_t hash, Term t) {
    if (is_small(t))
        return hash_small(hash, t);
    if (is_self_float(t))
        return hash_float(hash, t);
    return hash_is_ours(t) ? hash_ours(hash, t) : hash_both(hash, STOCK_NIL, HASH_GOLDEN);
}

static uint32_t hash_fun(EStack *stack, uint32_t hash, Term t) {
    if (is_export_fun(t))
        return hash_both(hash, (uintptr_t)((const ExportFun *)boxed_ptr(t))->export, HASH_GOLDEN);
    const Fun *fun = fun_ptr(t);
    const FunEntry *e = fun->entry;
    hash_push_backwards(stack, fun->env, fun_free_count(t));
    hash = hash_pair(hash, (uint32_t)fun_free_count(t), atom_name(e->module)->text_hash, hash_constant(20));
    return hash_pair(hash, e->index, e->old_uniq, hash_constant(21));
}

/* One set of keys has one order in a flat map. In a trie it has, too, but for keys of one hash. */
static uint32_t hash_flat_map(EStack *stack, uint32_t hash, Term t) {
    for (size_t i = flat_map_size(t); i-- > 0;)
        estack_push2(stack, flat_map_ptr(t)->values[i], flat_map_keys(t)[i]);
    return hash_word(hash, (uint32_t)flat_map_size(t), hash_constant(16));
}

static void words_reverse(Word *words, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        Word w = words[i];
        words[i] = words[count - 1 - i];
        words[count - 1 - i] = w;
    }
}

/* The pairs in the order of maps:keys/1, the first on top. False: two keys have one hash, and so no order. */
static bool push_in_order(EStack *stack, Term map) {
    MapIterator it;
    Term key, value;
    size_t words = 0;
    map_iterator_init(&it, map);
    while (map_iterator_next(&it, &key, &value)) {
        estack_push2(stack, key, value);
        words += 2;
        if (unlikely(node_is_collision(node_of_children(it.level[it.depth - 1].children)))) {
            estack_drop(stack, words);
            return false;
        }
    }
    words_reverse(stack->top - words, words);
    return true;
}

static uint32_t hash_map(EStack *stack, uint32_t hash, uint32_t *joined, Term t) {
    hash = hash_word(hash, (uint32_t)map_size(t), hash_constant(16));
    long_work_count_large(map_size(t), HASH_UNITS_PER_TERM);
    return likely(push_in_order(stack, t)) ? hash : hash_push_pairs(stack, hash, joined, t);
}

static uint32_t hash_ref(uint32_t hash, Term t) {
    uint32_t count;
    const uint32_t *numbers = ident_ref_numbers(t, &count);
    hash = hash_word(hash, numbers[0], hash_constant(7));
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] != 0)
            hash = hash_word(hash, numbers[i], hash_constant(7));
    return hash;
}

static uint32_t hash_boxed(EStack *stack, uint32_t hash, uint32_t *joined, Term t) {
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE:
        hash_push_backwards(stack, tuple_elements(t), tuple_arity(t));
        return hash_word(hash, (uint32_t)tuple_arity(t), hash_constant(9));
    case KIND_FLAT_MAP: return hash_flat_map(stack, hash, t);
    case KIND_HASH_MAP: return hash_map(stack, hash, joined, t);
    case KIND_FUN:
    case KIND_EXPORT_FUN: return hash_fun(stack, hash, t);
    case KIND_POS_BIG:
    case KIND_NEG_BIG: return hash_limbs(hash, t);
    case KIND_FLOAT: return hash_float(hash, t);
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: return hash_ref(hash, t);
    case KIND_EXTERNAL_PID: return hash_pair(hash, pid_number(t), pid_serial(t), hash_constant(5));
    case KIND_EXTERNAL_PORT: return hash_both(hash, port_number(t), hash_constant(6));
    default: return hash_bitstring(hash, t);
    }
}

static uint32_t hash_deep(Term t) {
    uint32_t hash = HASH_START, joined = 0;
    ESTACK(stack);
    estack_push(&stack, t);
    unsigned left = LONG_WORK_ROUND;
    while (!estack_is_empty(&stack)) {
        left = long_work_step(left, HASH_UNITS_PER_TERM);
        t = estack_pop(&stack);
        if (is_list(t)) {
            hash = hash_string(hash, &t, true);
            if (is_list(t)) {
                hash = hash_mark(hash, hash_constant(17));
                estack_push(&stack, list_tail(t));
                if (!is_list(list_tail(t)))
                    estack_push(&stack, HASH_TAIL_MARK);
                estack_push(&stack, list_head(t));
            } else {
                estack_push(&stack, t);
            }
        } else if (is_boxed(t)) {
            hash = hash_boxed(&stack, hash, &joined, t);
        } else if (t == HASH_TAIL_MARK) {
            hash = hash_mark(hash, hash_constant(18));
        } else if (t == HASH_PAIR_END) {
            hash = hash_pair_end(hash, &joined);
        } else if (t == HASH_MAP_END) {
            hash = hash_map_end(&stack, &joined);
        } else {
            hash = hash_immediate(hash, t);
        }
    }
    long_work_rest(left, HASH_UNITS_PER_TERM);
    return hash;
}

/* A small tuple of nothing but immediate terms, of which many keys are, needs no stack. False: it is another one. */
#define HASH_FLAT_MAX 8
static bool hash_flat_tuple(Term t, uint32_t *hash) {
    size_t arity = tuple_arity(t);
    if (arity > HASH_FLAT_MAX)
        return false;
    *hash = hash_word(HASH_START, (uint32_t)arity, hash_constant(9));
    for (size_t i = 0; i < arity; i++) {
        Term element = tuple_elements(t)[i];
        if (is_pointer(element))
            return false;
        *hash = hash_is_ours(element) ? hash_ours(*hash, element) : hash_immediate(*hash, element);
    }
    return true;
}

/*
 * A small tuple that begins with an atom, as {b_var, 12} and {b_var, {x, 12}}: as of atoms there is no order to be
 * followed, so products will do. The tuples in it hold immediate terms only. False: it is another one.
 */
static bool hash_own_elements(const Term *elements, size_t count, uint32_t *hash) {
    for (size_t i = 0; i < count; i++) {
        if (is_pointer(elements[i]))
            return false;
        *hash = is_self_float(elements[i]) ? hash_float(*hash, elements[i]) : hash_ours(*hash, elements[i]);
    }
    return true;
}

static bool hash_own_tuple(Term t, uint32_t *hash) {
    const Term *elements = tuple_elements(t);
    size_t arity = tuple_arity(t);
    if (arity == 0 || arity > HASH_FLAT_MAX || !hash_is_ours(elements[0]))
        return false;
    *hash = HASH_START + (uint32_t)arity;
    for (size_t i = 0; i < arity; i++) {
        Term element = elements[i];
        bool is_inner = is_tuple(element) && tuple_arity(element) <= HASH_FLAT_MAX;
        if (is_inner)
            *hash += (uint32_t)tuple_arity(element);
        if (!(is_inner ? hash_own_elements(tuple_elements(element), tuple_arity(element), hash)
                       : hash_own_elements(&element, 1, hash)))
            return false;
    }
    return true;
}

uint32_t term_hash_slow(Term t) {
    uint32_t hash;
    if (is_tuple(t) && hash_own_tuple(t, &hash))
        return hash;
    if (unlikely(release_has(RELEASE_MURMUR_KEYS)))
        return murmur_hash(t);
    if (is_small(t))
        return hash_small(HASH_START, t);
    if (is_bitstring(t))
        return hash_bitstring(HASH_START, t);
    if (is_tuple(t) && hash_flat_tuple(t, &hash))
        return hash;
    return is_pointer(t) ? hash_deep(t) : hash_immediate(HASH_START, t);
}
