/* The walk over generic instructions, and those that are the same in the engine. */
#include "loader/selector.h"

#include "code/export.h"
#include "code/function_header.h"
#include "emu/emu.h"
#include "process/bif.h"
#include "term/atom.h"

#include <stdio.h>

/* --- Instructions about the code itself --- */

static void note_function(Selector *s) {
    EmittedCode *out = s->out;
    if (out->function_count == s->function_capacity)
        out->functions = workspace_grow(s->module->workspace, out->functions, &s->function_capacity, sizeof(uint32_t));
    out->functions[out->function_count++] = (uint32_t)s->code.count;
}

static void select_label(Selector *s, const Operand *a) {
    if (s->after_info)
        s->is_entry[a[0].value] = 1;
    s->out->labels[a[0].value] = (uint32_t)s->code.count;
}

/* The labels that stand at the header's word for func_info: those just before the instruction. */
static void move_labels_to(Selector *s, uint32_t word) {
    for (size_t i = s->at; i-- > 0;) {
        const GenericInsn *g = &s->module->code[i];
        if (g->op == GENOP_LABEL)
            s->out->labels[g->operands[0].value] = word;
        else if (g->op != GENOP_LINE)
            break;
    }
}

static void emit_header(Selector *s, Term module, Term function, unsigned arity) {
    uint32_t line = s->out->line_count > 0 && s->out->lines[s->out->line_count - 1].word == s->code.count
                        ? s->out->lines[s->out->line_count - 1].line
                        : 0;
    select_note_line(s, line);
    note_function(s);
    for (size_t i = 0; i < offsetof(FunctionHeader, func_info) / sizeof(Word); i++)
        encode_word(&s->code, 0);
    move_labels_to(s, (uint32_t)s->code.count);
    select_emit(s, INSN_FUNC_INFO, NULL, 0);
    encode_word(&s->code, module);
    encode_word(&s->code, function);
    encode_word(&s->code, arity);
    _Static_assert(sizeof(FunctionHeader) == 7 * sizeof(Word) && offsetof(FunctionHeader, func_info) == 24 &&
                       offsetof(FunctionHeader, module) == 32 && offsetof(FunctionHeader, arity) == 48,
                   "the words of a function header");
}

static void select_func_info(Selector *s, const Operand *a) {
    Word arity;
    if (a[0].kind != OPERAND_TERM || !is_atom(a[0].value) || a[1].kind != OPERAND_TERM || !is_atom(a[1].value)) {
        select_refuse(s, "a name is no atom");
        return;
    }
    if (!select_uint(s, &a[2], 255, &arity))
        return;
    emit_header(s, a[0].value, a[1].value, (unsigned)arity);
    s->in_function = s->after_info = true;
}

/* The body of a built-in function is the built-in function. */
static void emit_bif_body(Selector *s) {
    const FunctionHeader *h = (const FunctionHeader *)(s->code.words + s->out->functions[s->out->function_count - 1]);
    const Export *e = export_find(h->module, h->function, (unsigned)h->arity);
    if (e != NULL && e->bif != NULL)
        EMIT(INSN_CALL_BIF, operand_pointer(e));
}

static void select_on_load(Selector *s, const Operand *a) {
    uint32_t word = s->out->functions[s->out->function_count - 1];
    s->out->on_load = word + sizeof(FunctionHeader) / sizeof(Word);
}

/* -nifs names the function. */
static void select_nif_start(Selector *s, const Operand *a) {
    FunctionHeader *h = (FunctionHeader *)(s->code.words + s->out->functions[s->out->function_count - 1]);
    h->native = NATIVE_DECLARED;
}

static void select_nothing(Selector *s, const Operand *a) {}

/* --- The table --- */

typedef struct {
    SelectFunction *select; /* or: */
    enum Insn same;         /* the engine has it with the same operands */
} Selection;
#define SAME(op, insn) [GENOP_##op] = {.same = INSN_##insn}
#define WITH(op, function) [GENOP_##op] = {.select = function}

/* Type tests take a register in the engine. */
static void select_test1(Selector *s, const Operand *a);

