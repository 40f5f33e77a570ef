/*
 * Terms as text: the form of erlang:display/1 and of the runtime's own reports, and the names of pids, ports,
 * references and funs, which pid_to_list/1 and friends give. No C recursion.
 */
#ifndef VIV_TERM_PRINT_H
#define VIV_TERM_PRINT_H

#include "term/area.h"
#include "term/text.h"

/* As erlang:display/1, without its newline. Lists of printable characters as "...". */
void print_term(Text *to, Term t);
/* Ends, wherever it is, when the text has `enough` bytes, or more. */
void print_term_up_to(Text *to, Term t, size_t enough);
/* An atom as source text: quoted where needed. */
void print_atom(Text *to, Term atom);

void print_pid(Text *to, Term pid);   /* <0.12.0> */
void print_port(Text *to, Term port); /* #Port<0.1> */
void print_ref(Text *to, Term ref);   /* #Ref<0.1.2.3> */
void print_fun(Text *to, Term fun);   /* #Fun<m.0.123>, fun m:f/1 */

/* Back from text; NON_VALUE when it is not of that form, or names a node that is not known. */
Term pid_parse(Area *area, const char *text, size_t length);
Term port_parse(Area *area, const char *text, size_t length);
Term ref_parse(Area *area, const char *text, size_t length);

#endif
