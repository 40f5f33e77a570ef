/*
 * Decoding of options of processes: of spawning, monitors, max_heap_size. Nothing is changed by a bad argument.
 */
#ifndef VIV_PROCESS_SPAWN_OPTIONS_H
#define VIV_PROCESS_SPAWN_OPTIONS_H

#include "process/spawn.h"

/* A non-negative integer or a map with size, kill and error_logger; what it does not name stays. */
bool max_heap_size_decode(Term t, size_t *words, uint8_t *flags);
/* 0, or the number of a scheduler. */
bool scheduler_decode(Term t, unsigned *scheduler);
bool priority_decode(Term t, Priority *priority);
/* What min_bin_vheap_size becomes: a step of the heap sizes, not below the default. */
size_t virtual_words_step(size_t words);
bool monitor_options_decode(Term list, Term default_tag, MonitorOptions *options);
/* Of link/2 and exit/3: a list of nothing but `priority`. */
bool priority_option_decode(Term list, bool *is_priority);
/* spawn_request's own options are decoded when `request` is given; otherwise they are bad ones. */
typedef struct {
    Term tag;
    bool on_success, on_error;
} SpawnReply;
typedef enum { SPAWN_OPTIONS_OK, SPAWN_OPTIONS_NO_LIST, SPAWN_OPTIONS_BAD } SpawnOptionsResult;
SpawnOptionsResult spawn_options_decode(Term list, SpawnOptions *options, SpawnReply *reply);
/* One of `reply` and `reply_tag`; false: it is neither, or a bad one. */
bool spawn_reply_decode(Term key, Term value, SpawnReply *reply);

#endif
