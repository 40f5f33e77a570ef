/* What the parts of the selection share: refusing, emitting, operands, lines. */
#include "loader/selector.h"

#include "code/export.h"
#include "term/fun.h"

#include <stdio.h>

void select_refuse(Selector *s, const char *why) {
    if (s->failed)
        return;
    s->failed = true;
    const GenericInsn *g = &s->module->code[s->at];
    snprintf(s->detail, s->detail_size, "instruction %zu, %s: %s", s->at, genop_info[g->op].name, why);
}

void select_emit(Selector *s, enum Insn insn, const Operand *operands, unsigned count) {
    if (!s->failed && !encode_insn(&s->code, insn, operands, count))
        select_refuse(s, "an operand does not fit");
}

Operand select_register(Selector *s, const Operand *o, unsigned scratch) {
    if (operand_is_register(o))
        return *o;
    Operand x = operand_x(SCRATCH_REGISTER(scratch));
    EMIT(INSN_MOVE, *o, x);
    return x;
}

bool select_uint(Selector *s, const Operand *o, Word most, Word *value) {
    *value = o->value;
    if (o->kind == OPERAND_UINT && o->value <= most)
        return true;
    select_refuse(s, "a number is out of range");
    return false;
}

/* A float may need a box of two words, and a fun has three words before its free variables. */
bool select_need(Selector *s, const Operand *o, Word *words) {
    if (o->kind != OPERAND_ALLOC)
        return select_uint(s, o, UINT32_MAX, words);
    *words = o->list[0].value + 2 * o->list[1].value + FUN_WORDS * o->list[2].value;
    if (*words <= UINT32_MAX)
        return true;
    select_refuse(s, "too many words");
    return false;
}

const GenericImport *select_import(Selector *s, const Operand *o) {
    if (o->kind == OPERAND_UINT && o->value < s->module->import_count)
        return &s->module->imports[o->value];
    select_refuse(s, "no such import");
    return NULL;
}

const Export *select_export(Selector *s, const GenericImport *import) {
    const Export **e = &s->exports[import - s->module->imports];
    if (*e == NULL)
        *e = export_put(import->module, import->function, import->arity);
    return *e;
}

void select_note_line(Selector *s, uint32_t line) {
    EmittedCode *out = s->out;
    uint32_t word = (uint32_t)s->code.count;
    if (out->line_count > 0 && out->lines[out->line_count - 1].word == word)
        out->line_count--;
    if (out->line_count == s->line_capacity)
        out->lines = workspace_grow(s->module->workspace, out->lines, &s->line_capacity, sizeof(EmittedLine));
    out->lines[out->line_count++] = (EmittedLine){word, line};
}

void select_line(Selector *s, const Operand *a) {
    Word line;
    if (select_uint(s, &a[0], UINT32_MAX, &line))
        select_note_line(s, (uint32_t)line);
}
