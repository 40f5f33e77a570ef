/*
 * What open_port/2 is asked to start, from Erlang's terms to strings of the system. Source: erlang(3) open_port/2.
 */
#ifndef VIV_BIF_PORT_PROGRAM_H
#define VIV_BIF_PORT_PROGRAM_H

#include "port/child.h"
#include "term/text.h"

/* Text for the system: characters, in lists of lists too, as UTF-8, a binary as it is, an atom's name; appended. False:
 * it is none, or has a NUL in it. */
must_check bool program_text(Text *to, Term t);
/* A string of its own (ALLOC_PORT); NULL: it is none. */
char *native_string(Term t);

/* The options that concern the program; NON_VALUE: not given. */
typedef struct {
    Term folder, environment, arguments, first_argument;
} ProgramOptions;

/* Of what is no program: nothing but a folder and an environment may be given, which are good, and are not used. */
must_check bool program_options_are_idle(const ProgramOptions *o);
/* What the shell runs, or a file. am_ok; am_badarg, am_badopt: what is wrong with the options. */
Term program_of_command(ChildSpec *spec, const char *command, const ProgramOptions *o);
Term program_of_file(ChildSpec *spec, const char *path, const ProgramOptions *o);

#endif
