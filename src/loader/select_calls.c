/* Selection of calls, funs and guard functions. */
#include "loader/selector.h"

#include "code/export.h"
#include "term/fun.h"
#include "process/bif.h"
#include "process/dictionary.h"
#include "term/atom.h"
#include "term/hash.h"

/* --- Calls within the module --- */

bool select_callee(Selector *s, const Operand *label) {
    if (label->kind == OPERAND_LABEL && label->value != 0) {
        s->is_called[label->value] = 1;
        return true;
    }
    select_refuse(s, "no label to call");
    return false;
}

void select_call(Selector *s, const Operand *a) {
    if (select_callee(s, &a[1]))
        EMIT(INSN_CALL, a[1]);
}

void select_call_last(Selector *s, const Operand *a) {
    if (select_callee(s, &a[1]))
        EMIT(INSN_CALL_LAST, a[1], a[2]);
}

void select_call_only(Selector *s, const Operand *a) {
    if (select_callee(s, &a[1]))
        EMIT(INSN_CALL_ONLY, a[1]);
}

void select_return(Selector *s, const Operand *a) { EMIT(INSN_RETURN); }

void select_deallocate(Selector *s, const Operand *a) {
    if (select_peek_is(s, GENOP_RETURN)) {
        s->next++;
        EMIT(INSN_DEALLOCATE_RETURN, a[0]);
    } else {
        EMIT(INSN_DEALLOCATE, a[0]);
    }
}

/* --- Remote calls --- */

typedef enum { CALL_BODY, CALL_TAIL } CallKind;

static bool is_mfa(const GenericImport *i, Term module, Term function, unsigned arity) {
    return i->module == module && i->function == function && i->arity == arity;
}

/* erlang:apply and hibernate are the engine's own. True: emitted. */
static bool call_engine(Selector *s, const GenericImport *i, CallKind kind, Operand drop) {
    if (is_mfa(i, am_erlang, am_hibernate, 3)) {
        EMIT(INSN_HIBERNATE, operand_uint(0));
        return true;
    }
    bool mfa = is_mfa(i, am_erlang, am_apply, 3);
    if (!mfa && !is_mfa(i, am_erlang, am_apply, 2))
        return false;
    if (kind == CALL_BODY)
        select_emit(s, mfa ? INSN_APPLY_MFA : INSN_APPLY_FUN, NULL, 0);
    else
        EMIT(mfa ? INSN_APPLY_MFA_LAST : INSN_APPLY_FUN_LAST, drop);
    return true;
}

static Operand function_of(const Export *e) { return operand_uint((Word)(uintptr_t)e->bif->function); }

/* Behind a last call is what it returns to when it is traced, traps or runs on a dirty thread: it leaves its caller on
 * the stack, and in the stack trace of what fails later, as the stock runtime does. */
static void call_bif(Selector *s, const Export *e, CallKind kind, Operand drop) {
    if (e->bif->flags & (BIF_DIRTY_CPU | BIF_DIRTY_IO)) {
        EMIT(INSN_CALL_DIRTY_BIF, operand_pointer(e), operand_uint(e->bif->flags));
    } else {
        Operand function = function_of(e);
        if (kind == CALL_BODY)
            EMIT(INSN_CALL_LIGHT_BIF, operand_pointer(e), function);
        else
            EMIT(INSN_CALL_LIGHT_BIF_LAST, operand_pointer(e), function, drop);
    }
    if (kind != CALL_BODY)
        EMIT(INSN_DEALLOCATE_RETURN, drop);
}

static bool calls_bif(const Export *e) { return e->bif != NULL && !(e->bif->flags & BIF_UNEXPORTED); }

/* On the stock runtime it is Erlang code: a last call of it leaves its caller nowhere. */
static bool is_of_library(const Export *e) { return (e->bif->flags & BIF_LIBRARY) != 0; }

static void call_ext(Selector *s, const Operand *import, CallKind kind, Operand drop) {
    const GenericImport *i = select_import(s, import);
    if (i == NULL || call_engine(s, i, kind, drop))
        return;
    const Export *e = select_export(s, i);
    if (calls_bif(e) && !(kind != CALL_BODY && is_of_library(e)))
        call_bif(s, e, kind, drop);
    else if (kind == CALL_BODY)
        EMIT(INSN_CALL_EXT, operand_pointer(e));
    else if (drop.value == 0)
        EMIT(INSN_CALL_EXT_ONLY, operand_pointer(e));
    else
        EMIT(INSN_CALL_EXT_LAST, operand_pointer(e), drop);
}

