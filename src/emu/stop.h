/*
 * What whoever works for the engine ends in: leaving it, collecting, and asking whether that is needed. The floor of
 * this room: it calls nothing that is here.
 */
#ifndef VIV_EMU_STOP_H
#define VIV_EMU_STOP_H

#include "emu/emu.h"

/* Leaves the engine: x[0..arity) is kept, and the process goes on at ip. Returns NULL, for GO_ON_AT. */
const Word *emu_stop(Process *p, Term *x, StopReason why, const Word *ip, unsigned arity);
/* A collection at an instruction. False: the process must exit, and emu_raise does it. */
bool emu_collect(Process *p, Term *x, size_t need, unsigned live);
/* Has what was called left too little room, or much that should be collected? */
static inline bool emu_bif_left_mess(const Process *p) {
    return p->heap.area.limit - p->heap.area.top < STACK_RESERVE || heap_wants_collection(&p->heap);
}

#ifdef VIV_TORTURE
/* Is this a chance that is taken? Collects at every one; with a large heap at the more of them the smaller it is, or
 * nothing large would ever end. */
bool emu_torture(const Process *p);
#endif

#endif
