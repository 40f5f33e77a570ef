#include "nif/call.h"

#include "base/race_window.h"
#include "nif/option.h"
#include "nif/zero.h"
#include "process/bif.h"
#include "process/dirty_gate.h"
#include "process/native_frame.h"
#include "term/atom.h"

#include <string.h>

_Static_assert(sizeof(NifCall) <= sizeof(((NativeFrame *)0)->storage), "a frame has room for the call");

/* The function did something else than return a term. */
static noinline Term unusual(Process *p, ErlNifEnv *env, Term result) {
    nif_env_end(env);
    if (env->goes_on) {
        fail_with(p, FAIL_NATIVE);
        return NON_VALUE;
    }
    if (env->has_exception)
        return fail_value(p, FAIL_ERROR, env->exception);
    return result == NON_VALUE ? fail_badarg(p) : result;
}

static inline Term outcome(Process *p, ErlNifEnv *env, Term result) {
    if (unlikely(env->has_exception | env->goes_on | (env->temporaries != NULL) | (result == NON_VALUE)))
        return unusual(p, env, result);
    return result;
}

/* The call may be overwritten meanwhile, by the next part. */
static inline Term call_function(ErlNifEnv *env, const NifCall *call, NifLibrary *library, const Term *x) {
    bool is_counted = library->delay_halt;
    if (unlikely(is_counted))
        nif_counted_begin(library);
    Term result = nif_take(call->function(env, (int)call->native.name->arity, x));
    if (unlikely(is_counted))
        nif_counted_end(library);
    return result;
}

static inline void begin(ErlNifEnv *env, const Term *x, const NifCall *call) {
    env->call = call;
    env->arguments = x;
}

static Term enter(Process *p, const Term *x, const NativeCall *native) {
    const NifCall *call = (const NifCall *)native;
    ErlNifEnv env;
    nif_env_begin(&env, NIF_ENV_CALL, p, process_area(p), call->library);
    begin(&env, x, call);
    race_window("a native function is about to be called");
    return outcome(p, &env, call_function(&env, call, call->library, x));
}

/* The process may be taken apart while the gate is open, and its module be purged. What the call builds joins the heap
 * when the process is its thread's again. */
static Term enter_dirty(Process *p, const Term *x, const NativeCall *native) {
    const NifCall *call = (const NifCall *)native;
    NifLibrary *library = call->library;
    NifOwnEnv own;
    nif_own_env_begin(&own, NIF_ENV_CALL, p, library);
    begin(&own.env, x, call);
    nif_library_retain(library);
    dirty_gate_open(p, GATE_CALL_TO_END);
    race_window("the gate is open, the native function not yet called");
    Term result = call_function(&own.env, call, library, x);
    race_window("the native function has returned, the gate is open");
    dirty_gate_shut(p);
    heap_adopt_fragments(&p->heap, fragment_area_finish(&own.terms));
    result = outcome(p, &own.env, result);
    race_window("a native function has returned, its library still kept");
    nif_library_release(library);
    return result;
}

/* A tracer's function. */
static Term observe(Process *self, const Term *x, const NativeCall *native) {
    const NifCall *call = (const NifCall *)native;
    NifOwnEnv own;
    nif_own_env_begin(&own, NIF_ENV_TRACER, self, call->library);
    Term result = call_function(&own.env, call, call->library, x);
    if (own.env.has_exception || (is_value(result) && is_pointer(result)))
        result = NON_VALUE;
    nif_own_env_end(&own);
    return result;
}

/* A call that went on: with its result it is over. */
static Term ended(Process *p, Term result) {
    if (result != NON_VALUE)
        native_frame_end(p);
    return result;
}
static Term enter_again(Process *p, const Term *x, const NativeCall *native) { return ended(p, enter(p, x, native)); }
static Term enter_again_dirty(Process *p, const Term *x, const NativeCall *native) {
    return ended(p, enter_dirty(p, x, native));
}

static const uint32_t kinds[] = {0, BIF_DIRTY_CPU, BIF_DIRTY_IO}; /* by ERL_NIF_DIRTY_JOB_* */

NifCall nif_call_make(unsigned flags, const Export *name, NifFunction *function, NifLibrary *library) {
    return (NifCall){{flags == 0 ? enter : enter_dirty, observe, name, kinds[flags]}, function, library};
}

static void release_library(NativeFrame *f) { nif_library_release(((const NifCall *)f->storage)->library); }

/* erl_nif(3) enif_schedule_nif: goes on with another function when this one has returned. Of this and an exception what
 * comes last counts; on a dirty thread the exception does, as in the stock runtime. */
ERL_NIF_TERM enif_schedule_nif(ErlNifEnv *env, const char *name, int flags,
                               ERL_NIF_TERM (*function)(ErlNifEnv *, int, const ERL_NIF_TERM[]), int argc,
                               const ERL_NIF_TERM argv[]) {
    Term function_name = atom_put_latin1((const uint8_t *)name, strlen(name), NULL);
    if (env->kind != NIF_ENV_CALL || !is_value(function_name) || argc < 0 || argc > NATIVE_ARGUMENTS_MAX || flags < 0 ||
        flags > ERL_NIF_DIRTY_JOB_IO_BOUND)
        return enif_make_badarg(env);
    Process *p = env->process;
    const Export *first = env->call->native.name;
    const Export *export = export_put(first->module, function_name, (unsigned)argc);
    NifCall next = {
        {flags == 0 ? enter_again : enter_again_dirty, observe, export, kinds[flags]}, function, env->library};
    DirtyPause pause = dirty_gate_pause(p);
    if (!native_frame_goes_on(p)) {
        nif_library_retain(env->library);
        native_frame_begin(p, first, env->arguments, release_library);
    }
    NativeFrame *f = native_frame_set(p, &next.native, function_name, (unsigned)argc);
    memcpy(f->storage, &next, sizeof next);
    f->next = f->code.header.native = (const NativeCall *)f->storage;
    nif_take_all(f->arguments, argv, (size_t)argc);
    dirty_gate_go_on(&pause);
    env->goes_on = !env->has_exception || env->call->native.flags == 0;
    return NON_VALUE;
}
