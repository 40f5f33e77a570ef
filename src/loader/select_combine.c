/*
 * Generic instructions that go together: runs of moves and what ends them, frames and what fills them, tests and what
 * they allow. Which are worth it is what tools/histogram.escript counts. A `line` may stand between: it then counts for
 * the combined instruction, of which only the last part can fail or call.
 */
#include "loader/selector.h"

#include "term/boxed.h"

#define RUN_MAX 24

static const GenericInsn *ahead(const Selector *s, size_t n) {
    return s->next + n < s->module->code_count ? &s->module->code[s->next + n] : NULL;
}
static bool is_op(const GenericInsn *g, GenOp op) { return g != NULL && g->op == op; }
static bool is_x(const Operand *o) { return o->kind == OPERAND_X; }
static bool same_place(const Operand *a, const Operand *b) { return a->kind == b->kind && a->value == b->value; }

/* --- Moves --- */

static bool is_register_move(const Operand *m) { return operand_is_register(&m[0]) && operand_is_register(&m[1]); }

static void emit_moves(Selector *s, const Operand *const *moves, size_t count) {
    size_t i = 0;
    while (i < count) {
        size_t registers = 0;
        while (registers < 3 && i + registers < count && is_register_move(moves[i + registers]))
            registers++;
        const Operand *a = moves[i], *b = registers > 1 ? moves[i + 1] : NULL, *c = registers > 2 ? moves[i + 2] : NULL;
        if (registers == 3)
            EMIT(INSN_MOVE_3, a[0], a[1], b[0], b[1], c[0], c[1]);
        else if (registers == 2)
            EMIT(INSN_MOVE_2, a[0], a[1], b[0], b[1]);
        else
            EMIT(INSN_MOVE, a[0], a[1]);
        i += registers == 0 ? 1 : registers;
    }
}

/* Whom a call by an import calls, if that is Erlang code: NULL for everything else. */
static const struct Export *plain_callee(Selector *s, const GenericInsn *g) {
    switch (g->op) {
    case GENOP_CALL_EXT:
    case GENOP_CALL_EXT_LAST:
    case GENOP_CALL_EXT_ONLY: return select_plain_export(s, &g->operands[1]);
    default: return NULL;
    }
}

static bool setelement_last(Selector *s, const Operand *m, const Operand *import, Operand drop) {
    if (!select_setelement(s, m, import))
        return false;
    EMIT(INSN_DEALLOCATE_RETURN, drop);
    return true;
}

/* The instruction `g`, which calls `e` if that is Erlang code by an import, with the move of `m` before it. False: they
 * do not combine, and nothing was emitted. */
static bool move_and_call(Selector *s, const Operand *m, const GenericInsn *g, const struct Export *e) {
    const Operand *a = g->operands;
    if (!is_x(&m[1]))
        return false;
    switch (g->op) {
    case GENOP_CALL:
        select_callee(s, &a[1]);
        EMIT(INSN_MOVE_CALL, m[0], m[1], a[1]);
        return true;
    case GENOP_CALL_ONLY:
        select_callee(s, &a[1]);
        EMIT(INSN_MOVE_CALL_ONLY, m[0], m[1], a[1]);
        return true;
    case GENOP_CALL_LAST:
        select_callee(s, &a[1]);
        EMIT(INSN_MOVE_CALL_LAST, m[0], m[1], a[1], a[2]);
        return true;
    case GENOP_CALL_EXT:
        if (e == NULL)
            return select_setelement(s, m, &a[1]);
        EMIT(INSN_MOVE_CALL_EXT, m[0], m[1], operand_pointer(e));
        return true;
    case GENOP_CALL_EXT_ONLY:
        if (e == NULL)
            return setelement_last(s, m, &a[1], operand_uint(0));
        EMIT(INSN_MOVE_CALL_EXT_ONLY, m[0], m[1], operand_pointer(e));
        return true;
    case GENOP_CALL_EXT_LAST:
        if (e == NULL)
            return setelement_last(s, m, &a[1], a[2]);
        EMIT(INSN_MOVE_CALL_EXT_LAST, m[0], m[1], operand_pointer(e), a[2]);
        return true;
    default: return false;
    }
}

static bool is_call(const GenericInsn *g) {
    return g != NULL && ((g->op >= GENOP_CALL && g->op <= GENOP_CALL_EXT_LAST) || g->op == GENOP_CALL_EXT_ONLY);
}

