/*
 * The functions that match specifications may call. Source: ERTS user's guide, "Match Specifications in Erlang",
 * the grammar's GuardFunction and ActionCall.
 *
 * Which of them there are goes by the OTP release whose libraries are in use: a specification that the stock runtime of
 * that release refuses is refused, and what its ms_transform makes is taken.
 */
#include "base/long_work.h"
#include "match/program.h"
#include "sys/release.h"
#include "term/arith.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"
#include "term/stock_word.h"
#include "term/type_tests.h"

#define UNITS_PER_CELL 2 /* of long work */

#define DEFINE(name) static Term fn_##name(MatchRun *run, Area *area, const Term *a)
#define TEST(name, condition)                                                                                          \
    DEFINE(name) { return bool_term(condition); }

TYPE_TESTS(TEST)
COMPARISONS(TEST)

DEFINE(max) { return term_compare(a[0], a[1]) < 0 ? a[1] : a[0]; }
DEFINE(min) { return term_compare(a[0], a[1]) > 0 ? a[1] : a[0]; }

DEFINE(is_function_2) {
    if (!is_small(a[1]) || small_value(a[1]) < 0)
        return NON_VALUE;
    if (!is_fun(a[0]))
        return am_false;
    return bool_term(fun_arity(a[0]) == (uint64_t)small_value(a[1]));
}

DEFINE(is_record) {
    if (!is_atom(a[1]) || !is_stock_small(a[2]))
        return NON_VALUE;
    return bool_term(is_tuple(a[0]) && tuple_arity(a[0]) == (size_t)small_value(a[2]) && tuple_arity(a[0]) > 0 &&
                     tuple_elements(a[0])[0] == a[1]);
}

DEFINE(is_map_key) { return is_map(a[1]) ? bool_term(map_get(a[1], a[0]) != NULL) : NON_VALUE; }

DEFINE(map_get) {
    const Term *value = is_map(a[1]) ? map_get(a[1], a[0]) : NULL;
    return value ? *value : NON_VALUE;
}

DEFINE(map_size) { return is_map(a[0]) ? small_make((SWord)map_size(a[0])) : NON_VALUE; }

DEFINE(element) {
    if (!is_small(a[0]) || !is_tuple(a[1]) || small_value(a[0]) < 1 || (size_t)small_value(a[0]) > tuple_arity(a[1]))
        return NON_VALUE;
    return tuple_elements(a[1])[small_value(a[0]) - 1];
}

DEFINE(tuple_size) { return is_tuple(a[0]) ? small_make((SWord)tuple_arity(a[0])) : NON_VALUE; }
DEFINE(bit_size) { return is_bitstring(a[0]) ? small_make((SWord)bits_size(a[0])) : NON_VALUE; }
DEFINE(byte_size) { return is_bitstring(a[0]) ? small_make((SWord)((bits_size(a[0]) + 7) / 8)) : NON_VALUE; }
DEFINE(size) {
    if (is_tuple(a[0]))
        return small_make((SWord)tuple_arity(a[0]));
    return is_bitstring(a[0]) ? small_make((SWord)(bits_size(a[0]) / 8)) : NON_VALUE;
}

DEFINE(hd) { return is_list(a[0]) ? list_head(a[0]) : NON_VALUE; }
DEFINE(tl) { return is_list(a[0]) ? list_tail(a[0]) : NON_VALUE; }
DEFINE(length) {
    SWord n = 0;
    Term l = a[0];
    for (; is_list(l); l = list_tail(l))
        n++;
    long_work_count_large((size_t)n, UNITS_PER_CELL);
    return is_nil(l) ? small_make(n) : NON_VALUE;
}

static Term part_of_binary(Area *area, Term binary, Term start, Term length) {
    if (!is_taken_for_binary(binary) || !are_small(start, length))
        return NON_VALUE;
    SWord from = small_value(start), count = small_value(length), all = (SWord)(bits_size(binary) / 8);
    if (from < 0 || from > all || count > all - from || count < -from)
        return NON_VALUE;
    if (count < 0) {
        from += count;
        count = -count;
    }
    return bits_sub(area, binary, (Word)from * 8, (Word)count * 8);
}

DEFINE(binary_part_3) { return part_of_binary(area, a[0], a[1], a[2]); }
DEFINE(binary_part_2) {
    if (!is_tuple_arity(a[1], 2))
        return NON_VALUE;
    return part_of_binary(area, a[0], tuple_elements(a[1])[0], tuple_elements(a[1])[1]);
}

DEFINE(self) { return run->self; }
DEFINE(node_0) { return node_this_name(); }
DEFINE(node_1) { return is_pid(a[0]) || is_port(a[0]) || is_ref(a[0]) ? ident_node_name(a[0]) : NON_VALUE; }
DEFINE(not) { return a[0] == am_true ? am_false : a[0] == am_false ? am_true : NON_VALUE; }
DEFINE(xor) {
    if ((a[0] != am_true && a[0] != am_false) || (a[1] != am_true && a[1] != am_false))
        return NON_VALUE;
    return bool_term(a[0] != a[1]);
}

#define ARITH1(name)                                                                                                   \
    DEFINE(name) {                                                                                                     \
        ArithFail fail;                                                                                                \
        return arith_##name(area, a[0], &fail);                                                                        \
    }
#define ARITH2(name)                                                                                                   \
    DEFINE(name) {                                                                                                     \
        ArithFail fail;                                                                                                \
        return arith_##name(area, a[0], a[1], &fail);                                                                  \
    }
