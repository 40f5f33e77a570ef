/*
 * What erts_debug:get_internal_state/1 and set_internal_state/2 tell of processes and tables and do with them, for test
 * suites.
 *
 * Each is called by the process that asks, with the argument of the item (NON_VALUE when it takes none), and returns as
 * a built-in function that may wait.
 */
#ifndef VIV_BIF_SYSTEM_INTERNAL_STATE_H
#define VIV_BIF_SYSTEM_INTERNAL_STATE_H

#include "process/process.h"

Term inside_process_status(Process *p, Term pid);
/* Which items process_info/2 takes. */
Term inside_process_info_items(Process *p, Term none);
/* All processes, found in another way than by processes/0: those that are there when nobody else runs. */
Term inside_processes(Process *p, Term none);
/* How processes/0 works, as the stock runtime describes it. */
Term inside_processes_bif(Process *p, Term none);
Term inside_next_pid(Process *p, Term none);
Term inside_next_port(Process *p, Term none);
/* Records of the links and monitors of a process, or of those over the connection to a node; undefined: there is no
 * such process, or nothing is known of such a node. */
Term inside_links(Process *p, Term whose);
Term inside_monitors(Process *p, Term whose);
/* Is there an identifier of that node, or has a connection been wanted to it? */
bool inside_is_known(Term name);

/* {{node_references, [Of]}, {dist_references, [Of]}}: how many terms there are of each other node, how many holders of
 * each connection. */
Term inside_node_references(Process *p, Term none);
/* What carries the connection to the node; undefined: there is none. */
Term inside_controller(Process *p, Term node);
/* Its number, as DistHandles have it. A node that is not connected is bad, and so is this one. */
Term inside_connection_id(Process *p, Term node);
/* What stands first in the texts of its identifiers; undefined: nothing is known of such a node. */
Term inside_channel_number(Process *p, Term node);
/* The set of a connection's cache that an atom goes to, and the last there is. */
Term inside_atom_set(Process *p, Term atom);
Term inside_last_atom_set(Process *p, Term none);
/* All processors of the topology, in the order in which schedulers would get them by a bind type; false for unbound. */
Term inside_bind_order(Process *p, Term type);
/* Who called net_kernel:monitor_nodes, with which options. */
Term inside_node_monitors(Process *p, Term none);

/* The number that the next process, or port, gets: the next one above `to` that is free. */
Term inside_set_next_pid(Process *p, Term to);
Term inside_set_next_port(Process *p, Term to);
/* Whether the process takes part in collections that others ask for; whether it did. */
Term inside_set_collections(Process *p, Term to);
/* By so many milliseconds all collections take longer. */
Term inside_set_slow_collections(Process *p, Term to);
/* No process runs on any scheduler for so many milliseconds: first multi-scheduling is blocked, then, when it is called
 * again, it sleeps. */
Term inside_block(Process *p, Term ms);
Term inside_sleep_blocked(Process *p, Term ms);
/* Takes the code modification permission, which the process keeps until it gives it back, or ends. */
Term inside_set_code_permission(Process *p, Term to);
/* {Tid, true | false}: leaves of the ordered set, which has write_concurrency, are split by each writer; are split and
 * joined at random. */
Term inside_set_splitting(Process *p, Term to);
Term inside_set_shuffling(Process *p, Term to);
/* {Name, N}: a list of N other names of tables, which are next to this one where names of tables are kept. */
Term inside_colliding_names(Process *p, Term what);
/* {Words of a table without objects and buckets; words that it takes to find more buckets than the first: none}. */
Term inside_table_words(Process *p, Term none);
/* {Pid, Ms}: it handles this signal for so long. False: there is no such process. */
Term inside_block_signals(Process *p, Term what);
/* In so many milliseconds a timer sets one that is due, and that one another: then the process gets
 * multizero_timeout_in_timeout_done. */
Term inside_set_nested_timers(Process *p, Term ms);
/* Ends what carries the connection to the node; false: there is none. Of this one: true, and nothing ends. */
Term inside_kill_connection(Process *p, Term node);
/* Abilities that this node says no more that it has. */
Term inside_withhold(Process *p, Term abilities);
/* The calling thread sleeps, all of the time. */
void inside_sleep(int64_t ms);
/* An exit handler. */
bool inside_process_exit(Process *p, int64_t *reductions);

#endif
