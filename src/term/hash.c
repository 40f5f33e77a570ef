/*
 * phash2. The stack holds what is still to be hashed, in order; a large map's pairs are hashed each for itself and
 * joined by exclusive or, so that their order does not matter: markers on the stack (header words, which no term is)
 * say where.
 */
#include "term/hash.h"

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/hash_mix.h"
#include "term/hash_walk.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"

#define UNITS_PER_BYTE 3 /* in a list */
#define BYTES_PER_UNIT 2 /* in a binary */
#define NIL_ALONE 3468870702u

static uint32_t load_four(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

/* Of up to four bytes; of fewer than four the first, the last and the one between are all that there may be. */
static uint32_t load_part(const uint8_t *p, size_t count) {
    if (count >= 4)
        return load_four(p);
    if (count == 0)
        return 0;
    size_t middle = count / 2, last = count - 1;
    return p[0] | (uint32_t)p[middle] << 8 * middle | (uint32_t)p[last] << 8 * last;
}

uint32_t hash_block(const uint8_t *p, size_t count, uint32_t hash) {
    uint32_t a = HASH_GOLDEN, b = HASH_GOLDEN, c = hash;
    size_t left = count;
    long_work_count_large(count / BYTES_PER_UNIT, 1);
    for (; left >= 12; left -= 12, p += 12) {
        a += load_four(p);
        b += load_four(p + 4);
        c += load_four(p + 8);
        HASH_MIX(a, b, c);
    }
    c += (uint32_t)count; /* its low byte is the length's: the last bytes start above it */
    if (left > 8)
        c += load_part(p + 8, left - 8) << 8;
    if (left > 4)
        b += load_part(p + 4, left - 4);
    a += load_part(p, left);
    return hash_mix(a, b, c);
}

static uint32_t hash_view(uint32_t hash, const uint8_t *bytes, Word bits) {
    hash = hash_block(bytes, bits / 8, hash_constant(13) + hash);
    unsigned odd = bits % 8;
    return odd == 0 ? hash : hash_pair(hash, odd, bytes[bits / 8] >> (8 - odd), hash_constant(15));
}

uint32_t hash_bitstring(uint32_t hash, Term t) {
    BitsView view;
    bits_view(t, &view);
    if (view.bit_size == 0)
        return hash_constant(13) + hash;
    if (view.bit_offset == 0)
        return hash_view(hash, view.bytes, view.bit_size);
    uint8_t *copy = mem_alloc(ALLOC_TEMP, view.bit_size / 8 + 1);
    bits_copy(copy, 0, view.bytes, view.bit_offset, view.bit_size);
    hash = hash_view(hash, copy, view.bit_size);
    mem_free(ALLOC_TEMP, copy);
    return hash;
}

static bool is_byte(Term t) { return (t & ~(Term)(0xff << 3)) == 0; }

uint32_t hash_string(uint32_t hash, Term *list, bool count_rest) {
    uint32_t packed = 0, count = 0;
    unsigned left = LONG_WORK_ROUND;
    while (is_list(*list) && is_byte(list_head(*list))) {
        left = long_work_step(left, UNITS_PER_BYTE);
        packed = packed << 8 | (uint32_t)small_value(list_head(*list));
        if (++count == 4) {
            hash = hash_word(hash, packed, hash_constant(4));
            packed = count = 0;
        }
        *list = list_tail(*list);
    }
    long_work_rest(left, UNITS_PER_BYTE);
    if (count == 0)
        return hash;
    return count_rest ? hash_pair(hash, packed, count, hash_constant(22)) : hash_word(hash, packed, hash_constant(4));
}

uint32_t hash_limbs(uint32_t hash, Term t) {
    IntegerView view;
    integer_view(t, &view);
    uint32_t kind = view.negative ? hash_constant(10) : hash_constant(11);
    for (size_t i = 0; i < view.count; i++)
        hash = hash_pair(hash, (uint32_t)view.limbs[i], (uint32_t)(view.limbs[i] >> 32), kind);
    return hash;
}

/* 28 bits are hashed as a word, the rest as limbs. Negative ones are mixed in twice. */
static uint32_t hash_small(uint32_t hash, Term t) {
    SWord v = small_value(t);
    if (v < -(1 << 27) || v >= 1 << 27)
        return hash_limbs(hash, t);
    if (v < 0)
        hash = hash_word(hash, (uint32_t)-v, HASH_GOLDEN);
    return hash_word(hash, (uint32_t)v, HASH_GOLDEN);
}

static uint32_t hash_float(uint32_t hash, Term t) {
    double d = float_value(t);
    uint64_t bits = d == 0 ? 0 : float_bits(d); /* one hash for both zeros */
    return hash_pair(hash, (uint32_t)(bits >> 32), (uint32_t)bits, hash_constant(12));
}

static uint32_t text_hash(Term atom) { return atom_name(atom)->text_hash; }

static uint32_t hash_port(uint32_t hash, Term t) {
    uint64_t n = port_number(t);
    return n >> 32 == 0 ? hash_word(hash, (uint32_t)n, hash_constant(6))
                        : hash_pair(hash, (uint32_t)n, (uint32_t)(n >> 32), hash_constant(6));
}

static inline uint32_t hash_immediate(uint32_t hash, Term t) {
    if (is_small(t))
        return hash_small(hash, t);
    switch (t & IMM_MASK) {
    case IMM_ATOM: return hash == 0 ? text_hash(t) : hash_word(hash, text_hash(t), hash_constant(3));
    case IMM_SPECIAL: return hash == 0 ? NIL_ALONE : hash_word(hash, 2, hash_constant(2));
    case IMM_PID: return hash_word(hash, pid_number(t), hash_constant(5));
    case IMM_PORT: return hash_port(hash, t);
    default: return hash_float(hash, t);
    }
}

static uint32_t hash_fun(EStack *stack, uint32_t hash, Term t) {
    if (is_export_fun(t)) {
        const Mfa *mfa = export_fun_mfa(t);
        hash = hash_pair(hash, mfa->arity, text_hash(mfa->module), HASH_GOLDEN);
        return hash_word(hash, text_hash(mfa->function), hash_constant(14));
    }
    const Fun *fun = fun_ptr(t);
    size_t free = fun_free_count(t);
    hash = hash_pair(hash, (uint32_t)free, text_hash(fun->entry->module), HASH_GOLDEN);
    hash_push_backwards(stack, fun->env, free);
    return hash_pair(hash, fun->entry->index, fun->entry->old_uniq, HASH_GOLDEN);
}

/* Immediate elements in front are hashed at once, the others wait on the stack. */
static uint32_t hash_tuple(EStack *stack, uint32_t hash, Term t) {
    const Term *p = tuple_elements(t), *end = p + tuple_arity(t);
    hash = hash_word(hash, (uint32_t)tuple_arity(t), hash_constant(9));
    long_work_count_large(tuple_arity(t), HASH_UNITS_PER_TERM);
    for (; p < end && !is_pointer(*p); p++)
        hash = hash_immediate(hash, *p);
    hash_push_backwards(stack, p, (size_t)(end - p));
    return hash;
}

/* Pairs of immediate terms, too: most maps are small and hold little else. */
static uint32_t hash_flat_map(EStack *stack, uint32_t hash, uint32_t *joined, Term t) {
    const Term *keys = flat_map_keys(t), *values = flat_map_ptr(t)->values;
    size_t bottom = estack_count(stack);
    uint32_t here = 0;
    for (size_t i = 0, size = flat_map_size(t); i < size; i++) {
        if (!is_pointer(keys[i]) && !is_pointer(values[i])) {
            here ^= hash_immediate(hash_immediate(0, keys[i]), values[i]);
            continue;
        }
        if (estack_count(stack) == bottom)
            estack_push3(stack, *joined, hash, HASH_MAP_END);
        estack_push3(stack, HASH_PAIR_END, values[i], keys[i]);
    }
    if (estack_count(stack) == bottom)
        return hash_word(hash, here, hash_constant(19));
    *joined = here;
    return 0;
}

static uint32_t hash_map(EStack *stack, uint32_t hash, uint32_t *joined, Term t) {
    hash = hash_word(hash, (uint32_t)map_size(t), hash_constant(16));
    if (map_size(t) == 0)
        return hash;
    return is_flat_map(t) ? hash_flat_map(stack, hash, joined, t) : hash_push_pairs(stack, hash, joined, t);
}

static uint32_t hash_boxed(EStack *stack, uint32_t hash, uint32_t *joined, Term t) {
    uint32_t count;
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE: return hash_tuple(stack, hash, t);
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP: return hash_map(stack, hash, joined, t);
    case KIND_FUN:
    case KIND_EXPORT_FUN: return hash_fun(stack, hash, t);
    case KIND_SUB_BITS:
    case KIND_BIN_REF:
    case KIND_HEAP_BITS: return hash_bitstring(hash, t);
    case KIND_POS_BIG:
    case KIND_NEG_BIG: return hash_limbs(hash, t);
    case KIND_FLOAT: return hash_float(hash, t);
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: return hash_word(hash, ident_ref_numbers(t, &count)[0], hash_constant(7));
    case KIND_EXTERNAL_PID: return hash_word(hash, pid_number(t), hash_constant(5));
    case KIND_EXTERNAL_PORT: return hash_port(hash, t);
    default: panic("hash of an object of kind %d", header_kind(boxed_header(t)));
    }
}

