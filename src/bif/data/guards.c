/*
 * Type tests and the other functions of `erlang` that may stand in guards, operators apart (operators.c).
 * Source: erlang reference manual, "Guard Expressions"; erlang(3).
 */
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"
#include "term/stock_word.h"
#include "term/type_tests.h"

#define TEST(name, condition)                                                                                          \
    Term erlang_##name##_1(Process *p, const Term *a) { return bool_term(condition); }

TYPE_TESTS(TEST)
TEST(is_bitstring, is_bitstring(a[0]))

Term erlang_is_function_2(Process *p, const Term *a) {
    if (!is_integer(a[1]) || integer_is_negative(a[1]))
        return fail_badarg(p);
    return bool_term(is_fun(a[0]) && a[1] == small_make(fun_arity(a[0])));
}

static bool is_tagged_tuple(Term t, Term tag) {
    return is_tuple(t) && tuple_arity(t) > 0 && tuple_elements(t)[0] == tag;
}

Term erlang_is_record_2(Process *p, const Term *a) {
    if (!is_atom(a[1]))
        return fail_badarg(p);
    return bool_term(is_tagged_tuple(a[0], a[1]));
}

Term erlang_is_record_3(Process *p, const Term *a) {
    if (!is_atom(a[1]) || !is_stock_small(a[2]))
        return fail_badarg(p);
    return bool_term(is_tagged_tuple(a[0], a[1]) && small_make((SWord)tuple_arity(a[0])) == a[2]);
}

Term erlang_hd_1(Process *p, const Term *a) { return is_list(a[0]) ? list_head(a[0]) : fail_badarg(p); }

Term erlang_tl_1(Process *p, const Term *a) { return is_list(a[0]) ? list_tail(a[0]) : fail_badarg(p); }

Term erlang_length_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    int64_t n = list_length(a[0]);
    if (n < 0)
        return fail_badarg(p);
    process_bump(p, n / 16);
    return small_make(n);
}

Term erlang_size_1(Process *p, const Term *a) {
    if (is_tuple(a[0]))
        return small_make((SWord)tuple_arity(a[0]));
    if (is_bitstring(a[0]))
        return small_make((SWord)(bits_size(a[0]) / 8));
    return fail_badarg(p);
}

Term erlang_tuple_size_1(Process *p, const Term *a) {
    return is_tuple(a[0]) ? small_make((SWord)tuple_arity(a[0])) : fail_badarg(p);
}

/* Bits of a bitstring, or of what a match context has left: compilers from OTP 26 on ask a context instead of making
 * its tail. -1: it is neither. */
static SWord size_in_bits(Term t) {
    if (is_bitstring(t))
        return (SWord)bits_size(t);
    if (!is_match_context(t))
        return -1;
    const MatchContext *context = (const MatchContext *)boxed_ptr(t);
    return small_value(context->end) - small_value(context->offset);
}

Term erlang_byte_size_1(Process *p, const Term *a) {
    SWord bits = size_in_bits(a[0]);
    return bits >= 0 ? small_make((bits + 7) / 8) : fail_badarg(p);
}

Term erlang_bit_size_1(Process *p, const Term *a) {
    SWord bits = size_in_bits(a[0]);
    return bits >= 0 ? small_make(bits) : fail_badarg(p);
}

Term erlang_element_2(Process *p, const Term *a) {
    if (!is_tuple(a[1]) || !is_small_within(a[0], 1, (SWord)tuple_arity(a[1])))
        return fail_badarg(p);
    return tuple_elements(a[1])[small_value(a[0]) - 1];
}

Term erlang_map_size_1(Process *p, const Term *a) {
    return is_map(a[0]) ? small_make((SWord)map_size(a[0])) : fail_value(p, FAIL_BADMAP, a[0]);
}

Term erlang_map_get_2(Process *p, const Term *a) {
    if (!is_map(a[1]))
        return fail_value(p, FAIL_BADMAP, a[1]);
    const Term *value = map_get(a[1], a[0]);
    return value ? *value : fail_value(p, FAIL_BADKEY, a[0]);
}

Term erlang_is_map_key_2(Process *p, const Term *a) {
    if (!is_map(a[1]))
        return fail_value(p, FAIL_BADMAP, a[1]);
    return bool_term(map_get(a[1], a[0]) != NULL);
}

Term erlang_min_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return term_compare(a[0], a[1]) <= 0 ? a[0] : a[1];
}

Term erlang_max_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return term_compare(a[0], a[1]) >= 0 ? a[0] : a[1];
}

Term erlang_node_0(Process *p, const Term *a) { return node_this_name(); }

Term erlang_node_1(Process *p, const Term *a) {
    return is_pid(a[0]) || is_port(a[0]) || is_ref(a[0]) ? ident_node_name(a[0]) : fail_badarg(p);
}
