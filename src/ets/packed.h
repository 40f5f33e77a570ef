/*
 * Terms as few bytes, for the objects of compressed tables; never seen outside of them.
 *
 * First comes how many words the term takes. Then a byte says what follows: a small number, an atom's index, a list
 * with its length (its elements, then its tail), a string of bytes, a bitstring, or a header with its words. So maps
 * keep their inner form and atoms are no texts.
 * What owns something outside (large binaries, local funs, magic references, identifiers of other nodes) is not packed.
 */
#ifndef VIV_ETS_PACKED_H
#define VIV_ETS_PACKED_H

#include "term/area.h"
#include "term/text.h"

/* Appends the packed form. False: it cannot be packed (and `to` holds a part of it). */
bool term_pack(Text *to, Term t);
/* The words that it takes as a term. */
size_t term_unpacked_words(const uint8_t *bytes);
/* The term, built in `area`; the bytes are what term_pack made. */
Term term_unpack(const uint8_t *bytes, Area *area);

#endif
