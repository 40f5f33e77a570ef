/* phash: each byte or word is added to the hash multiplied by a prime of its kind. */
#include "base/estack.h"
#include "base/long_work.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/hash.h"
#include "term/integer.h"
#include "term/node.h"

#define UNITS_PER_TERM 12 /* of long work */
#define UNITS_PER_BYTE 3

static const uint32_t prime[] = {
    0,         268440163, 268439161, 268435459, 268436141, 268438633, 268437017, 268438039,
    268437511, 268439627, 268440479, 268440577, 268440581, 268440593, 268440611,
};

/* Markers on the stack: header words, which no term is. The arity of a tuple stands in the marker's upper bits. */
#define TUPLE_END ((Term)TAG_HEADER)
#define LIST_END ((Term)(TAG_HEADER | 8))
#define REST_OF_LIST ((Term)(TAG_HEADER | 16))
#define MARKER_MASK 0xff

static uint32_t add(uint32_t hash, unsigned p, uint32_t v) { return hash * prime[p] + v; }

static uint32_t add_bytes(uint32_t hash, uint64_t v, unsigned count, unsigned p) {
    for (; count > 0; count--, v >>= 8)
        hash = add(hash, p, v & 0xff);
    return hash;
}

/* Whole 32-bit words of the magnitude, as many as are needed, but at least one. */
static uint32_t hash_integer(uint32_t hash, Term t) {
    IntegerView view;
    integer_view(t, &view);
    if (view.count == 0)
        hash = add_bytes(hash, 0, 4, 2);
    for (size_t i = 0; i < view.count; i++) {
        bool half = i + 1 == view.count && view.limbs[i] >> 32 == 0;
        hash = add_bytes(hash, view.limbs[i], half ? 4 : 8, 2);
    }
    return hash * prime[view.negative ? 4 : 3];
}

static uint32_t hash_port(uint32_t hash, Term t) {
    uint64_t n = port_number(t);
    if (n >> 32 != 0)
        hash = add_bytes(hash, n >> 32, 4, 11);
    return add_bytes(hash, n, 4, 9) * prime[10];
}

static uint32_t hash_float(uint32_t hash, Term t) {
    double d = float_value(t);
    uint64_t bits = d == 0 ? 0 : float_bits(d);
    return add(hash, 6, (uint32_t)(bits >> 32) ^ (uint32_t)bits);
}

static uint32_t hash_bits(uint32_t hash, Term t) {
    BitsView view;
    bits_view(t, &view);
    Word bytes = view.bit_size / 8;
    unsigned odd = view.bit_size % 8;
    long_work_count_large(bytes, UNITS_PER_BYTE);
    for (Word i = 0; i < bytes; i++)
        hash = add(hash, 1, (uint32_t)bits_get(view.bytes, view.bit_offset + 8 * i, 8));
    if (odd > 0) {
        hash = add(hash, 1, (uint32_t)bits_get(view.bytes, view.bit_offset + 8 * bytes, odd));
        hash = add(hash, 12, odd);
    }
    return add(hash, 4, (uint32_t)bytes);
}

static uint32_t text_hash(Term atom) { return atom_name(atom)->text_hash; }

static uint32_t hash_fun(EStack *stack, uint32_t hash, Term t) {
    if (is_export_fun(t)) {
        const Mfa *mfa = export_fun_mfa(t);
        hash = add(hash, 11, mfa->arity);
        hash = add(hash, 1, text_hash(mfa->module));
        return add(hash, 1, text_hash(mfa->function));
    }
    const Fun *fun = fun_ptr(t);
    size_t free = fun_free_count(t);
    for (size_t i = free; i-- > 0;)
        estack_push(stack, fun->env[i]);
    hash = add(hash, 10, (uint32_t)free);
    hash = add(hash, 1, text_hash(fun->entry->module));
    hash = add(hash, 2, fun->entry->index);
    return add(hash, 2, fun->entry->old_uniq);
}

static uint32_t hash_boxed(EStack *stack, uint32_t hash, Term t) {
    uint32_t count;
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE:
        estack_push(stack, TUPLE_END | (Term)tuple_arity(t) << HEADER_ARITY_SHIFT);
        for (size_t i = tuple_arity(t); i-- > 0;)
            estack_push(stack, tuple_elements(t)[i]);
        return hash;
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: return add(hash, 13, prime[14] + term_phash2(t));
    case KIND_FUN:
    case KIND_EXPORT_FUN: return hash_fun(stack, hash, t);
    case KIND_POS_BIG:
    case KIND_NEG_BIG: return hash_integer(hash, t);
    case KIND_FLOAT: return hash_float(hash, t);
    case KIND_EXTERNAL_PID: return add_bytes(hash, pid_number(t), 4, 5) * prime[6];
    case KIND_EXTERNAL_PORT: return hash_port(hash, t);
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: return add_bytes(hash, ident_ref_numbers(t, &count)[0], 4, 9) * prime[10];
    default: return hash_bits(hash, t);
    }
}

static uint32_t hash_immediate(uint32_t hash, Term t) {
    if (is_small(t))
        return hash_integer(hash, t);
    switch (t & IMM_MASK) {
    case IMM_ATOM: return add(hash, 1, text_hash(t));
    case IMM_SPECIAL: return add(hash, 3, 1);
    case IMM_PID: return add_bytes(hash, pid_number(t), 4, 5) * prime[6];
    case IMM_PORT: return hash_port(hash, t);
    default: return hash_float(hash, t);
    }
}

/* Bytes at the front of a list are added as they are; other heads as terms; the tail that ends it counts once more. */
static uint32_t hash_list(EStack *stack, uint32_t hash, Term t) {
    unsigned left = LONG_WORK_ROUND;
    while (is_list(t) && is_small(list_head(t)) && list_head(t) <= small_make(255)) {
        hash = add(hash, 2, (uint32_t)small_value(list_head(t)));
        t = list_tail(t);
        left = long_work_step(left, UNITS_PER_BYTE);
    }
    long_work_rest(left, UNITS_PER_BYTE);
    if (is_list(t))
        estack_push3(stack, list_tail(t), REST_OF_LIST, list_head(t));
    else
        estack_push2(stack, LIST_END, t);
    return hash;
}

uint32_t term_phash(Term t) {
    uint32_t hash = 0;
    ESTACK(stack);
    estack_push(&stack, t);
    unsigned left = LONG_WORK_ROUND;
    while (!estack_is_empty(&stack)) {
        left = long_work_step(left, UNITS_PER_TERM);
        t = estack_pop(&stack);
        if (t == REST_OF_LIST) {
            t = estack_pop(&stack);
            if (!is_list(t))
                estack_push(&stack, LIST_END);
        }
        if (is_list(t))
            hash = hash_list(&stack, hash, t);
        else if (is_boxed(t))
            hash = hash_boxed(&stack, hash, t);
        else if (t == LIST_END)
            hash *= prime[8];
        else if ((t & MARKER_MASK) == TUPLE_END)
            hash = add(hash, 9, (uint32_t)(t >> HEADER_ARITY_SHIFT));
        else
            hash = hash_immediate(hash, t);
    }
    long_work_rest(left, UNITS_PER_TERM);
    return hash;
}