static const Selection selections[GENOP_LAST + 1] = {
    WITH(LABEL, select_label),
    WITH(FUNC_INFO, select_func_info),
    WITH(INT_CODE_END, select_nothing),
    WITH(LINE, select_line),
    WITH(ON_LOAD, select_on_load),
    WITH(NIF_START, select_nif_start),
    WITH(EXECUTABLE_LINE, select_nothing),
    WITH(DEBUG_LINE, select_nothing),
    /* calls */
    WITH(CALL, select_call),
    WITH(CALL_LAST, select_call_last),
    WITH(CALL_ONLY, select_call_only),
    WITH(CALL_EXT, select_call_ext),
    WITH(CALL_EXT_LAST, select_call_ext_last),
    WITH(CALL_EXT_ONLY, select_call_ext_only),
    WITH(CALL_FUN, select_call_fun),
    WITH(CALL_FUN2, select_call_fun2),
    WITH(APPLY, select_apply),
    WITH(APPLY_LAST, select_apply_last),
    WITH(MAKE_FUN2, select_make_fun2),
    WITH(MAKE_FUN3, select_make_fun3),
    WITH(BIF0, select_bif0),
    WITH(BIF1, select_bif1),
    WITH(BIF2, select_bif2),
    WITH(GC_BIF1, select_gc_bif1),
    WITH(GC_BIF2, select_gc_bif2),
    WITH(GC_BIF3, select_gc_bif3),
    WITH(RETURN, select_return),
    WITH(DEALLOCATE, select_deallocate),
    /* frames and heap */
    WITH(ALLOCATE, select_allocate),
    WITH(ALLOCATE_HEAP, select_allocate_heap),
    WITH(ALLOCATE_ZERO, select_allocate_zero),
    WITH(ALLOCATE_HEAP_ZERO, select_allocate_heap_zero),
    WITH(TEST_HEAP, select_test_heap),
    WITH(INIT, select_init),
    WITH(INIT_YREGS, select_init_yregs),
    WITH(TRIM, select_trim),
    /* moves and data */
    WITH(MOVE, select_move),
    SAME(SWAP, SWAP),
    SAME(GET_LIST, GET_LIST),
    SAME(GET_HD, GET_HD),
    SAME(GET_TL, GET_TL),
    WITH(PUT_LIST, select_put_list),
    WITH(GET_TUPLE_ELEMENT, select_get_tuple_element),
    WITH(SET_TUPLE_ELEMENT, select_set_tuple_element),
    WITH(PUT_TUPLE2, select_put_tuple2),
    WITH(UPDATE_RECORD, select_update_record),
    WITH(PUT_MAP_ASSOC, select_put_map_assoc),
    WITH(PUT_MAP_EXACT, select_put_map_exact),
    WITH(HAS_MAP_FIELDS, select_has_map_fields),
    WITH(GET_MAP_ELEMENTS, select_get_map_elements),
    WITH(FCLEARERROR, select_nothing),
    WITH(FCHECKERROR, select_nothing),
    WITH(FMOVE, select_fmove),
    WITH(FCONV, select_fconv),
    WITH(FADD, select_fadd),
    WITH(FSUB, select_fsub),
    WITH(FMUL, select_fmul),
    WITH(FDIV, select_fdiv),
    WITH(FNEGATE, select_fnegate),
    /* tests */
    SAME(IS_LT, IS_LT),
    SAME(IS_GE, IS_GE),
    SAME(IS_EQ, IS_EQ),
    SAME(IS_NE, IS_NE),
    SAME(IS_EQ_EXACT, IS_EQ_EXACT),
    SAME(IS_NE_EXACT, IS_NE_EXACT),
    WITH(IS_INTEGER, select_test1),
    WITH(IS_FLOAT, select_test1),
    WITH(IS_NUMBER, select_test1),
    WITH(IS_ATOM, select_test1),
    WITH(IS_PID, select_test1),
    WITH(IS_REFERENCE, select_test1),
    WITH(IS_PORT, select_test1),
    WITH(IS_NIL, select_test1),
    WITH(IS_BINARY, select_test1),
    WITH(IS_BITSTR, select_test1),
    WITH(IS_LIST, select_test1),
    WITH(IS_NONEMPTY_LIST, select_is_nonempty_list),
    WITH(IS_BOOLEAN, select_test1),
    WITH(IS_FUNCTION, select_test1),
    WITH(IS_MAP, select_test1),
    WITH(IS_TUPLE, select_is_tuple),
    WITH(TEST_ARITY, select_test_arity),
    WITH(IS_TAGGED_TUPLE, select_is_tagged_tuple),
    SAME(IS_FUNCTION2, IS_FUNCTION2),
    WITH(SELECT_VAL, select_select_val),
    WITH(SELECT_TUPLE_ARITY, select_select_tuple_arity),
    SAME(JUMP, JUMP),
    /* bit syntax */
    WITH(BS_START_MATCH3, select_bs_start_match3),
    WITH(BS_START_MATCH4, select_bs_start_match4),
    WITH(BS_GET_POSITION, select_bs_get_position),
    WITH(BS_GET_INTEGER2, select_bs_get_integer2),
    WITH(BS_GET_FLOAT2, select_bs_get_float2),
    WITH(BS_GET_BINARY2, select_bs_get_binary2),
    WITH(BS_SKIP_BITS2, select_bs_skip_bits2),
    WITH(BS_TEST_UNIT, select_bs_test_unit),
    WITH(BS_MATCH_STRING, select_bs_match_string),
    WITH(BS_PUT_STRING, select_bs_put_string),
    WITH(BS_GET_UTF8, select_bs_get_utf8),
    WITH(BS_GET_UTF16, select_bs_get_utf16),
    WITH(BS_GET_UTF32, select_bs_get_utf32),
    WITH(BS_SKIP_UTF8, select_bs_skip_utf8),
    WITH(BS_SKIP_UTF16, select_bs_skip_utf16),
    WITH(BS_SKIP_UTF32, select_bs_skip_utf32),
    WITH(BS_MATCH, select_bs_match),
    WITH(BS_CREATE_BIN, select_bs_create_bin),
    WITH(BS_INIT2, select_bs_init2),
    WITH(BS_INIT_BITS, select_bs_init_bits),
    WITH(BS_APPEND, select_bs_append),
    WITH(BS_PRIVATE_APPEND, select_bs_private_append),
    WITH(BS_PUT_INTEGER, select_bs_put_integer),
    WITH(BS_PUT_FLOAT, select_bs_put_float),
    WITH(BS_PUT_BINARY, select_bs_put_binary),
    WITH(BS_PUT_UTF8, select_bs_put_utf8),
    WITH(BS_PUT_UTF16, select_bs_put_utf16),
    WITH(BS_PUT_UTF32, select_bs_put_utf32),
    WITH(BS_UTF8_SIZE, select_bs_utf8_size),
    WITH(BS_UTF16_SIZE, select_bs_utf16_size),
    WITH(BS_ADD, select_bs_add),
    SAME(BS_GET_TAIL, BS_GET_TAIL),
    SAME(BS_SET_POSITION, BS_SET_POSITION),
    WITH(BS_TEST_TAIL2, select_bs_test_tail2),
    SAME(BS_INIT_WRITABLE, BS_INIT_WRITABLE),
    /* exceptions */
    SAME(CATCH, CATCH),
    SAME(TRY, CATCH),
    SAME(CATCH_END, CATCH_END),
    SAME(TRY_END, TRY_END),
    SAME(TRY_CASE, TRY_CASE),
    SAME(TRY_CASE_END, TRY_CASE_END),
    SAME(RAISE, RAISE),
    SAME(RAW_RAISE, RAW_RAISE),
    SAME(BUILD_STACKTRACE, BUILD_STACKTRACE),
    SAME(BADMATCH, BADMATCH),
    SAME(IF_END, IF_END),
    SAME(CASE_END, CASE_END),
    SAME(BADRECORD, BADRECORD),
    /* messages */
    SAME(SEND, SEND),
    SAME(LOOP_REC, LOOP_REC),
    SAME(LOOP_REC_END, LOOP_REC_END),
    SAME(REMOVE_MESSAGE, REMOVE_MESSAGE),
    SAME(WAIT, WAIT),
    SAME(WAIT_TIMEOUT, WAIT_TIMEOUT),
    SAME(TIMEOUT, TIMEOUT),
    SAME(RECV_MARKER_RESERVE, RECV_MARKER_RESERVE),
    SAME(RECV_MARKER_BIND, RECV_MARKER_BIND),
    SAME(RECV_MARKER_CLEAR, RECV_MARKER_CLEAR),
    SAME(RECV_MARKER_USE, RECV_MARKER_USE),
    WITH(RECV_MARK, select_nothing),
    WITH(RECV_SET, select_nothing),
};