/* Goes over cells that hold no pointers: numbers and strings mostly. */
static uint32_t hash_cells(uint32_t hash, Term *list) {
    Term t = *list;
    unsigned left = LONG_WORK_ROUND;
    while (is_list(t) && !is_pointer(list_head(t))) {
        if (is_byte(list_head(t))) {
            hash = hash_string(hash, &t, false);
        } else {
            hash = hash_immediate(hash, list_head(t));
            t = list_tail(t);
        }
        left = long_work_step(left, HASH_UNITS_PER_TERM);
    }
    long_work_rest(left, HASH_UNITS_PER_TERM);
    *list = t;
    return hash;
}

uint32_t term_phash2(Term t) {
    if (!is_pointer(t))
        return hash_immediate(0, t);
    uint32_t hash = 0, joined = 0;
    ESTACK(stack);
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        left = long_work_step(left, HASH_UNITS_PER_TERM);
        if (is_list(t)) {
            hash = hash_cells(hash, &t);
            if (is_list(t)) {
                estack_push(&stack, list_tail(t));
                t = list_head(t);
            }
            continue;
        }
        if (is_boxed(t)) {
            hash = hash_boxed(&stack, hash, &joined, t);
        } else if (t == HASH_PAIR_END) {
            hash = hash_pair_end(hash, &joined);
        } else if (t == HASH_MAP_END) {
            hash = hash_map_end(&stack, &joined);
        } else {
            hash = hash_immediate(hash, t);
        }
        if (estack_is_empty(&stack))
            break;
        t = estack_pop(&stack);
    }
    long_work_rest(left, HASH_UNITS_PER_TERM);
    return hash;
}