const Export *select_plain_export(Selector *s, const Operand *import) {
    const GenericImport *i = select_import(s, import);
    bool own = i == NULL || is_mfa(i, am_erlang, am_hibernate, 3) || is_mfa(i, am_erlang, am_apply, 3) ||
               is_mfa(i, am_erlang, am_apply, 2);
    const Export *e = own ? NULL : select_export(s, i);
    return e != NULL && !calls_bif(e) ? e : NULL;
}

bool select_setelement(Selector *s, const Operand *move, const Operand *import) {
    const GenericImport *i = select_import(s, import);
    bool is_constant = move[0].kind == OPERAND_TERM && is_small(move[0].value);
    Word at = is_constant ? (Word)small_value(move[0].value) : 0;
    if (i == NULL || !is_mfa(i, am_erlang, am_setelement, 3) || move[1].value != 0 || at - 1 >= SETELEMENT_MOST)
        return false;
    const Export *e = select_export(s, i);
    EMIT(INSN_SETELEMENT, operand_pointer(e), function_of(e), operand_uint(at));
    return true;
}

void select_call_ext(Selector *s, const Operand *a) { call_ext(s, &a[1], CALL_BODY, operand_uint(0)); }
void select_call_ext_last(Selector *s, const Operand *a) { call_ext(s, &a[1], CALL_TAIL, a[2]); }
void select_call_ext_only(Selector *s, const Operand *a) { call_ext(s, &a[1], CALL_TAIL, operand_uint(0)); }

/* --- Funs and apply --- */

/* There is no generic instruction for a last call of a fun: it is one when the frame goes and the function returns. */
static void call_fun(Selector *s, Operand arity, Operand fun, bool is_safe) {
    const GenericInsn *g = select_peek(s);
    bool drops =
        g != NULL && g->op == GENOP_DEALLOCATE && s->next + 1 < s->module->code_count && g[1].op == GENOP_RETURN;
    if (drops) {
        s->next += 2;
        EMIT(is_safe ? INSN_CALL_FUN_SAFE_LAST : INSN_CALL_FUN_LAST, arity, fun, g->operands[0]);
    } else {
        EMIT(is_safe ? INSN_CALL_FUN_SAFE : INSN_CALL_FUN2, arity, fun);
    }
}

void select_call_fun(Selector *s, const Operand *a) {
    Word arity;
    if (select_uint(s, &a[0], 255, &arity))
        call_fun(s, a[0], operand_x(arity), false);
}

/* The first operand: `safe`, `unsafe`, or the fun that it is. */
void select_call_fun2(Selector *s, const Operand *a) {
    Word arity;
    if (select_uint(s, &a[1], 255, &arity))
        call_fun(s, a[1], a[2], a[0].kind == OPERAND_TERM && a[0].value == am_safe);
}

void select_apply(Selector *s, const Operand *a) {
    Word arity;
    if (select_uint(s, &a[0], 255, &arity))
        EMIT(INSN_APPLY, a[0]);
}

void select_apply_last(Selector *s, const Operand *a) {
    Word arity;
    if (select_uint(s, &a[0], 255, &arity))
        EMIT(INSN_APPLY_LAST, a[0], a[1]);
}

static const GenericLambda *lambda_at(Selector *s, const Operand *index) {
    if (index->kind == OPERAND_UINT && index->value < s->module->lambda_count)
        return &s->module->lambdas[index->value];
    select_refuse(s, "no such fun");
    return NULL;
}

static Operand fun_ref_of(Selector *s, const GenericLambda *l) {
    const GenericModule *m = s->module;
    s->is_called[l->label] = 1;
    return operand_pointer(boxed_ptr(m->fun_refs[l - m->lambdas]));
}

void select_make_fun3(Selector *s, const Operand *a) {
    const GenericLambda *l = lambda_at(s, &a[0]);
    if (l == NULL)
        return;
    if (a[2].kind != OPERAND_LIST || a[2].value != l->free_count) {
        select_refuse(s, "wrong number of free variables");
        return;
    }
    EMIT(INSN_MAKE_FUN, fun_ref_of(s, l), a[1], operand_uint(l->free_count));
    for (uint32_t i = 0; i < l->free_count; i++)
        if (!encode_source(&s->code, &a[2].list[i]))
            select_refuse(s, "an operand does not fit");
}

/* Until OTP 23: the free variables are in the first x registers, the result goes to x0, and it asks for its own
 * room. */
void select_make_fun2(Selector *s, const Operand *a) {
    const GenericLambda *l = lambda_at(s, &a[0]);
    if (l == NULL)
        return;
    EMIT(INSN_TEST_HEAP, operand_uint(FUN_WORDS + l->free_count), operand_uint(l->free_count));
    EMIT(INSN_MAKE_FUN, fun_ref_of(s, l), operand_x(0), operand_uint(l->free_count));
    for (uint32_t i = 0; i < l->free_count; i++)
        encode_word(&s->code, SOURCE_X(i));
}