/* Is it a call of Erlang code (`e`, if by an import), and the last thing that is done? */
static bool is_plain_tail_call(const GenericInsn *g, const struct Export *e) {
    switch (g->op) {
    case GENOP_CALL_LAST:
    case GENOP_CALL_ONLY: return true;
    case GENOP_CALL_EXT_LAST:
    case GENOP_CALL_EXT_ONLY: return e != NULL;
    default: return false;
    }
}

static bool are_neighbours(const Operand *a, const Operand *b) {
    return a->kind == b->kind && (a->value + 1 == b->value || b->value + 1 == a->value);
}

/* From neighbours in the frame to neighbours among the x registers: the stock runtime makes one instruction of both. */
static bool are_pair(const Operand *a, const Operand *b) {
    return a[0].kind == OPERAND_Y && is_x(&a[1]) && are_neighbours(&a[0], &b[0]) && are_neighbours(&a[1], &b[1]);
}

static bool is_last_alone(const Operand *const *moves, size_t count) {
    size_t i = 0;
    while (i + 1 < count)
        i += are_pair(moves[i], moves[i + 1]) ? 2 : 1;
    return i + 1 == count;
}

/* The stock runtime loses the line of a tail call that takes in the move to x0 before it. So what fails behind the
 * call, and has none of its own as the compiler has just said the same one, fails in the line before that. */
static bool loses_line(const Operand *const *moves, size_t count, const GenericInsn *g, const struct Export *e) {
    return moves[count - 1][1].value == 0 && is_last_alone(moves, count) && is_plain_tail_call(g, e);
}

/* What follows a run of moves, if it takes the last of them in. `count` is the length of the run. */
static bool end_run(Selector *s, const Operand *const *moves, size_t count) {
    const Operand *last = moves[count - 1];
    bool to_x0 = is_x(&last[1]) && last[1].value == 0;
    size_t line = is_op(ahead(s, 0), GENOP_LINE) ? 1 : 0;
    const GenericInsn *g = ahead(s, line);
    if (is_call(g) && is_x(&last[1])) {
        const struct Export *e = plain_callee(s, g);
        emit_moves(s, moves, count - 1);
        if (line && !loses_line(moves, count, g, e))
            select_line(s, ahead(s, 0)->operands);
        if (!move_and_call(s, last, g, e)) {
            EMIT(INSN_MOVE, last[0], last[1]);
            s->next += line;
            return true;
        }
        s->next += line + 1;
        return true;
    }
    if (to_x0 && is_op(ahead(s, 0), GENOP_RETURN)) {
        emit_moves(s, moves, count - 1);
        EMIT(INSN_MOVE_RETURN, last[0]);
        s->next++;
        return true;
    }
    if (to_x0 && is_op(ahead(s, 0), GENOP_DEALLOCATE) && is_op(ahead(s, 1), GENOP_RETURN)) {
        emit_moves(s, moves, count - 1);
        EMIT(INSN_MOVE_DEALLOCATE_RETURN, last[0], ahead(s, 0)->operands[0]);
        s->next += 2;
        return true;
    }
    return false;
}

void select_move(Selector *s, const Operand *a) {
    const Operand *moves[RUN_MAX] = {a};
    size_t count = 1;
    while (count < RUN_MAX && is_op(ahead(s, 0), GENOP_MOVE)) {
        moves[count++] = ahead(s, 0)->operands;
        s->next++;
    }
    if (!end_run(s, moves, count))
        emit_moves(s, moves, count);
}

/* --- Frames and room --- */

static bool is_move_to_frame(const GenericInsn *g) {
    return is_op(g, GENOP_MOVE) && is_x(&g->operands[0]) && g->operands[1].kind == OPERAND_Y;
}

void select_allocate(Selector *s, const Operand *a) {
    const GenericInsn *one = ahead(s, 0), *two = ahead(s, 1);
    if (is_move_to_frame(one) && is_move_to_frame(two)) {
        const Operand *m = one->operands, *n = two->operands;
        EMIT(INSN_ALLOCATE_MOVE_2, a[0], a[1], m[0], m[1], n[0], n[1]);
        s->next += 2;
    } else if (is_move_to_frame(one)) {
        EMIT(INSN_ALLOCATE_MOVE, a[0], a[1], one->operands[0], one->operands[1]);
        s->next++;
    } else if (is_op(one, GENOP_INIT_YREGS) && one->operands[0].kind == OPERAND_LIST && one->operands[0].value == 1) {
        EMIT(INSN_ALLOCATE_INIT, a[0], a[1], one->operands[0].list[0]);
        s->next++;
    } else {
        EMIT(INSN_ALLOCATE, a[0], a[1]);
    }
}

