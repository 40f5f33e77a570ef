/*
 * What the files of instruction selection share.
 *
 * Selection walks the generic instructions in order. For each there is a function, in a table by generic opcode, that
 * checks the operands and emits; it may look at those behind it and consume them too (`next` is then behind them),
 * but never across a label. The first thing found wrong is kept in `detail`, and selection stops.
 */
#ifndef VIV_LOADER_SELECTOR_H
#define VIV_LOADER_SELECTOR_H

#include "emu/emu.h"
#include "genops.h"
#include "loader/emit.h"
#include "loader/encode.h"

typedef struct Selector {
    const GenericModule *module;
    Encoder code;
    EmittedCode *out;
    size_t at, next;      /* index of the generic instruction, and of the one to go on with */
    size_t function_capacity, line_capacity;
    uint8_t *is_entry;    /* by label: it is the entry of a function */
    uint8_t *is_called;   /* by label: calls lead there, so it must be an entry */
    const struct Export **exports; /* by import: NULL until one calls it */
    bool in_function, after_info;
    bool failed;
    char *detail;
    size_t detail_size;
} Selector;

typedef void SelectFunction(Selector *s, const Operand *a);

/* Says what is wrong with the instruction at hand. */
void select_refuse(Selector *s, const char *why);
void select_emit(Selector *s, enum Insn insn, const Operand *operands, unsigned count);
#define EMIT(insn, ...)                                                                                                \
    select_emit(s, insn, (const Operand[]){__VA_ARGS__}, sizeof((const Operand[]){__VA_ARGS__}) / sizeof(Operand))

/* The generic instruction behind the one at hand and those it consumed, NULL at the end. */
static inline const GenericInsn *select_peek(const Selector *s) {
    return s->next < s->module->code_count ? &s->module->code[s->next] : NULL;
}
static inline bool select_peek_is(const Selector *s, GenOp op) {
    const GenericInsn *g = select_peek(s);
    return g != NULL && g->op == op;
}
/* The instruction `line`: from here on the code is of that line (an index into the module's lines). */
SelectFunction select_line;
void select_note_line(Selector *s, uint32_t line);
/* The operand if it is a register, else a scratch register that is loaded with it first: 0 or 1 tells which. */
Operand select_register(Selector *s, const Operand *o, unsigned scratch);
#define SCRATCH_REGISTER(n) (X_REGISTERS - 1 - (n))
/* Words of a test_heap operand, and of floats and funs in it. False: refused. */
bool select_need(Selector *s, const Operand *o, Word *words);
bool select_uint(Selector *s, const Operand *o, Word most, Word *value);
const GenericImport *select_import(Selector *s, const Operand *o);
/* Its entry, which comes into being. */
const struct Export *select_export(Selector *s, const GenericImport *import);
/* Notes that the label is called; false: refused. */
bool select_callee(Selector *s, const Operand *label);
/* The export when a call of it is a plain call of Erlang code; NULL when it is a built-in function or the engine's
 * own. */
const struct Export *select_plain_export(Selector *s, const Operand *import);
/* A call of erlang:setelement/3, with the move to an x register before it, if that is of what may be an index in a
 * tuple of few elements, to x0. False: nothing was emitted. */
bool select_setelement(Selector *s, const Operand *move, const Operand *import);
/* The byte offset of an element. False: refused. */
bool select_element_offset(Selector *s, const Operand *index, Operand *offset);

/* select_calls.c */
SelectFunction select_call, select_call_last, select_call_only, select_call_ext, select_call_ext_last;
SelectFunction select_call_ext_only;
SelectFunction select_call_fun, select_call_fun2, select_apply, select_apply_last, select_make_fun2, select_make_fun3;
SelectFunction select_bif0, select_bif1, select_bif2, select_gc_bif1, select_gc_bif2, select_gc_bif3;
SelectFunction select_deallocate, select_return;
/* select_data.c */
SelectFunction select_move, select_get_tuple_element, select_set_tuple_element, select_put_tuple2, select_update_record;
SelectFunction select_put_list, select_test_heap, select_allocate, select_allocate_zero, select_allocate_heap;
SelectFunction select_allocate_heap_zero, select_init, select_init_yregs, select_trim, select_put_map_assoc;
SelectFunction select_put_map_exact, select_has_map_fields, select_get_map_elements, select_fmove, select_fconv;
SelectFunction select_fadd, select_fsub, select_fmul, select_fdiv, select_fnegate;
/* select_combine.c */
SelectFunction select_is_nonempty_list;
/* select_tests.c */
SelectFunction select_is_tuple, select_test_arity, select_is_tagged_tuple, select_select_val, select_select_tuple_arity;
/* select_bits.c */
SelectFunction select_bs_start_match3, select_bs_start_match4, select_bs_get_position, select_bs_get_integer2;
SelectFunction select_bs_get_float2, select_bs_get_binary2, select_bs_skip_bits2, select_bs_test_unit;
SelectFunction select_bs_test_tail2;
SelectFunction select_bs_match_string, select_bs_put_string, select_bs_get_utf8, select_bs_get_utf16;
SelectFunction select_bs_get_utf32, select_bs_skip_utf8, select_bs_skip_utf16, select_bs_skip_utf32, select_bs_match;
SelectFunction select_bs_create_bin, select_bs_init2, select_bs_init_bits, select_bs_append;
SelectFunction select_bs_private_append, select_bs_put_integer, select_bs_put_float, select_bs_put_binary;
SelectFunction select_bs_put_utf8, select_bs_put_utf16, select_bs_put_utf32, select_bs_utf8_size;
SelectFunction select_bs_utf16_size, select_bs_add;

#endif