/* --- Guard functions --- */

typedef struct {
    Term name;
    unsigned arity;
    enum Insn insn;
} Operator;
/* What the engine does itself. */
static const Operator operators[] = {
    {am_plus, 2, INSN_ADD},     {am_minus, 2, INSN_SUB},       {am_times, 2, INSN_MUL}, {am_divide, 2, INSN_DIVIDE},
    {am_div, 2, INSN_INT_DIV},  {am_rem, 2, INSN_INT_REM},     {am_band, 2, INSN_BAND}, {am_bor, 2, INSN_BOR},
    {am_bxor, 2, INSN_BXOR},    {am_bsl, 2, INSN_BSL},         {am_bsr, 2, INSN_BSR},   {am_bnot, 1, INSN_BNOT},
    {am_minus, 1, INSN_NEGATE}, {am_plus, 1, INSN_UNARY_PLUS},
};

static const Operator *operator_of(const GenericImport *i, unsigned arity) {
    if (i->module != am_erlang || i->arity != arity)
        return NULL;
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (operators[k].name == i->function && operators[k].arity == arity)
            return &operators[k];
    return NULL;
}

/* The export of the guard function, or NULL when it was refused or is not in this runtime: then the code raises
 * undef. */
static const Export *guard_export(Selector *s, const Operand *import, unsigned arity, const Operand *fail) {
    const GenericImport *i = select_import(s, import);
    if (i == NULL)
        return NULL;
    if (i->arity != arity) {
        select_refuse(s, "wrong number of arguments");
        return NULL;
    }
    const Export *e = select_export(s, i);
    if (e->bif != NULL)
        return e;
    if (fail != NULL && fail->value != 0)
        EMIT(INSN_JUMP, *fail);
    else
        EMIT(INSN_BIF_MISSING, operand_pointer(e), operand_uint(0));
    return NULL;
}

static bool is_erlang(const Export *e, Term name) { return e->module == am_erlang && e->function == name; }

void select_bif0(Selector *s, const Operand *a) {
    const Export *e = guard_export(s, &a[0], 0, NULL);
    if (e != NULL && is_erlang(e, am_self))
        EMIT(INSN_SELF, a[1]);
    else if (e != NULL)
        EMIT(INSN_BIF0, operand_pointer(e), a[1]);
}

/* It cannot fail. */
static void select_get(Selector *s, const Export *e, Operand key, Operand to) {
    if (key.kind != OPERAND_TERM)
        EMIT(INSN_GET, operand_pointer(e), key, to);
    else
        EMIT(dictionary_key_is_word(key.value) ? INSN_GET_WORD : INSN_GET_HASHED, key,
             operand_uint(dictionary_hash(key.value)), to);
}

void select_bif1(Selector *s, const Operand *a) {
    const Export *e = guard_export(s, &a[1], 1, &a[0]);
    if (e == NULL)
        return;
    if (is_erlang(e, am_get)) {
        select_get(s, e, a[2], a[3]);
        return;
    }
    enum Insn insn = INSN_BIF1;
    if (is_erlang(e, am_hd))
        insn = INSN_HD;
    else if (is_erlang(e, am_tl))
        insn = INSN_TL;
    else if (is_erlang(e, am_tuple_size))
        insn = INSN_TUPLE_SIZE;
    EMIT(insn, a[0], operand_pointer(e), a[2], a[3]);
}

typedef struct {
    Term name;
    enum Insn insn;
    bool exchanged;
} Comparison;
/* None of them can fail. */
static const Comparison comparisons[] = {
    {am_identical, INSN_BOOL_IDENTICAL, false},
    {am_not_identical, INSN_BOOL_DIFFERENT, false},
    {am_less, INSN_BOOL_LESS, false},
    {am_greater, INSN_BOOL_LESS, true},
    {am_greater_or_equal, INSN_BOOL_NOT_LESS, false},
    {am_less_or_equal, INSN_BOOL_NOT_LESS, true},
};

static bool select_comparison(Selector *s, const Export *e, const Operand *a) {
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const Comparison *c = &comparisons[i];
        if (!is_erlang(e, c->name))
            continue;
        EMIT(c->insn, a[c->exchanged ? 3 : 2], a[c->exchanged ? 2 : 3], a[4]);
        return true;
    }
    return false;
}

