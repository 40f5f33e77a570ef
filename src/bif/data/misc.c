/*
 * What fits no other topic: hashes, kinds of terms, reductions, and settings that are constant here.
 * Source: erlang(3) phash2/1,2, phash/2, bump_reductions/1; io(3) printable_range/0; error_logger(3) warning_map/0.
 */
#include "base/estack.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/data/misc.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "process/saved_calls.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/hash.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/stock_word.h"

#define PHASH2_DEFAULT_BITS 27

/* The range of a hash, 1 to 2^32; 0 when it is none. */
static uint64_t hash_range(Term t) {
    uint64_t range;
    return integer_to_uint64(t, &range) && range <= (uint64_t)1 << 32 ? range : 0;
}

Term erlang_phash2_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return small_make(term_phash2(a[0]) & ((1u << PHASH2_DEFAULT_BITS) - 1));
}

Term erlang_phash2_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    uint64_t range = hash_range(a[1]);
    return range ? small_make((SWord)(term_phash2(a[0]) % range)) : fail_badarg(p);
}

Term erlang_phash_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    uint64_t range = hash_range(a[1]);
    return range ? small_make((SWord)(1 + term_phash(a[0]) % range)) : fail_badarg(p);
}

Term erlang_bump_reductions_1(Process *p, const Term *a) {
    if (!is_small_within(a[0], 0, STOCK_SMALL_MAX))
        return fail_badarg(p);
    SWord most = 4 * REDUCTIONS_PER_SLICE;
    process_bump(p, small_value(a[0]) < most ? small_value(a[0]) : most);
    return am_true;
}

Term erlang_yield_0(Process *p, const Term *a) { return bif_return_later(p, am_true); }

Term printable_range = am_latin1, warnings_are = am_warning;
Term io_printable_range_0(Process *p, const Term *a) { return printable_range; }
Term error_logger_warning_map_0(Process *p, const Term *a) { return warnings_are; }

/* Without dynamic tracing (DTrace, SystemTap) there are no tags: data pass unchanged. */
Term erlang_dt_undefined(Process *p, const Term *a) { return am_undefined; }
Term erlang_dt_unchanged_1(Process *p, const Term *a) { return a[0]; }
Term erlang_dt_spread_tag_1(Process *p, const Term *a) {
    return a[0] == am_true || a[0] == am_false ? am_true : fail_badarg(p);
}
Term erlang_dt_restore_tag_1(Process *p, const Term *a) { return a[0] == am_true ? am_true : fail_badarg(p); }

Term erts_debug_same_2(Process *p, const Term *a) { return bool_term(a[0] == a[1]); }
#define UNITS_PER_TERM 10 /* of long work */

static void push_parts(EStack *stack, Term t) {
    MapIterator it;
    Term key, value;
    if (is_list(t)) {
        estack_push(stack, list_tail(t));
        estack_push(stack, list_head(t));
    } else if (is_tuple(t)) {
        for (size_t i = 0; i < tuple_arity(t); i++)
            estack_push(stack, tuple_elements(t)[i]);
    } else if (is_map(t)) {
        for (map_iterator_init(&it, t); map_iterator_next(&it, &key, &value);) {
            estack_push(stack, key);
            estack_push(stack, value);
        }
    }
}

/* Words that the stock runtime needs more than this one, which has nearly all floats in one word, {} as a word on the
 * heap, and a word less in small maps. */
static SWord words_of_stock(Term t) {
    SWord words = 0;
    ESTACK(stack);
    for (estack_push(&stack, t); !estack_is_empty(&stack);) {
        t = estack_pop(&stack);
        long_work_count(UNITS_PER_TERM);
        if (is_float(t))
            words += FLOAT_WORDS - (SWord)term_flat_size_literals(t);
        else if (is_tuple(t) && tuple_arity(t) == 0)
            words--;
        else if (is_map(t) && map_size(t) > 0 && header_kind(boxed_header(t)) == KIND_FLAT_MAP)
            words++;
        push_parts(&stack, t);
    }
    return words;
}

Term erts_debug_flat_size_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return small_make((SWord)term_flat_size_literals(a[0]) + words_of_stock(a[0]));
}

static Term boxed_type(Term t) {
    switch (header_kind(boxed_header(t))) {
    case KIND_TUPLE: return am_tuple;
    case KIND_FLAT_MAP: return am_flatmap;
    case KIND_HASH_MAP: return am_hashmap;
    case KIND_MAP_NODE: return am_hashmap_node;
    case KIND_FUN: return am_fun;
    case KIND_EXPORT_FUN: return am_export;
    case KIND_HEAP_BITS: return am_heap_binary;
    case KIND_BIN_REF: return am_refc_binary;
    case KIND_SUB_BITS: return am_sub_binary;
    case KIND_POS_BIG:
    case KIND_NEG_BIG: return am_bignum;
    case KIND_FLOAT: return am_hfloat;
    case KIND_REF:
    case KIND_MAGIC_REF: return am_reference;
    case KIND_EXTERNAL_PID: return am_external_pid;
    case KIND_EXTERNAL_PORT: return am_external_port;
    case KIND_EXTERNAL_REF: return am_external_reference;
    default: panic("boxed term of kind %d", (int)header_kind(boxed_header(t)));
    }
}

/* All floats are hfloat, however they are kept. */
Term erts_internal_term_type_1(Process *p, const Term *a) {
    Term t = a[0];
    if (is_small(t))
        return am_fixnum;
    if (is_float(t))
        return am_hfloat;
    if (is_list(t))
        return am_list;
    if (is_nil(t))
        return am_nil;
    if (is_atom(t))
        return am_atom;
    if (is_local_pid(t))
        return am_pid;
    return is_local_port(t) ? am_port : boxed_type(t);
}
