/*
 * The environment: what a native function is given, where its terms are built, and how long they live.
 *
 * There is one structure for all kinds. Its invariant: whatever an enif_make_* function builds goes into env->area and
 * stays in place, with all that it refers to, until the environment ends; so native code keeps terms in C variables
 * for that long and no longer. A process collects only after the native function has returned (emu/native_call.c).
 *
 *   kind                 who makes it                      area            process      ends
 *   NIF_ENV_CALL         the engine, for each call         the process's;  the caller   when the function returns
 *                                                          its own on a
 *                                                          dirty thread
 *   NIF_ENV_LOAD         load_nif/2, for load and upgrade  its own         the caller   when the callback returns
 *   NIF_ENV_CALLBACK     destructor, down, stop, dyncall,  its own         NULL         when the callback returns
 *                        unload, on any thread
 *   NIF_ENV_INDEPENDENT  enif_alloc_env                    its own         NULL         enif_free_env; emptied by
 *                                                                                       enif_clear_env and enif_send
 *   NIF_ENV_TRACER       nif/call.c, for tracers'          its own         the traced   when the callback returns
 *                        callbacks                                         one, or NULL
 *
 * Threads. An environment has no lock: one thread at a time uses it. That of a call belongs to the thread that makes
 * the call. On a scheduler it owns env->process meanwhile. On a dirty thread schedulers handle the signals of
 * env->process, and may end it (process/dirty_gate.h): what is built joins its heap when the call is over; its pid and
 * the terms of its heap may be read as ever; all else is looked at and changed only between dirty_gate_pause and
 * dirty_gate_go_on (enif_send, enif_is_current_process_alive, enif_schedule_nif; no other function needs anything).
 * Dirty threads, and those that a library makes, are not online for thread progress: whoever looks at shared structures
 * (process_find, the registry, exports) does it between visitor_enter and visitor_leave (base/visitor.h), from any
 * thread. The atom table needs neither.
 *
 * Exceptions. enif_raise_exception and enif_make_badarg only note the reason here; what called the function looks at
 * has_exception when it has returned, and ignores the result then (goes_on is before it).
 *
 * Temporaries are what must be released when the environment ends or is emptied (bytes of an inspected iolist,
 * vectors). Callers of native code end every environment with nif_env_end.
 */
#ifndef VIV_NIF_ENV_H
#define VIV_NIF_ENV_H

#include "base/visitor.h"
#include "erl_nif.h"
#include "heap/heap.h"

struct Process;
struct NifCall;
struct NifLibrary;

typedef enum { NIF_ENV_CALL, NIF_ENV_LOAD, NIF_ENV_CALLBACK, NIF_ENV_INDEPENDENT, NIF_ENV_TRACER } NifEnvKind;

/* Lies at the start of what is to be released; `release` frees it too. */
typedef struct NifTemporary {
    struct NifTemporary *next;
    void (*release)(struct NifTemporary *temporary);
} NifTemporary;

struct enif_environment_t {
    Area *area;
    struct Process *process;    /* may be NULL: see above */
    struct NifLibrary *library; /* whose priv_data it shows; NULL in independent ones */
    NifTemporary *temporaries;
    Term exception;             /* the reason, when has_exception: in the area, or immediate */
    bool has_exception;
    bool goes_on; /* enif_schedule_nif was called, and counts: the result and has_exception are ignored */
    uint8_t kind; /* NifEnvKind */
    /* NIF_ENV_CALL only */
    const struct NifCall *call; /* nif/call.h */
    const Term *arguments;
};

/* An environment with an area of its own. */
typedef struct {
    ErlNifEnv env; /* must be first: ErlNifEnv * leads here for the kinds with an area of their own */
    FragmentArea terms;
} NifOwnEnv;

/* For a call or a load: the area and the reductions of `process`, which the calling thread owns. */
static inline void nif_env_begin(ErlNifEnv *env, NifEnvKind kind, struct Process *process, Area *area,
                                 struct NifLibrary *library) {
    env->area = area;
    env->process = process;
    env->library = library;
    env->temporaries = NULL;
    env->has_exception = env->goes_on = false;
    env->kind = (uint8_t)kind;
}
void nif_env_release_temporaries(ErlNifEnv *env);
static inline void nif_env_end(ErlNifEnv *env) {
    if (unlikely(env->temporaries != NULL))
        nif_env_release_temporaries(env);
}
/* Of a call: has its process ended, or been told to? Nothing ends one in the middle of `load` or `upgrade`. With the
 * dirty gate paused, or by the process's thread. */
bool nif_env_has_ended(const ErlNifEnv *env);
/* For the kinds with an area of their own; nif_own_env_end frees all terms. */
void nif_own_env_begin(NifOwnEnv *own, NifEnvKind kind, struct Process *process, struct NifLibrary *library);
void nif_own_env_end(NifOwnEnv *own);
/* Takes the terms of an independent environment out of it: it is empty afterwards. The chain is the caller's. */
Fragment *nif_own_env_take(NifOwnEnv *own);

static inline void nif_env_add_temporary(ErlNifEnv *env, NifTemporary *temporary) {
    temporary->next = env->temporaries;
    env->temporaries = temporary;
}

/* Once, before there are libraries, which may use up all keys of the threads' own data. */
void nif_threads_init(void);
void nif_thread_data_init(void);

/*
 * Binaries. ErlNifBinary.ref_bin is NULL for bytes that somebody else owns (inspected ones, good as long as their
 * term), else a RefcBinary of plain bytes, with one reference counted: NIF_BINARY_OWNED in __spare__[0] says that the
 * ErlNifBinary has it (it is writable, and is made a term or released exactly once), otherwise a temporary of the
 * environment has.
 */
#define NIF_BINARY_OWNED ((void *)1)

#endif