static const enum Insn type_tests[GENOP_LAST + 1] = {
    [GENOP_IS_INTEGER] = INSN_IS_INTEGER, [GENOP_IS_FLOAT] = INSN_IS_FLOAT,
    [GENOP_IS_NUMBER] = INSN_IS_NUMBER,   [GENOP_IS_ATOM] = INSN_IS_ATOM,
    [GENOP_IS_PID] = INSN_IS_PID,         [GENOP_IS_REFERENCE] = INSN_IS_REFERENCE,
    [GENOP_IS_PORT] = INSN_IS_PORT,       [GENOP_IS_NIL] = INSN_IS_NIL,
    [GENOP_IS_BINARY] = INSN_IS_BINARY,   [GENOP_IS_BITSTR] = INSN_IS_BITSTR,
    [GENOP_IS_LIST] = INSN_IS_LIST,       [GENOP_IS_MAP] = INSN_IS_MAP,
    [GENOP_IS_BOOLEAN] = INSN_IS_BOOLEAN, [GENOP_IS_FUNCTION] = INSN_IS_FUNCTION,
};

static void select_test1(Selector *s, const Operand *a) {
    Operand r = select_register(s, &a[1], 0);
    EMIT(type_tests[s->module->code[s->at].op], a[0], r);
}

/* Code before the first function is a label and func_info at most; each function's entry follows its func_info. */
static bool in_place(Selector *s, const GenericInsn *g) {
    if (s->in_function || g->op == GENOP_LABEL || g->op == GENOP_LINE || g->op == GENOP_FUNC_INFO ||
        g->op == GENOP_INT_CODE_END)
        return true;
    select_refuse(s, "outside of a function");
    return false;
}

