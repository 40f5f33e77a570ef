/*
 * The interpreter, as the scheduler sees it: run a process until it must stop, and say why.
 *
 * The engine never calls the scheduler: it returns a StopReason with everything saved in the process. The x registers
 * are the running thread's block of X_REGISTERS words; what is live is in p->saved[0..p->arity) whenever the engine is
 * not in.
 */
#ifndef VIV_EMU_EMU_H
#define VIV_EMU_EMU_H

#include "emu/bits.h"
#include "process/process.h"

#define X_REGISTERS 1024
#define FLOAT_REGISTERS 1024
#define APPLIED_SLOTS 256
#define SETELEMENT_MOST 32 /* by an instruction: the last index; and fewer elements stand behind it */

typedef enum {
    STOP_YIELD, /* out of reductions: runnable */
    STOP_WAIT,  /* in a receive, or a BIF that waits: sleeps until a signal or its timer */
    STOP_EXIT,  /* an exception nobody caught, or a normal end: p->exit_reason is set */
    STOP_DIRTY, /* the next instruction is a call of a dirty BIF: p->state says which kind; run emu_run_dirty there */
    STOP_SUSPEND,
} StopReason;

typedef struct {
    Term x[X_REGISTERS];
    double f[FLOAT_REGISTERS];
    StopReason stop; /* why the engine was left */
    bool dirty;      /* this is a dirty thread: it makes one call */
    BitsBuilding building; /* by the old instructions of the bit syntax */
    const struct Export *applied[APPLIED_SLOTS]; /* entries of functions chosen at run time; entries last for ever */
} EmuRegisters;
static inline EmuRegisters *registers_of(Term *x) { return (EmuRegisters *)x; }

/* Fills the instruction table, process_entries, trampolines' instructions. Once, before any code is loaded. */
void emu_init(void);
StopReason emu_run(Process *p, EmuRegisters *registers);
/* On a dirty thread: makes the one pending call of a dirty BIF and leaves the process ready to go on (or to raise). */
StopReason emu_run_dirty(Process *p, EmuRegisters *registers);

#endif
