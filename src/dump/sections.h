/*
 * The sections of a crash dump that are not about processes. All follow what they find without locks, and allocate
 * nothing: by the one thread that is left, with the others at a halt. Source of what they say: ERTS user's guide, "How
 * to interpret the Erlang crash dumps", and dumps of the stock runtime.
 */
#ifndef VIV_DUMP_SECTIONS_H
#define VIV_DUMP_SECTIONS_H

#include "term/text.h"

/* system.c: the head of the file; schedulers and their queues; memory, tables of names. */
void dump_head(Text *to, const char *slogan, size_t bytes);
void dump_schedulers(Text *to);
void dump_memory(Text *to);
/* entities.c: ports, tables, timers. */
void dump_ports(Text *to);
void dump_tables(Text *to);
void dump_timers(Text *to);
/* code.c: modules, funs; persistent terms, literals, atoms. */
void dump_modules(Text *to);
void dump_funs(Text *to);
void dump_persistent_terms(Text *to);
void dump_literals(Text *to);
void dump_atoms(Text *to);
/* binaries.c: large binaries, each once; it is marked. */
void dump_binaries(Text *to);

#endif