static void select_one(Selector *s, const GenericInsn *g) {
    if (!in_place(s, g))
        return;
    bool about_code = g->op == GENOP_LABEL || g->op == GENOP_LINE || g->op == GENOP_FUNC_INFO;
    if (s->after_info && !about_code) {
        s->after_info = false;
        emit_bif_body(s);
    }
    const Selection *selection = &selections[g->op];
    if (selection->select != NULL)
        selection->select(s, g->operands);
    else if (selection->same != 0)
        select_emit(s, selection->same, g->operands, g->count);
    else
        select_refuse(s, "no such instruction");
}

static bool check_entries(Selector *s) {
    for (uint32_t i = 0; i < s->module->label_count; i++) {
        if (s->is_called[i] && !s->is_entry[i]) {
            snprintf(s->detail, s->detail_size, "label %u is called but is no function", i);
            return false;
        }
    }
    return true;
}

static bool finish(Selector *s) {
    uint32_t missing;
    if (s->failed || !check_entries(s))
        return false;
    select_emit(s, INSN_INVALID, NULL, 0);
    if (!encoder_resolve(&s->code, s->out->labels, &missing)) {
        snprintf(s->detail, s->detail_size, "label %u is nowhere", missing);
        return false;
    }
    s->out->word_count = s->code.count;
    s->out->places = s->code.places;
    s->out->place_count = s->code.place_count;
    s->out->code = s->code.words;
    return true;
}

bool emit_module(const GenericModule *module, EmittedCode *out, char *detail, size_t detail_size) {
    Selector s = {.module = module, .out = out, .detail = detail, .detail_size = detail_size};
    *out = (EmittedCode){.label_count = module->label_count, .on_load = EMIT_NOWHERE};
    size_t labels = (size_t)module->label_count;
    out->labels = workspace_take(module->workspace, (labels + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < labels; i++)
        out->labels[i] = EMIT_NOWHERE;
    s.is_entry = workspace_take_zeroed(module->workspace, 2 * labels + 1);
    s.is_called = s.is_entry + labels;
    s.exports = workspace_take_zeroed(module->workspace, (module->import_count + 1) * sizeof *s.exports);
    encoder_init(&s.code, module->workspace, module->code_count, native_is_on || module->is_listed);
    if (module->is_listed)
        out->starts = workspace_take(module->workspace, (module->code_count + 1) * sizeof(uint32_t));
    for (s.at = 0; s.at < module->code_count && !s.failed; s.at = s.next) {
        uint32_t start = (uint32_t)s.code.count;
        s.next = s.at + 1;
        select_one(&s, &module->code[s.at]);
        for (size_t i = s.at; out->starts != NULL && i < s.next; i++)
            out->starts[i] = i == s.at ? start : EMIT_NOWHERE;
    }
    return finish(&s);
}
