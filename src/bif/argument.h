/*
 * Taking arguments apart and small results together: what several files of this folder share.
 *
 * Nothing here sets p->fail except arith_result; the callers know which error their function raises. Nothing collects.
 */
#ifndef VIV_BIF_ARGUMENT_H
#define VIV_BIF_ARGUMENT_H

#include "process/process.h"
#include "term/arith.h"
#include "term/iolist.h"
#include "term/text.h"

/* Cells of a proper list, -1 when the list is improper or no list. */
int64_t list_length(Term list);

/* Valid UTF-8 as a list of code points. */
Term list_from_utf8(Area *area, const uint8_t *utf8, size_t bytes);

/* A text of the system's (sys/native_text.h) as a list of code points; what is no UTF-8, though it should be, byte by
 * byte. */
Term list_from_native(Area *area, const char *text, size_t bytes);
Term list_from_native_text(Area *area, const char *text); /* ended by NUL */

/* A proper list of integers 0 to 255, appended to `to`. False when it is something else. */
bool text_from_latin1_list(Text *to, Term list);
typedef enum { CHARACTERS_OK, CHARACTERS_BAD, CHARACTERS_TOO_MANY } CharactersResult;
/* A proper list of at most `max` code points, appended to `to` as UTF-8. */
CharactersResult text_from_characters(Text *to, Term list, size_t max);
/* Code points in lists of lists, as the system has them. False: some cannot be written so, 0 among them, or it is
 * something else. */
bool native_from_characters(Text *to, Term list);
bool native_from_utf8(Text *to, const uint8_t *utf8, size_t bytes);
/* The bytes of a binary; false when `t` is none. */
bool text_from_binary(Text *to, Term t);

/* A small in [low, high]? */
static inline bool is_small_within(Term t, SWord low, SWord high) {
    return is_small(t) && small_value(t) >= low && small_value(t) <= high;
}

/*
 * Work that grows with its input must not hold a scheduler. A search goes on in another slice, as a call of the same
 * function with what is left; what builds something large counts as long work (base/long_work.h).
 */
/* What must not run on a scheduler for other reasons: a call of its twin in erts_internal, which is registered as dirty
 * and internal, with the same arguments. */
Term bif_go_dirty(Process *p, Term twin, unsigned arity, const Term *a);
/* A call of a module's function in the process's next slice. */
Term bif_later(Process *p, Term module, Term function, unsigned arity, const Term *a);

/* What such a call gave in the stead of the one that began it, with the list of that one's arguments: when it failed,
 * that is told as a failure of the first. */
Term bif_result_for(Process *p, Term result, Term module, Term function, Term arguments);

/* What an arith_ function gave: the result itself, or NON_VALUE with the failure set. */
Term arith_result(Process *p, Term result, ArithFail fail);

#endif