/* A list cell to x0 that is returned at once. */
static bool is_returned(const Selector *s, const Operand *to, size_t n) {
    return is_x(to) && to->value == 0 && is_op(ahead(s, n), GENOP_DEALLOCATE) && is_op(ahead(s, n + 1), GENOP_RETURN);
}

void select_put_list(Selector *s, const Operand *a) {
    if (is_returned(s, &a[2], 0)) {
        EMIT(INSN_PUT_LIST_DEALLOCATE_RETURN, a[0], a[1], ahead(s, 0)->operands[0]);
        s->next += 2;
    } else {
        EMIT(INSN_PUT_LIST, a[0], a[1], a[2]);
    }
}

/* --- Tests and what they allow --- */

void select_is_nonempty_list(Selector *s, const Operand *a) {
    Operand r = select_register(s, &a[1], 0);
    const GenericInsn *g = ahead(s, 0);
    const Operand *o = g != NULL ? g->operands : NULL;
    bool same = g != NULL && (g->op == GENOP_GET_LIST || g->op == GENOP_GET_HD || g->op == GENOP_GET_TL) &&
                same_place(&o[0], &r);
    if (!same) {
        EMIT(INSN_IS_NONEMPTY_LIST, a[0], r);
        return;
    }
    if (g->op == GENOP_GET_LIST)
        EMIT(INSN_IS_NONEMPTY_LIST_GET_LIST, a[0], r, o[1], o[2]);
    else
        EMIT(g->op == GENOP_GET_HD ? INSN_IS_NONEMPTY_LIST_GET_HD : INSN_IS_NONEMPTY_LIST_GET_TL, a[0], r, o[1]);
    s->next++;
}

/* Does the offset of that element fit in 16 bits? */
static bool is_near(const Operand *index) {
    return index->kind == OPERAND_UINT && index->value < UINT16_MAX / sizeof(Word) - 1;
}

/* Does `g` take a near element of the tuple in `tuple`, which was not overwritten by `before`? */
static bool takes_element(const GenericInsn *g, const Operand *tuple, const Operand *before) {
    return is_op(g, GENOP_GET_TUPLE_ELEMENT) && same_place(&g->operands[0], tuple) && !same_place(before, tuple) &&
           is_near(&g->operands[1]);
}

void select_get_tuple_element(Selector *s, const Operand *a) {
    Operand first, second, third;
    Operand r = select_register(s, &a[0], 0);
    if (!select_element_offset(s, &a[1], &first))
        return;
    const GenericInsn *g = ahead(s, 0), *h = ahead(s, 1);
    if (!is_near(&a[1]) || !takes_element(g, &r, &a[2])) {
        EMIT(INSN_GET_TUPLE_ELEMENT, r, first, a[2]);
        return;
    }
    const Operand *b = g->operands;
    if (!select_element_offset(s, &b[1], &second))
        return;
    if (takes_element(h, &r, &b[2]) && select_element_offset(s, &h->operands[1], &third)) {
        EMIT(INSN_GET_ELEMENTS_3, r, first, a[2], second, b[2], third, h->operands[2]);
        s->next += 2;
    } else {
        EMIT(INSN_GET_ELEMENTS_2, r, first, a[2], second, b[2]);
        s->next++;
    }
}

/* --- Floats --- */

static bool is_float_register(const Operand *o) { return o->kind == OPERAND_FLOAT_REGISTER; }

static bool is_fmove(const GenericInsn *g, bool to_float) {
    return is_op(g, GENOP_FMOVE) && is_float_register(&g->operands[0]) != to_float &&
           is_float_register(&g->operands[1]) == to_float;
}

/* The float operation `n` instructions ahead, or behind a `line` there, which then counts for all that is combined. */
static const GenericInsn *operation_ahead(Selector *s, size_t n, bool *line) {
    *line = is_op(ahead(s, n), GENOP_LINE);
    const GenericInsn *g = ahead(s, n + *line);
    return g != NULL && g->op >= GENOP_FADD && g->op <= GENOP_FDIV ? g : NULL;
}

