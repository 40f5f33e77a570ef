#include "term/compare_leaf.h"

#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/node.h"

#include <math.h>

Rank term_rank_boxed(Term t) {
    static const uint8_t ranks[KIND_COUNT] = {
        [KIND_TUPLE] = RANK_TUPLE,      [KIND_FLAT_MAP] = RANK_MAP,     [KIND_HASH_MAP] = RANK_MAP,
        [KIND_FUN] = RANK_FUN,          [KIND_EXPORT_FUN] = RANK_FUN,   [KIND_SUB_BITS] = RANK_BITS,
        [KIND_BIN_REF] = RANK_BITS,     [KIND_POS_BIG] = RANK_NUMBER,   [KIND_NEG_BIG] = RANK_NUMBER,
        [KIND_FLOAT] = RANK_NUMBER,     [KIND_HEAP_BITS] = RANK_BITS,   [KIND_REF] = RANK_REF,
        [KIND_MAGIC_REF] = RANK_REF,    [KIND_EXTERNAL_PID] = RANK_PID, [KIND_EXTERNAL_PORT] = RANK_PORT,
        [KIND_EXTERNAL_REF] = RANK_REF,
    };
    return ranks[header_kind(boxed_header(t))];
}

Rank term_rank_immediate(Term t) {
    switch (t & IMM_MASK) {
    case IMM_ATOM: return RANK_ATOM;
    case IMM_SPECIAL: return RANK_NIL;
    case IMM_PID: return RANK_PID;
    case IMM_PORT: return RANK_PORT;
    default: return RANK_NUMBER;
    }
}

int compare_numbers(Term a, Term b, bool exact) {
    bool float_a = is_float(a), float_b = is_float(b);
    if (float_a && float_b) {
        double x = float_value(a), y = float_value(b);
        if (x == 0 && y == 0 && exact && release_has(RELEASE_SIGNED_ZEROS))
            return (signbit(x) == 0) - (signbit(y) == 0);
        return x < y ? -1 : x > y;
    }
    if (!float_a && !float_b)
        return integer_compare(a, b);
    if (exact)
        return float_a ? 1 : -1;
    return float_a ? -integer_compare_double(b, float_value(a)) : integer_compare_double(a, float_value(b));
}

static int compare_nodes(Term a, Term b) {
    const Node *node_a = ident_node(a), *node_b = ident_node(b);
    int order = atom_compare(node_a->name, node_b->name);
    return order != 0 ? order : compare_words(node_a->creation, node_b->creation);
}

/* The last number weighs most; missing ones count as zero. */
static int compare_refs(Term a, Term b) {
    int order = compare_nodes(a, b);
    if (order != 0)
        return order;
    uint32_t count_a, count_b;
    const uint32_t *x = ident_ref_numbers(a, &count_a), *y = ident_ref_numbers(b, &count_b);
    for (uint32_t i = count_a > count_b ? count_a : count_b; i-- > 0;) {
        uint32_t n = i < count_a ? x[i] : 0, m = i < count_b ? y[i] : 0;
        if (n != m)
            return n < m ? -1 : 1;
    }
    return 0;
}

static int compare_pids(Term a, Term b) {
    int order = compare_words(pid_serial(a), pid_serial(b));
    if (order == 0)
        order = compare_words(pid_number(a), pid_number(b));
    return order != 0 ? order : compare_nodes(a, b);
}

static int compare_ports(Term a, Term b) {
    int order = compare_nodes(a, b);
    return order != 0 ? order : compare_words(port_number(a), port_number(b));
}

static int compare_bits(Term a, Term b) {
    BitsView x, y;
    bits_view(a, &x);
    bits_view(b, &y);
    return bits_compare(&x, &y);
}

int compare_leaves(Term a, Term b, Rank rank) {
    switch (rank) {
    case RANK_ATOM: return atom_compare(a, b);
    case RANK_REF: return compare_refs(a, b);
    case RANK_PORT: return compare_ports(a, b);
    case RANK_PID: return compare_pids(a, b);
    case RANK_BITS: return compare_bits(a, b);
    default: return 0; /* nil: equal words only */
    }
}

static int compare_export_funs(Term a, Term b) {
    const Mfa *x = export_fun_mfa(a), *y = export_fun_mfa(b);
    int order = atom_compare(x->module, y->module);
    if (order == 0)
        order = atom_compare(x->function, y->function);
    return order != 0 ? order : compare_words(x->arity, y->arity);
}

int compare_fun_entries(Term a, Term b) {
    if (is_export_fun(a) || is_export_fun(b))
        return is_export_fun(a) && is_export_fun(b) ? compare_export_funs(a, b) : is_export_fun(a) ? 1 : -1;
    const FunEntry *x = fun_ptr(a)->entry, *y = fun_ptr(b)->entry;
    int order = atom_compare(x->module, y->module);
    if (order == 0)
        order = compare_words(x->index, y->index);
    if (order == 0)
        order = compare_words(x->old_uniq, y->old_uniq);
    return order != 0 ? order : compare_words(fun_free_count(a), fun_free_count(b));
}
