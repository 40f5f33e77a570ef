/*
 * The items of erlang:system_info/1 whose answer is text in sections, each begun by a line `=name`: info, loaded, dist,
 * procs. Source: erlang(3); "How to interpret the Erlang crash dumps" in the ERTS user's guide.
 *
 * Sections and lines of what is not here (allocators, ports, other nodes) are left out. The text of a process is
 * written by that process, when it is asked by a signal; so `procs` stops nobody, and each part is of a moment of its
 * own. Of one that is in the hands of the dirty threads little is said: nobody waits for its call.
 */
#ifndef VIV_BIF_SYSTEM_SYSTEM_TEXT_H
#define VIV_BIF_SYSTEM_SYSTEM_TEXT_H

#include "process/process.h"
#include "term/text.h"

Term get_info_text(Process *p);
Term get_loaded_text(Process *p);
Term get_dist_text(Process *p);
Term get_procs_text(Process *p); /* traps to viv_system:procs/0 */

/* The lines of the section `=memory`. */
void put_memory_text(Text *to);

/* {Allocation type, Bytes} and {atom_space, Bytes, Used}: system_info(allocated_areas). */
Term get_allocated_areas(Process *p);

#endif