ARITH1(abs)
ARITH1(float)
ARITH1(round)
ARITH1(trunc)
ARITH1(ceil)
ARITH1(floor)
ARITH1(bnot)
ARITH1(neg)
ARITH1(plus)
ARITH2(add)
ARITH2(sub)
ARITH2(mul)
ARITH2(divide)
ARITH2(div)
ARITH2(rem)
ARITH2(band)
ARITH2(bor)
ARITH2(bxor)
ARITH2(bsl)
ARITH2(bsr)

const MatchFunction match_functions[] = {
    {am_is_atom, 1, false, fn_is_atom},
    {am_is_float, 1, false, fn_is_float},
    {am_is_integer, 1, false, fn_is_integer},
    {am_is_list, 1, false, fn_is_list},
    {am_is_number, 1, false, fn_is_number},
    {am_is_pid, 1, false, fn_is_pid},
    {am_is_port, 1, false, fn_is_port},
    {am_is_reference, 1, false, fn_is_reference},
    {am_is_tuple, 1, false, fn_is_tuple},
    {am_is_binary, 1, false, fn_is_binary},
    {am_is_function, 1, false, fn_is_function},
    {am_is_map, 1, false, fn_is_map},
    {am_is_record, 3, false, fn_is_record},
    {am_is_map_key, 2, false, fn_is_map_key},
    {am_map_get, 2, true, fn_map_get},
    {am_map_size, 1, false, fn_map_size},
    {am_element, 2, true, fn_element},
    {am_bit_size, 1, false, fn_bit_size},
    {am_byte_size, 1, false, fn_byte_size},
    {am_size, 1, false, fn_size},
    {am_hd, 1, true, fn_hd},
    {am_tl, 1, true, fn_tl},
    {am_length, 1, false, fn_length},
    {am_binary_part, 2, true, fn_binary_part_2},
    {am_binary_part, 3, true, fn_binary_part_3},
    {am_self, 0, false, fn_self},
    {am_node, 0, false, fn_node_0},
    {am_node, 1, false, fn_node_1},
    {am_not, 1, false, fn_not},
    {am_xor, 2, false, fn_xor},
    {am_less, 2, false, fn_less},
    {am_less_or_equal, 2, false, fn_less_or_equal},
    {am_greater, 2, false, fn_greater},
    {am_greater_or_equal, 2, false, fn_greater_or_equal},
    {am_equal, 2, false, fn_equal},
    {am_not_equal, 2, false, fn_not_equal},
    {am_identical, 2, false, fn_identical},
    {am_not_identical, 2, false, fn_not_identical},
    {am_abs, 1, true, fn_abs},
    {am_float, 1, true, fn_float},
    {am_round, 1, true, fn_round},
    {am_trunc, 1, true, fn_trunc},
    {am_bnot, 1, false, fn_bnot},
    {am_minus, 1, false, fn_neg},
    {am_plus, 1, true, fn_plus},
    {am_plus, 2, true, fn_add},
    {am_minus, 2, true, fn_sub},
    {am_times, 2, true, fn_mul},
    {am_divide, 2, false, fn_divide},
    {am_div, 2, true, fn_div},
    {am_rem, 2, true, fn_rem},
    {am_band, 2, true, fn_band},
    {am_bor, 2, true, fn_bor},
    {am_bxor, 2, true, fn_bxor},
    {am_bsl, 2, true, fn_bsl},
    {am_bsr, 2, true, fn_bsr},
    /* RELEASE_MORE_SPEC_FUNCTIONS */
    {am_is_function, 2, false, fn_is_function_2},
    {am_is_boolean, 1, false, fn_is_boolean},
    {am_tuple_size, 1, false, fn_tuple_size},
    {am_ceil, 1, true, fn_ceil},
    {am_floor, 1, true, fn_floor},
    {am_max, 2, true, fn_max},
    {am_min, 2, true, fn_min},
};
#define MORE_FUNCTIONS 7

size_t match_function_count(void) {
    return array_length(match_functions) - (release_has(RELEASE_MORE_SPEC_FUNCTIONS) ? 0 : MORE_FUNCTIONS);
}

const MatchActionName match_actions[] = {
    {am_message, 1, false, false, MATCH_TRACE_RECEIVE},
    {am_return_trace, 0, false, false, MATCH_TRACE_RECEIVE},
    {am_exception_trace, 0, false, false, MATCH_TRACE_RECEIVE},
    {am_display, 1, false, false, MATCH_TRACE_RECEIVE},
    {am_get_tcw, 0, true, true, MATCH_TRACE_RECEIVE},
    {am_set_tcw, 1, false, true, MATCH_TRACE_RECEIVE},
    {am_is_seq_trace, 0, true, false, MATCH_TRACE_SEND},
    {am_get_seq_token, 0, false, false, MATCH_TRACE_SEND},
    {am_set_seq_token, 2, false, false, MATCH_TRACE_SEND},
    {am_process_dump, 0, false, false, MATCH_TRACE_SEND},
    {am_enable_trace, 1, false, false, MATCH_TRACE_SEND},
    {am_enable_trace, 2, false, false, MATCH_TRACE_SEND},
    {am_disable_trace, 1, false, false, MATCH_TRACE_SEND},
    {am_disable_trace, 2, false, false, MATCH_TRACE_SEND},
    {am_trace, 2, false, false, MATCH_TRACE_SEND},
    {am_trace, 3, false, false, MATCH_TRACE_SEND},
    {am_silent, 1, false, false, MATCH_TRACE_SEND},
    {am_caller, 0, false, false, MATCH_TRACE},
    {am_caller_line, 0, false, false, MATCH_TRACE},
    {am_current_stacktrace, 0, false, false, MATCH_TRACE},
    {am_current_stacktrace, 1, false, false, MATCH_TRACE},
};
const size_t match_action_count = array_length(match_actions);
