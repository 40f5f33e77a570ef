/*
 * The atom table: names to indices and back. Atoms are never freed.
 *
 * Readers of an index (atom_name) take no lock and pay no barrier: an index is published only after its text is
 * written. New names go in under the table's lock. Atoms known at build time stand in term/atoms.tab and are the
 * constants am_<name>. Source of the behaviour: erlang(3) list_to_atom/1, binary_to_existing_atom/2; 255 characters,
 * 1,048,576 atoms (+t).
 */
#ifndef VIV_TERM_ATOM_H
#define VIV_TERM_ATOM_H

#include "am.h" /* generated: enum of am_* constants, each a Term */
#include "term/term.h"

_Static_assert((am_false & IMM_MASK) == IMM_ATOM, "the generators and term.h agree on what an atom is");
#define ATOM_MAX_CHARACTERS 255
#define ATOM_MAX_BYTES (4 * ATOM_MAX_CHARACTERS)

void atom_table_init(size_t limit);
void atom_table_release(void);

/* The text of an atom in UTF-8, not terminated by NUL; good for ever. */
typedef struct {
    const uint8_t *bytes;
    uint64_t order_value; /* the first eight bytes: compares most pairs without the text */
    uint32_t text_hash;   /* what phash2 makes of the atom: depends on its text only */
    uint16_t byte_count;
    uint16_t character_count;
    bool latin1;
} AtomName;
_Static_assert(sizeof(AtomName) == 32, "names are found by a shift");

/* Chunks that are never moved; written by atom.c alone. */
#define ATOM_CHUNK 4096u
extern AtomName **atom_names;
static inline const AtomName *atom_name(Term atom) {
    return &atom_names[atom_index(atom) / ATOM_CHUNK][atom_index(atom) % ATOM_CHUNK];
}

/* UTF-8 text to atom; NON_VALUE when the text is not UTF-8, too long (more than 255 characters), or the table is full
 * (*full set then, if not NULL). */
Term atom_put(const uint8_t *utf8, size_t bytes, bool *full);
Term atom_put_latin1(const uint8_t *latin1, size_t bytes, bool *full);
Term atom_from_cstring(const char *ascii);
/* NON_VALUE when no such atom exists. */
Term atom_find(const uint8_t *utf8, size_t bytes);
Term atom_find_latin1(const uint8_t *latin1, size_t bytes);

size_t atom_count(void);
size_t atom_limit(void);
/* Bytes of text held, and used in total: what erlang:memory(atom_used) and (atom) tell. */
void atom_memory(size_t *used, size_t *total);

/* Term order of two atoms: by their characters. <0, 0, >0. */
int atom_compare_texts(const AtomName *a, const AtomName *b);
static inline int atom_compare(Term a, Term b) {
    const AtomName *x = atom_name(a), *y = atom_name(b);
    if (likely(x->order_value != y->order_value))
        return x->order_value < y->order_value ? -1 : 1;
    return x == y ? 0 : atom_compare_texts(x, y);
}

static inline Term bool_term(bool b) { return b ? am_true : am_false; }

#endif
