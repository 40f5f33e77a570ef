/*
 * How a C function that was called from Erlang says that it did not return a value.
 *
 * It stores the reason in p->fail and returns NON_VALUE: `return fail_badarg(p);`. A trap is one such reason: the
 * engine then jumps to the given export with the given arguments instead of returning to the caller. The stack trace is
 * taken by the engine when it sees the failure, not here. Nothing here collects. Source of the names: Erlang reference
 * manual, "Errors and Error Handling", exit reasons.
 */
#ifndef VIV_PROCESS_FAIL_H
#define VIV_PROCESS_FAIL_H

#include "heap/heap.h"

struct Process;
struct Export;

typedef enum {
    FAIL_NONE,
    FAIL_BADARG,
    FAIL_BADARITH,
    FAIL_SYSTEM_LIMIT,
    FAIL_UNDEF,
    FAIL_FUNCTION_CLAUSE,
    FAIL_IF_CLAUSE,
    FAIL_NOPROC,
    FAIL_NOTALIVE,
    FAIL_NOTSUP,
    FAIL_TIMEOUT_VALUE,
    FAIL_FIRST_WITH_VALUE,
    FAIL_BADMATCH = FAIL_FIRST_WITH_VALUE, /* {badmatch, Value} */
    FAIL_CASE_CLAUSE,
    FAIL_TRY_CLAUSE,
    FAIL_BADFUN,
    FAIL_BADARITY, /* value is {Fun, Args} */
    FAIL_BADMAP,
    FAIL_BADKEY,
    FAIL_BADRECORD,
    FAIL_ERROR, /* class error, value as it is */
    FAIL_EXIT,
    FAIL_THROW,
    FAIL_RAISE, /* erlang:raise/3: class, value and trace as given */
    FAIL_TRAP,  /* not an error: go on at `trap` */
    FAIL_YIELD_TRAP, /* the same, but give the slice up first */
    FAIL_YIELD, /* not an error: returns `value`, but gives the slice up first */
    FAIL_COLLECT, /* not an error: a collection of the kind `collect`, then it returns `value` */
    FAIL_ROOM, /* not an error: a collection that leaves `room` words free, then the BIF is called again */
    FAIL_HIBERNATE, /* not an error: shrinks the heap, sleeps until a message comes, then it returns `value` */
    FAIL_WAIT,  /* BIF waits: the process sleeps and calls the BIF again when woken */
    FAIL_NATIVE, /* not an error: a native call goes on at p->native_frame */
    FAIL_EXITING, /* the process was told to exit while in here: p->exit_reason */
} FailReason;

#define TRAP_ARGUMENTS_MAX 6
typedef struct {
    FailReason reason;
    bool from_caller;  /* erlang:error, exit and throw: the stack trace begins with the caller, not with the BIF */
    /* The terms, value to info_module: roots of a collection. */
    Term value;        /* FAIL_FIRST_WITH_VALUE and beyond */
    Term class, trace; /* FAIL_RAISE: am_error | am_exit | am_throw, and the stack trace list */
    Term cause;        /* extended error information: an atom for error_info's `cause`, or NON_VALUE */
    Term arguments;    /* erlang:error/2,3: the argument list for the caller's entry in the trace, or NON_VALUE;
                        * fail_for: that of `call` */
    Term error_info;   /* erlang:error/3: what its option error_info holds, for the same entry, or NON_VALUE */
    Term info_module;  /* error_info's `module` for BIFs: erl_erts_errors unless set; NON_VALUE otherwise */
    CollectKind collect; /* FAIL_COLLECT */
    size_t room;         /* FAIL_ROOM */
    const struct Export *call; /* fail_for: what the trace begins with, or NULL */
    struct Export *trap;
    unsigned trap_arity;
    Term trap_arguments[TRAP_ARGUMENTS_MAX];
} Fail;
/* The roots lie side by side, so the collector is given all of them as one run. */
#define FAIL_ROOTS ((offsetof(Fail, info_module) - offsetof(Fail, value)) / sizeof(Term) + 1)
_Static_assert(FAIL_ROOTS == 7, "from value to info_module all are terms, and collected: process/collect.c");

/* Each sets the reason and value, and clears all the other fields: who wants more fills them in afterwards. */
Term fail_with(struct Process *p, FailReason reason);
Term fail_value(struct Process *p, FailReason reason, Term value);
Term fail_badarg(struct Process *p);
Term fail_badarith(struct Process *p);
Term fail_system_limit(struct Process *p);
/* badarg with `#{cause => Cause}` in its error_info, as ets and others of the stock runtime give. */
Term fail_badarg_cause(struct Process *p, Term cause);

/* After one of those: it is told as a failure of `call`, with the list of its arguments, to which the program came
 * before what it does went on elsewhere. */
Term fail_for(struct Process *p, const struct Export *call, Term arguments);

Term bif_trap(struct Process *p, struct Export *to, unsigned arity, const Term *arguments);
/* What a function returns in the process's next slice. */
Term bif_return_later(struct Process *p, Term result);
/* What a function returns when the process has been collected, with the function's own frame gone. */
Term bif_return_collected(struct Process *p, Term result, CollectKind kind);
/* What a function returns that has done nothing yet: it is called again when there is room for so many words. */
Term bif_with_room(struct Process *p, size_t words);
/* As bif_trap, after giving up what is left of the slice: for BIFs that work in rounds. */
Term bif_yield(struct Process *p, struct Export *to, unsigned arity, const Term *arguments);

#endif
