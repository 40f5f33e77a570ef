/*
 * Built-in functions as the engine sees them. The table is generated from the *.tab of src/bif/<topic>; a line is
 *     module:name/arity c_function [guard] [dirty_cpu] [dirty_io] [internal] [library] [unexported] [waits]
 *         [otp26 | otp27 | otp28]
 *
 * A BIF gets its arguments in a[0..arity) (the caller's x registers: read them before anything that could change them)
 * and builds its result in process_area(p). It runs on the process's own thread, owns the process, never collects, and
 * holds no lock when it returns. It returns NON_VALUE after setting p->fail (process/fail.h). `guard` marks those that
 * may stand in guards: they have no effect and only fail, never trap. `dirty_*` run on a dirty thread of that kind,
 * always. `internal` ones are reached by traps only: no name in a program leads to them (code/export.h).
 * `unexported` ones are functions that their module declares but does not export: only its own code calls them.
 * `library` ones are Erlang functions of a stock module, native here for programs without it: erlang:is_builtin denies
 * them. `waits` marks those that may return FAIL_WAIT, or take a permission: the engine enters them through a function
 * that is made with the table, and what they leave behind is given back there (process/waiting_bif.h). `otp26` and so
 * on say which release of OTP was the first to have it: it is there from that release's libraries on.
 */
#ifndef VIV_PROCESS_BIF_H
#define VIV_PROCESS_BIF_H

#include "sys/release.h"
#include "term/term.h"

struct Process;
typedef Term BifFunction(struct Process *p, const Term *a);

enum {
    BIF_GUARD = 1,
    BIF_DIRTY_CPU = 2,
    BIF_DIRTY_IO = 4,
    BIF_INTERNAL = 8,
    BIF_LIBRARY = 16,
    BIF_UNEXPORTED = 32,
    BIF_WAITS = 64,
};
typedef struct BifEntry {
    Term module, name;
    uint8_t arity, since; /* the first release of OTP that has it */
    uint16_t flags;
    BifFunction *function;
    const char *c_name;
} BifEntry;

extern const BifEntry bif_table[]; /* generated */
extern const size_t bif_count;

static inline bool bif_is_there(const BifEntry *bif) { return otp_release_number >= bif->since; }

#endif
