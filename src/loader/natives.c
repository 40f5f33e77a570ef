#include "loader/natives.h"

#include "genops.h"
#include "process/bif.h"
#include "term/atom.h"

/* Only modules that have functions in C at all declare others. */
static bool has_natives(const ModuleInstance *m) {
    for (uint32_t i = 0; i < m->export_count; i++)
        if (m->exports[i].export->bif != NULL)
            return true;
    return false;
}

static bool calls_nif_error(const GenericModule *module, const Operand *import) {
    if (import->kind != OPERAND_UINT || import->value >= module->import_count)
        return false;
    const GenericImport *i = &module->imports[import->value];
    return i->module == am_erlang && i->function == am_nif_error && i->arity == 1;
}

static bool moves_undefined(const Operand *o) {
    return o[0].kind == OPERAND_TERM && (o[0].value == am_undefined || o[0].value == am_undef) &&
           o[1].kind == OPERAND_X && o[1].value == 0;
}

/* From the instruction behind the entry label on: nothing but the move and the call counts. */
static bool only_fails(const GenericModule *module, size_t at) {
    bool moved = false;
    for (; at < module->code_count; at++) {
        const GenericInsn *insn = &module->code[at];
        switch (insn->op) {
        case GENOP_LINE:
        case GENOP_ALLOCATE: break;
        case GENOP_MOVE: moved = moves_undefined(insn->operands); break;
        case GENOP_CALL_EXT:
        case GENOP_CALL_EXT_ONLY:
        case GENOP_CALL_EXT_LAST: return moved && calls_nif_error(module, &insn->operands[1]);
        default: return false;
        }
    }
    return false;
}

static void leave_out(ModuleInstance *m, const GenericModule *module, Word label) {
    for (uint32_t i = 0; i < m->export_count; i++)
        if (module->exports[i].label == label && m->exports[i].export->bif == NULL)
            m->exports[i].address = NULL;
}

void natives_leave_out_missing(ModuleInstance *m, const GenericModule *module) {
    if (!has_natives(m))
        return;
    for (size_t at = 0; at < module->code_count; at++) {
        const GenericInsn *insn = &module->code[at];
        if (insn->op == GENOP_LABEL && only_fails(module, at + 1))
            leave_out(m, module, insn->operands[0].value);
    }
}

bool natives_are_in(Term module) {
    for (size_t i = 0; i < bif_count; i++)
        if (bif_table[i].module == module)
            return true;
    return false;
}