void select_bif2(Selector *s, const Operand *a) {
    const Export *e = guard_export(s, &a[1], 2, &a[0]);
    if (e == NULL || select_comparison(s, e, a))
        return;
    enum Insn insn = is_erlang(e, am_element)      ? INSN_ELEMENT
                     : is_erlang(e, am_map_get)    ? INSN_MAP_GET
                     : is_erlang(e, am_is_map_key) ? INSN_IS_MAP_KEY
                                                   : INSN_BIF2;
    EMIT(insn, a[0], operand_pointer(e), a[2], a[3], a[4]);
}

/* x[live] is used while a result is settled. */
static bool live_fits(Selector *s, const Operand *live) {
    Word n;
    return select_uint(s, live, SCRATCH_REGISTER(1) - 1, &n);
}

/* Before OTP 26, plus of a literal is the sum with 0: it shows the operator's frame; plus of a register does not. */
static void select_unary(Selector *s, const Operator *o, const Operand *a) {
    if (o->insn == INSN_UNARY_PLUS && !operand_is_register(&a[3]) && !release_has(RELEASE_OPERATOR_FRAMES))
        EMIT(INSN_ADD, a[0], a[1], a[3], operand_term(small_make(0)), a[4]);
    else
        EMIT(o->insn, a[0], a[1], a[3], a[4]);
}

/* Of one argument, which builds, or may. */
static enum Insn guard_insn(const Export *e) {
    return is_erlang(e, am_abs)         ? INSN_ABSOLUTE
           : is_erlang(e, am_byte_size) ? INSN_BYTE_SIZE
           : is_erlang(e, am_map_size)  ? INSN_MAP_SIZE
                                        : INSN_GC_BIF1;
}

void select_gc_bif1(Selector *s, const Operand *a) {
    const GenericImport *i = select_import(s, &a[2]);
    if (i == NULL || !live_fits(s, &a[1]))
        return;
    const Operator *o = operator_of(i, 1);
    if (o != NULL) {
        select_unary(s, o, a);
        return;
    }
    const Export *e = guard_export(s, &a[2], 1, &a[0]);
    if (e != NULL)
        EMIT(guard_insn(e), a[0], operand_pointer(e), a[1], a[3], a[4]);
}

/* These instructions show no frame of the operator when they fail (emu/interp.h: FRAME_OF_ALL): so they stand for
 * constants that are small on the stock runtime, where small integers have 60 bits, and for subtractions of what is not
 * negative. */
static bool is_small_constant(const Operand *o, bool subtracted) {
    return o->kind == OPERAND_TERM && is_small(o->value) &&
           small_value(o->value) >= (subtracted ? 0 : -((SWord)1 << 59)) && small_value(o->value) < (SWord)1 << 59;
}

/* Before OTP 26 a difference with a constant is the sum with its negation: -0.0 - 0 is 0.0. */
static bool is_sum_with_zero(const Operator *o, const Operand *constant) {
    return o->insn == INSN_SUB && constant->kind == OPERAND_TERM && constant->value == small_make(0) &&
           !release_has(RELEASE_OPERATOR_FRAMES);
}

static void select_operator(Selector *s, const Operator *o, const Operand *a) {
    bool adds = o->insn == INSN_ADD || is_sum_with_zero(o, &a[4]);
    if ((adds || o->insn == INSN_SUB) && is_small_constant(&a[4], !adds) && operand_is_register(&a[3]))
        EMIT(adds ? INSN_ADD_SMALL : INSN_SUB_SMALL, a[0], a[1], a[3], a[4], a[5]);
    else if (adds && !release_has(RELEASE_OPERATOR_FRAMES) && is_small_constant(&a[3], false) &&
             operand_is_register(&a[4]))
        EMIT(INSN_ADD_SMALL, a[0], a[1], a[4], a[3], a[5]);
    else
        EMIT(o->insn, a[0], a[1], a[3], a[4], a[5]);
}

void select_gc_bif2(Selector *s, const Operand *a) {
    const GenericImport *i = select_import(s, &a[2]);
    if (i == NULL || !live_fits(s, &a[1]))
        return;
    const Operator *o = operator_of(i, 2);
    if (o != NULL) {
        select_operator(s, o, a);
        return;
    }
    const Export *e = guard_export(s, &a[2], 2, &a[0]);
    if (e != NULL)
        EMIT(INSN_GC_BIF2, a[0], operand_pointer(e), a[1], a[3], a[4], a[5]);
}

void select_gc_bif3(Selector *s, const Operand *a) {
    const Export *e = live_fits(s, &a[1]) ? guard_export(s, &a[2], 3, &a[0]) : NULL;
    if (e != NULL)
        EMIT(INSN_GC_BIF3, a[0], operand_pointer(e), a[1], a[3], a[4], a[5], a[6]);
}
