/*
 * New processes.
 *
 * The child is built by its parent's thread while nobody can see it: heap, arguments, and both sides of a link and a
 * monitor; then it is published in the table and queued. Source of the options: erlang(3) spawn_opt/4.
 */
#ifndef VIV_PROCESS_SPAWN_H
#define VIV_PROCESS_SPAWN_H

#include "process/monitor.h"

typedef struct {
    bool link, link_is_priority, monitor, off_heap, async_dist, is_system;
    /* For system processes (replace/system_process.h): begins when the first message comes; traps exits; shows another
     * initial call, or NON_VALUE. */
    bool waits, traps_exits;
    bool is_request; /* asked for by spawn_request: there is a reference, and traces tell it */
    /* What is told under a sequence token (process/spawn_token.h): is a reply that it went well wanted, how is it
     * marked, and the options as they were given. */
    bool replies;
    Term reply_tag, given;
    Term shown_function;
    MonitorOptions monitor_options;
    Priority priority;
    unsigned bound_queue; /* index of the run queue that it is bound to, plus one, or 0 */
    size_t min_heap_words, min_virtual_words;
    uint16_t fullsweep_after;
    size_t max_heap_words;
    uint8_t max_heap_flags;
} SpawnOptions;

/* The system's defaults: erlang:system_flag may change them. Words are atomic: any thread. */
typedef struct {
    _Atomic size_t min_heap_words, min_virtual_words, max_heap_words;
    _Atomic uint32_t fullsweep_after, max_heap_flags;
    _Atomic bool off_heap;
} SpawnDefaults;
extern SpawnDefaults spawn_defaults;
void spawn_options_init(SpawnOptions *options);

/* Runs apply(module, function, arguments) in a new process. `arguments` is a proper list. `parent` is NULL for those
 * that the runtime starts itself. Returns the pid, or NON_VALUE when the table is full. `answer` may be NULL for those
 * that neither monitor nor send a reply. */
typedef struct {
    Term reference; /* of the monitor, or what a sequence token told; NON_VALUE: there is none */
    Term token; /* what a reply carries */
} SpawnAnswer;
Term process_spawn(Process *parent, Term module, Term function, Term arguments, const SpawnOptions *options,
                   SpawnAnswer *answer);

/* Runs apply(module, function, ...) in a new process that nobody of this node is the parent of; `data`, if not NULL,
 * becomes its own, or is freed. While nobody can see it `furnish` gives it what it has beside: the arguments
 * (process_set_arguments), a parent, a leader, ties; what that tells others comes before all that the process does. The
 * pid, or NON_VALUE when the table is full: nothing was called. */
Term process_spawn_furnished(Term module, Term function, const SpawnOptions *options, Fragment *data,
                             void (*furnish)(Process *p, void *data), void *furniture);
/* A proper list in p's heap. */
void process_set_arguments(Process *p, Term arguments);

#endif
