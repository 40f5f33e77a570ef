#include "nif/call.h"

#include "base/race_window.h"
#include "nif/option.h"
#include "process/bif.h"
#include "process/native_frame.h"
#include "term/atom.h"

#include <string.h>

_Static_assert(sizeof(NifCall) <= sizeof(((NativeFrame *)0)->storage), "a frame has room for the call");

/* The function did something else than return a term. */
static noinline Term unusual(Process *p, ErlNifEnv *env, Term result) {
    nif_env_end(env);
    if (env->has_exception)
        return fail_value(p, FAIL_ERROR, env->exception);
    if (env->goes_on) {
        fail_with(p, FAIL_NATIVE);
        return NON_VALUE;
    }
    return result == NON_VALUE ? fail_badarg(p) : result;
}

Term nif_call_enter(Process *p, const Term *x, const NativeCall *native) {
    const NifCall *call = (const NifCall *)native;
    ErlNifEnv env;
    nif_env_begin(&env, NIF_ENV_CALL, p, process_area(p), call->library);
    env.call = call;
    env.arguments = x;
    NifLibrary *library = call->library;
    bool is_counted = library->delay_halt, is_dirty = (native->flags & (BIF_DIRTY_CPU | BIF_DIRTY_IO)) != 0;
    race_window("a native function is about to be called, its library not kept");
    if (unlikely(is_dirty)) /* the process may end meanwhile, and its module be purged */
        nif_library_retain(library);
    if (unlikely(is_counted))
        nif_counted_begin(library);
    Term result = call->function(&env, (int)native->name->arity, x);
    if (unlikely(is_counted))
        nif_counted_end(library);
    race_window("a native function has returned, its library still kept");
    if (unlikely(is_dirty))
        nif_library_release(library);
    if (unlikely(env.has_exception | env.goes_on | (env.temporaries != NULL) | (result == NON_VALUE)))
        return unusual(p, &env, result);
    return result;
}

/* A tracer's function. */
Term nif_call_observe(Process *self, const Term *x, const NativeCall *native) {
    const NifCall *call = (const NifCall *)native;
    NifOwnEnv own;
    nif_own_env_begin(&own, NIF_ENV_TRACER, self, call->library);
    bool is_counted = call->library->delay_halt;
    if (unlikely(is_counted))
        nif_counted_begin(call->library);
    Term result = call->function(&own.env, (int)native->name->arity, x);
    if (unlikely(is_counted))
        nif_counted_end(call->library);
    if (own.env.has_exception || (is_value(result) && is_pointer(result)))
        result = NON_VALUE;
    nif_own_env_end(&own);
    return result;
}

/* A call that went on: with its result it is over. */
static Term enter_again(Process *p, const Term *x, const NativeCall *native) {
    Term result = nif_call_enter(p, x, native);
    if (result != NON_VALUE)
        native_frame_end(p->native_frame);
    return result;
}

/* erl_nif(3) enif_schedule_nif: goes on with another function when this one has returned. */
ERL_NIF_TERM enif_schedule_nif(ErlNifEnv *env, const char *name, int flags,
                               ERL_NIF_TERM (*function)(ErlNifEnv *, int, const ERL_NIF_TERM[]), int argc,
                               const ERL_NIF_TERM argv[]) {
    static const uint32_t kinds[] = {0, BIF_DIRTY_CPU, BIF_DIRTY_IO};
    Term function_name = atom_put_latin1((const uint8_t *)name, strlen(name), NULL);
    if (env->kind != NIF_ENV_CALL || !is_value(function_name) || argc < 0 || argc > NATIVE_ARGUMENTS_MAX ||
        flags < 0 || flags > ERL_NIF_DIRTY_JOB_IO_BOUND)
        return enif_make_badarg(env);
    Process *p = env->process;
    const Export *first = env->call->native.name;
    Term module = first->module;
    const Export *export = export_put(module, function_name, (unsigned)argc);
    NifCall next = {{enter_again, nif_call_observe, export, kinds[flags]}, function, env->library};
    NativeFrame *f = native_frame_set(p, &next.native, module, function_name, (unsigned)argc, first, env->arguments);
    memcpy(f->storage, &next, sizeof next);
    f->next = f->code.header.native = (const NativeCall *)f->storage;
    memcpy(f->arguments, argv, (size_t)argc * sizeof(Term));
    env->goes_on = true;
    return NON_VALUE;
}
