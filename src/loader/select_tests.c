/* Selection of tests with structure: tuples, and one of many values. */
#include "loader/selector.h"

#include "term/boxed.h"

#include <stdlib.h>

static bool tuple_header(Selector *s, const Operand *arity, Operand *header) {
    Word n;
    if (!select_uint(s, arity, TUPLE_ARITY_MAX, &n))
        return false;
    *header = operand_uint(header_make(KIND_TUPLE, n));
    return true;
}

static bool same_register(const Operand *a, const Operand *b) {
    return operand_is_register(a) && a->kind == b->kind && a->value == b->value;
}

/* is_tuple, then test_arity on the same register: one test, of one label or two. */
void select_is_tuple(Selector *s, const Operand *a) {
    const GenericInsn *g = select_peek(s);
    Operand header;
    if (g != NULL && g->op == GENOP_TEST_ARITY && same_register(&g->operands[1], &a[1])) {
        s->next++;
        if (!tuple_header(s, &g->operands[2], &header))
            return;
        if (g->operands[0].value == a[0].value)
            EMIT(INSN_IS_TUPLE_OF_ARITY, a[0], a[1], header);
        else
            EMIT(INSN_IS_TUPLE_THEN_ARITY, a[0], a[1], g->operands[0], header);
        return;
    }
    Operand r = select_register(s, &a[1], 0);
    EMIT(INSN_IS_TUPLE, a[0], r);
}

void select_test_arity(Selector *s, const Operand *a) {
    Operand header, r = select_register(s, &a[1], 0);
    if (tuple_header(s, &a[2], &header))
        EMIT(INSN_IS_TUPLE_OF_ARITY, a[0], r, header);
}

void select_is_tagged_tuple(Selector *s, const Operand *a) {
    Operand header, r = select_register(s, &a[1], 0);
    if (tuple_header(s, &a[2], &header))
        EMIT(INSN_IS_TAGGED_TUPLE, a[0], r, header, a[3]);
}

/* --- select_val --- */

typedef struct {
    Term value;
    Word label;
} Choice;

static int choice_order(const void *a, const void *b) {
    Term x = ((const Choice *)a)->value, y = ((const Choice *)b)->value;
    return x < y ? -1 : x > y;
}

static void emit_choices(Selector *s, const Choice *choices, size_t count) {
    for (size_t i = 0; i < count; i++)
        encode_word(&s->code, choices[i].value);
    for (size_t i = 0; i < count; i++)
        encode_label(&s->code, (uint32_t)choices[i].label);
}

#define TABLE_SPARSE 3 /* a table may have this many places for each value */
#define TABLE_LEAST 7  /* of fewer values comparisons are as fast where nobody can guess, and faster elsewhere */

static bool is_dense(const Choice *choices, size_t count) {
    if (count < TABLE_LEAST || !is_small(choices[0].value) || !is_small(choices[count - 1].value))
        return false;
    SWord least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (!is_small(choices[i].value))
            return false;
        SWord v = small_value(choices[i].value);
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    return least > -(1 << 28) && most < (1 << 28) && (size_t)(most - least) < TABLE_SPARSE * count;
}

static void emit_table(Selector *s, Operand value, Operand fail, const Choice *choices, size_t count) {
    SWord least = small_value(choices[0].value), most = least;
    for (size_t i = 0; i < count; i++) {
        SWord v = small_value(choices[i].value);
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    size_t places = (size_t)(most - least) + 1;
    Word *labels = workspace_take(s->module->workspace, places * sizeof(Word));
    for (size_t i = 0; i < places; i++)
        labels[i] = fail.value;
    for (size_t i = count; i-- > 0;)
        labels[small_value(choices[i].value) - least] = choices[i].label;
    EMIT(INSN_SELECT_TABLE, value, fail, operand_uint(places), operand_term(small_make(least)));
    for (size_t i = 0; i < places; i++)
        encode_label(&s->code, (uint32_t)labels[i]);
}

#define LINEAR_MAX 6

static void emit_select(Selector *s, Operand value, Operand fail, Choice *choices, size_t count, bool immediate) {
    if (!immediate) {
        EMIT(INSN_SELECT_ANY, value, fail, operand_uint(count));
        emit_choices(s, choices, count);
    } else if (is_dense(choices, count)) {
        emit_table(s, value, fail, choices, count);
    } else if (count <= LINEAR_MAX) {
        EMIT(INSN_SELECT_LINEAR, value, fail, operand_uint(count));
        emit_choices(s, choices, count);
    } else {
        qsort(choices, count, sizeof *choices, choice_order);
        EMIT(INSN_SELECT_BINARY, value, fail, operand_uint(count));
        emit_choices(s, choices, count);
    }
}

static bool is_plain_immediate(Term t) { return is_small(t) || is_atom(t) || t == NIL; }

#define LIST_MOST ((Word)1 << 27) /* so the bytes of a table of them are a number of 31 bits (jit/choice.c) */

/* The list of an instruction as choices; NULL when it is wrong. */
static Choice *choices_of(Selector *s, const Operand *list, OperandKind value_kind, size_t *count, bool *immediate) {
    if (list->kind != OPERAND_LIST || list->value % 2 != 0 || list->value > LIST_MOST) {
        select_refuse(s, "the list of values is wrong");
        return NULL;
    }
    *count = list->value / 2;
    *immediate = true;
    Choice *choices = workspace_take(s->module->workspace, (*count + 1) * sizeof(Choice));
    for (size_t i = 0; i < *count; i++) {
        const Operand *value = &list->list[2 * i], *label = &list->list[2 * i + 1];
        if (value->kind != value_kind || label->kind != OPERAND_LABEL || label->value == 0) {
            select_refuse(s, "the list of values is wrong");
            break;
        }
        choices[i] = (Choice){value->value, label->value};
        if (value_kind == OPERAND_TERM && !is_plain_immediate(value->value))
            *immediate = false;
    }
    return choices;
}

void select_select_val(Selector *s, const Operand *a) {
    size_t count;
    bool immediate;
    Operand r = select_register(s, &a[0], 0);
    Choice *choices = choices_of(s, &a[2], OPERAND_TERM, &count, &immediate);
    if (choices == NULL)
        return;
    if (!s->failed && count == 2 && immediate && r.kind == OPERAND_X &&
        choices[0].value == (Term)(int32_t)choices[0].value && choices[1].value == (Term)(int32_t)choices[1].value)
        EMIT(INSN_SELECT_2, r, a[1], operand_term(choices[0].value), operand_label(choices[0].label),
             operand_term(choices[1].value), operand_label(choices[1].label));
    else if (!s->failed)
        emit_select(s, r, a[1], choices, count, immediate);
}

void select_select_tuple_arity(Selector *s, const Operand *a) {
    size_t count;
    bool immediate;
    if (!operand_is_register(&a[0])) {
        select_refuse(s, "an operand does not fit");
        return;
    }
    Choice *choices = choices_of(s, &a[2], OPERAND_UINT, &count, &immediate);
    if (choices == NULL)
        return;
    if (!s->failed) {
        for (size_t i = 0; i < count; i++)
            choices[i].value = header_make(KIND_TUPLE, choices[i].value & TUPLE_ARITY_MAX);
        EMIT(INSN_SELECT_ARITY, a[0], a[1], operand_uint(count));
        emit_choices(s, choices, count);
    }
}
