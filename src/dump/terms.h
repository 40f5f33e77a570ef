/*
 * Terms in the form that a crash dump has for them. Source: what the reader, crashdump_viewer, takes, and dumps of the
 * stock runtime.
 *
 * A *value* stands in a line: an immediate as itself, all else as "H" and an address. An *object* is a line of its own
 * that begins with its address: a list cell, a tuple, a number, .... All objects of a heap are written, as they lie
 * there, one after the other, garbage among them: nothing is marked, and no stack is needed.
 *
 * Our floats are immediate, theirs are not: one in a slot is written as an object whose address is that of the slot
 * plus one, which no object's is. Whoever writes values from slots writes dump_floats of them among the objects.
 */
#ifndef VIV_DUMP_TERMS_H
#define VIV_DUMP_TERMS_H

#include "term/bits.h"
#include "term/text.h"

/* What stands in this slot. */
void dump_value(Text *to, const Term *slot);
/* Lines for the immediate floats among them. */
void dump_floats(Text *to, const Term *slots, size_t count);
/* Lines for all objects in these words. */
void dump_objects(Text *to, const Term *start, const Term *end);
/* As text for people, like print_term: not more than some levels deep, with "..." below. */
void dump_print(Text *to, Term t);

#endif
