/*
 * What the files of ets' built-in functions share: finding tables, and failing as the stock runtime does.
 *
 * Failures are badarg with error_info of erl_stdlib_errors; `cause` says what is wrong with the table argument (type,
 * id, access) or names another cause that erl_stdlib_errors knows.
 */
#ifndef VIV_BIF_ETS_ETS_H
#define VIV_BIF_ETS_ETS_H

#include "ets/table.h"
#include "match/match_spec.h"
#include "process/process.h"

/* Are new tables compressed, whether they are asked to or not? Set before anything starts, then constant. */
extern bool ets_compresses;

Term ets_badarg(Process *p);
Term ets_fail(Process *p, Term cause);
/* Of a match specification that is no good. */
Term ets_bad_spec(Process *p, MatchVerdict verdict);

/* The table that a term names. NULL: none, and the failure is set. */
Table *ets_find(Process *p, Term table);
typedef enum { ETS_READS, ETS_WRITES } EtsAccess;
/* Finds and holds; false: the failure is set. With `key` NON_VALUE no key is held. What it holds has the name by which
 * it was asked for until it is let go: another table may be of that name right before and right after. So whoever
 * needs to know something of the table before he holds it looks again then. */
bool ets_hold(Process *p, Term table, EtsAccess access, HoldKind kind, Term key, Hold *hold);
/* The same for what everybody may do with a table. */
bool ets_hold_unchecked(Process *p, Term table, HoldKind kind, Term key, Hold *hold);

/* Lets go and fails. */
Term ets_let_go_badarg(Process *p, Hold *hold);
Term ets_let_go_fail(Process *p, Hold *hold, Term cause);

/* Goes on with an internal function of ets in the next slice. */
Term ets_go_on(Process *p, Term function, Term argument);

/* Compiled match specifications behind magic references; NULL when the term is none. */
MatchSpec *ets_compiled(Term t);
/* A reference to a specification, which now belongs to it. */
Term ets_compiled_make(Process *p, MatchSpec *spec);

#endif
