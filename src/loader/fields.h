/*
 * Fields of a bitstring that are matched one after the other become one instruction, bs_get_fields: there is one test
 * that they are there, and one load. A group is filled as long as fields fit, then emitted.
 *
 * Where one of several fields fails the context may stand before any of them, and the registers of those before it may
 * have changed: code at the label does not care, since it is the same label that any of them goes to.
 */
#ifndef VIV_LOADER_FIELDS_H
#define VIV_LOADER_FIELDS_H

#include "emu/bits.h"
#include "loader/selector.h"

typedef struct {
    Operand label, context;
    Word back;   /* how far a failure goes back behind the first field */
    Word bits;   /* of all fields so far */
    Word behind; /* FIELDS_ANY_BEHIND, ... */
    bool is_full;
    unsigned count, words;
    Operand to; /* of a single field */
    Word list[2 * FIELDS_MOST_BITS];
} FieldGroup;

static inline bool operands_are_same(const Operand *a, const Operand *b) {
    return a->kind == b->kind && a->value == b->value;
}

void fields_init(FieldGroup *g, Operand label, Operand context, Word back);
/* False: the group is as it was, and the field none that it can have. */
bool fields_add_integer(FieldGroup *g, Word bits, Word flags, const Operand *to);
bool fields_add_skip(FieldGroup *g, Word bits);
bool fields_add_value(FieldGroup *g, Word bits, Word value);
/* The last: what may be behind the fields. */
bool fields_end(FieldGroup *g, Word behind);
/* Nothing for an empty one. */
void fields_emit(Selector *s, const FieldGroup *g);

#endif