_Static_assert(GENOP_FSUB == GENOP_FADD + 1 && GENOP_FMUL == GENOP_FADD + 2 && GENOP_FDIV == GENOP_FADD + 3,
               "the order of the tables below");

/* The operation that takes a float just loaded, or two. */
static bool load_and_operate(Selector *s, const Operand *a) {
    static const enum Insn one[] = {INSN_FLOAD_ADD, INSN_FLOAD_SUB, INSN_FLOAD_MUL, INSN_FLOAD_DIV};
    static const enum Insn two[] = {INSN_FLOAD_2_ADD, INSN_FLOAD_2_SUB, INSN_FLOAD_2_MUL, INSN_FLOAD_2_DIV};
    bool line;
    size_t loads = is_fmove(ahead(s, 0), true) && operand_is_register(&a[0]) ? 1 : 0;
    const GenericInsn *g = operation_ahead(s, loads, &line);
    if (g == NULL)
        return false;
    if (line)
        select_line(s, ahead(s, loads)->operands);
    const Operand *o = g->operands;
    if (loads == 0) {
        EMIT(one[g->op - GENOP_FADD], a[0], a[1], o[1], o[2], o[3]);
    } else {
        const Operand *b = ahead(s, 0)->operands;
        EMIT(two[g->op - GENOP_FADD], a[0], a[1], b[0], b[1], o[1], o[2], o[3]);
    }
    s->next += loads + line + 1;
    return true;
}

void select_fmove(Selector *s, const Operand *a) {
    bool from = is_float_register(&a[0]), to = is_float_register(&a[1]);
    const GenericInsn *g = ahead(s, 0);
    if (from && to) {
        EMIT(INSN_FCOPY, a[0], a[1]);
    } else if (from && is_fmove(g, false)) {
        EMIT(INSN_FSTORE_2, a[0], a[1], g->operands[0], g->operands[1]);
        s->next++;
    } else if (from) {
        EMIT(INSN_FSTORE, a[0], a[1]);
    } else if (!load_and_operate(s, a)) {
        bool line;
        if (is_fmove(g, true) && operation_ahead(s, 1, &line) == NULL) {
            EMIT(INSN_FLOAD_2, a[0], a[1], g->operands[0], g->operands[1]);
            s->next++;
        } else {
            EMIT(INSN_FLOAD, a[0], a[1]);
        }
    }
}

/* Behind a test for room: what moves floats to terms at once. */
static bool select_room_and_stores(Selector *s, Operand need, Operand live) {
    const GenericInsn *g = ahead(s, 0), *h = ahead(s, 1);
    if (!is_fmove(g, false))
        return false;
    const Operand *a = g->operands;
    bool two = is_fmove(h, false);
    if (two)
        EMIT(INSN_TEST_HEAP_FSTORE_2, need, live, a[0], a[1], h->operands[0], h->operands[1]);
    else
        EMIT(INSN_TEST_HEAP_FSTORE, need, live, a[0], a[1]);
    s->next += two ? 2 : 1;
    return true;
}

void select_test_heap(Selector *s, const Operand *a) {
    Word words;
    if (!select_need(s, &a[0], &words))
        return;
    Operand need = operand_uint(words);
    const GenericInsn *g = ahead(s, 0);
    const Operand *o = g != NULL ? g->operands : NULL;
    if (is_op(g, GENOP_PUT_LIST) && is_returned(s, &o[2], 1)) {
        EMIT(INSN_TEST_HEAP_PUT_LIST_RETURN, need, a[1], o[0], o[1], ahead(s, 1)->operands[0]);
        s->next += 3;
    } else if (is_op(g, GENOP_PUT_LIST)) {
        EMIT(INSN_TEST_HEAP_PUT_LIST, need, a[1], o[0], o[1], o[2]);
        s->next++;
    } else if (is_op(g, GENOP_PUT_TUPLE2) && o[1].kind == OPERAND_LIST && o[1].value == 2) {
        EMIT(INSN_TEST_HEAP_PUT_TUPLE_2, need, a[1], o[1].list[0], o[1].list[1], o[0]);
        s->next++;
    } else if (!select_room_and_stores(s, need, a[1])) {
        EMIT(INSN_TEST_HEAP, need, a[1]);
    }
}
