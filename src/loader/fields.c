#include "loader/fields.h"

#define BACK_MOST ((Word)1 << 24) /* an instruction of the machine has such a number of bits */

void fields_init(FieldGroup *g, Operand label, Operand context, Word back) {
    g->label = label;
    g->context = context;
    g->back = back;
    g->bits = g->behind = 0;
    g->count = g->words = 0;
    g->is_full = back > BACK_MOST;
}

static bool add(FieldGroup *g, Word bits, Word word) {
    if (g->is_full || bits == 0 || bits > FIELDS_MOST_BITS - g->bits)
        return false;
    g->list[g->words++] = word;
    g->bits += bits;
    g->count++;
    return true;
}

/* What has no whole bytes and is little-endian is put together in another way; of a byte all ends are the same. */
bool fields_add_integer(FieldGroup *g, Word bits, Word flags, const Operand *to) {
    if (flags & (FIELD_LITTLE | FIELD_NATIVE))
        flags = (flags & FIELD_SIGNED) | (bits > 8 ? FIELD_LITTLE : 0);
    if (((flags & FIELD_LITTLE) && bits % 8 != 0) || !operand_is_register(to) || to->value >= X_REGISTERS)
        return false;
    uint16_t place = to->kind == OPERAND_Y ? PLACE_Y(to->value) : PLACE_X(to->value);
    if (!add(g, bits, fields_word(bits, FIELDS_TAKE, flags, place)))
        return false;
    g->to = *to;
    g->is_full = operands_are_same(to, &g->context); /* what comes next is of another one */
    return true;
}

bool fields_add_skip(FieldGroup *g, Word bits) { return add(g, bits, fields_word(bits, FIELDS_SKIP, 0, 0)); }

bool fields_add_value(FieldGroup *g, Word bits, Word value) {
    if (!add(g, bits, fields_word(bits, FIELDS_VALUE, 0, 0)))
        return false;
    g->list[g->words++] = value;
    return true;
}

bool fields_end(FieldGroup *g, Word behind) {
    if (g->is_full || g->count == 0)
        return false;
    g->behind = behind;
    g->is_full = true;
    return true;
}

/* Single ones that have instructions of their own. */
static bool emit_single(Selector *s, const FieldGroup *g) {
    FieldKind kind = fields_kind(g->list[0]);
    if (g->count != 1 || g->back != 0)
        return false;
    if (kind == FIELDS_TAKE && g->bits == 8 && fields_flags(g->list[0]) == 0 && g->behind == FIELDS_ANY_BEHIND)
        EMIT(INSN_BS_GET_INTEGER_8, g->label, g->context, g->to);
    else if (kind == FIELDS_TAKE && g->bits == 8 && fields_flags(g->list[0]) == 0 && g->behind == FIELDS_BYTES_BEHIND)
        EMIT(INSN_BS_GET_BYTE_OF_BYTES, g->label, g->context, g->to);
    else if (kind == FIELDS_SKIP && g->behind == FIELDS_ANY_BEHIND)
        EMIT(INSN_BS_SKIP_FIXED, g->label, g->context, operand_uint(g->bits));
    else
        return false;
    return true;
}

void fields_emit(Selector *s, const FieldGroup *g) {
    if (g->count == 0 || emit_single(s, g))
        return;
    EMIT(INSN_BS_GET_FIELDS, g->label, g->context, operand_uint(g->back), operand_uint(g->bits),
         operand_uint(g->behind), operand_uint(g->words));
    for (unsigned i = 0; i < g->words; i++)
        encode_word(&s->code, g->list[i]);
}
