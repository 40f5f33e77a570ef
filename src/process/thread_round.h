/*
 * A round: every scheduler thread runs something, once.
 *
 * Members are the threads that run processes: those that serve a run queue, and the spare ones that have given theirs
 * away, or wait for one (base/long_work.h). Each runs a round when it next comes by between two slices; who sleeps is
 * woken for it, who works long comes later. Nobody is stopped, and nobody waits: `done` is called by the member that
 * comes last. Rounds do not wait for each other.
 *
 * The invariant: a round is in the list, and its memory is good, until each who was a member when it began has run it.
 * A member knows the newest round that it has seen (its own), so looking whether there is one to run is a load and a
 * compare. The list is under its lock (THREAD_ROUNDS).
 *
 * Whoever is about to sleep announces that, and then looks; whoever begins a round lets it be seen, and then wakes. So
 * one of the two sees the other (both are sequentially consistent).
 */
#ifndef VIV_PROCESS_THREAD_ROUND_H
#define VIV_PROCESS_THREAD_ROUND_H

#include "base/defs.h"

#include <stdatomic.h>

/* Lies inside of what it is about; the beginner's memory until `done` is called. Both are called offline for thread
 * progress, no lock held: they may wait, but the scheduler waits with them. */
typedef struct ThreadRound ThreadRound;
struct ThreadRound {
    void (*run)(ThreadRound *round);
    void (*done)(ThreadRound *round);
    ThreadRound *next;
    uint64_t number;
    _Atomic uint32_t left;
};

/* Any thread. With no members there is nothing to wait for: done at once. */
void thread_round_begin(ThreadRound *round);

/* The calling thread is a member from now on, until the program ends. */
void thread_round_join(void);
extern _Atomic uint64_t thread_round_newest;
extern __thread uint64_t thread_round_seen;
static inline bool thread_round_is_waiting(void) { return atomic_load(&thread_round_newest) != thread_round_seen; }
/* By a member that runs no process, offline. */
void thread_round_run(void);
/* Wakes all members that sleep. Set once, before threads start (docs/HOOKS.md). */
extern void (*thread_round_call)(void);

#endif
