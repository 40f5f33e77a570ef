/*
 * erlang:load_nif/2: a native library for the module that calls it.
 *
 * Opening a library may read disks, and its callbacks do what they like, so that is done on a dirty thread, and nobody
 * waits for it but another load_nif for the same module. The steps: find the caller; with the code modification
 * permission look what there is now; without it open, and call `load` or `upgrade`; with it bind. Source: erlang(3)
 * load_nif/2, erl_nif(3); answers of OTP 25.
 */
#include "alloc/alloc.h"
#include "base/race_window.h"
#include "base/thread_progress.h"
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/ranges.h"
#include "loader/natives.h"
#include "nif/load.h"
#include "process/dirty_call.h"
#include "process/suspend.h"
#include "replace/code_permission.h"
#include "socket/socket.h"
#include "term/atom.h"
#include "term/bits.h"

#include <string.h>

/* A name as file functions take it. Of a bitstring the whole bytes count, up to a NUL. */
static bool path_from(Text *to, Term t) {
    if (!is_taken_for_binary(t))
        return native_from_characters(to, t);
    BitsView view;
    bits_view(t, &view);
    size_t size = view.bit_size / 8;
    char *text = text_extend(to, size);
    bits_copy((uint8_t *)text, 0, view.bytes, view.bit_offset, 8 * size);
    to->size = strnlen(text, size);
    return true;
}

static Term refused(Process *p, Term reason, const char *text, size_t size) {
    Area *area = process_area(p);
    return area_tuple2(area, am_error, area_tuple2(area, reason, list_from_bytes(area, text, size, NIL)));
}
static Term refused_text(Process *p, Term reason, const char *text) { return refused(p, reason, text, strlen(text)); }

static bool is_text(const Text *text, const uint8_t *bytes, size_t count) {
    return text->size == count && memcmp(text->bytes, bytes, count) == 0;
}

/* Modules whose native functions are this runtime's own: their library is there already. It has the module's name, but
 * for that of prim_net. */
static bool is_built_in(const ModuleInstance *m, const Text *path) {
    const AtomName *name = atom_name(m->name == am_prim_net ? am_net : m->name);
    return is_text(path, name->bytes, name->byte_count) && natives_are_in(m->name);
}

/*
 * A library that is being loaded, behind a magic reference that goes with the process from step to step. Its module's
 * instance stays in memory: p->works_for says that the process runs it. So does the library of the instance before,
 * whose private data `upgrade` sees: it is counted.
 */
typedef struct {
    Module *module; /* whose turn this has; NULL: it is over */
    ModuleInstance *instance;
    NifLibrary *library; /* started and not bound yet */
    NifLibrary *before;
} Loading;

/* One load_nif at a time for a module: the next one sees what this has bound. */
static Permission *turn_of(Module *m) {
    Permission *turn = atomic_load_explicit(&m->load_nif, memory_order_acquire);
    if (turn != NULL)
        return turn;
    Permission *new = mem_calloc(ALLOC_MODULE, sizeof *new);
    if (atomic_compare_exchange_strong(&m->load_nif, &turn, new))
        return new;
    mem_free(ALLOC_MODULE, new);
    return turn;
}

/* A library that was not bound, for its process was killed, has been started nevertheless: it is unloaded. */
static void loading_end(Loading *l) {
    Module *m = l->module;
    NifLibrary *library = l->library, *before = l->before;
    *l = (Loading){0};
    if (library != NULL)
        nif_library_unload(library);
    if (before != NULL)
        nif_library_release(before);
    if (m == NULL)
        return;
    thread_progress_enter();
    permission_release(turn_of(m));
    thread_progress_leave();
}

static bool loading_destroy(RefcBinary *binary) {
    loading_end((Loading *)binary->bytes);
    return true;
}

/* `p` itself, on a dirty thread too. */
static Term done(Process *p, Loading *l, Term result) {
    loading_end(l);
    suspend_work_is_over(p);
    return result;
}

Term erlang_load_nif_2(Process *p, const Term *a) {
    TEXT(path);
    if (!path_from(&path, a[0]))
        return fail_badarg(p);
    ModuleInstance *caller = (ModuleInstance *)range_find(p->ip);
    if (caller == NULL)
        return refused_text(p, am_bad_lib,
                            "load_nif/2 must be explicitly called from the NIF module. It cannot be "
                            "called through apply/3.");
    if (is_built_in(caller, &path)) {
        if (caller->name == am_prim_socket)
            socket_settings(a[1]);
        return am_ok;
    }
    Module *m = module_find(caller->name);
    race_window("a module's turn is asked for");
    if (!permission_take(turn_of(m), p))
        return NON_VALUE;
    void *object;
    Term reference = native_new(p, sizeof(Loading), loading_destroy, &object);
    *(Loading *)object = (Loading){.module = m, .instance = caller};
    permission_keep(turn_of(m));
    atomic_store_explicit(&p->works_for, caller->code, memory_order_relaxed);
    return bif_trap(p, export_internal(am_erts_internal, am_load_nif_begin, 3), 3, (Term[]){a[0], a[1], reference});
}

/* NON_VALUE: it may have a library. */
static Term refused_now(Process *p, const Module *module, const ModuleInstance *instance) {
    if (instance != module->pending && instance != module_current(module)) {
        TEXT(text);
        text_string(&text, "Calling load_nif from old module '");
        text_bytes(&text, atom_name(instance->name)->bytes, atom_name(instance->name)->byte_count);
        text_string(&text, "' not allowed");
        return refused(p, am_old_code, text.bytes, text.size);
    }
    if (instance->library != NULL)
        return refused_text(p, am_reload, "NIF library already loaded (reload disallowed since OTP 20).");
    return NON_VALUE;
}

/* The library of the instance that the new one replaces, counted, or NULL. (One that is to be current may find that
 * there is only an old one, as the one between was deleted.) */
static NifLibrary *library_before(const Module *module, const ModuleInstance *instance) {
    const ModuleInstance *before = instance == module->pending ? module_current(module) : NULL;
    if (before == NULL)
        before = module_old(module);
    if (before == NULL || before->library == NULL)
        return NULL;
    nif_library_retain(before->library);
    return before->library;
}

/* load_nif_begin(Path, Info, Loading), with the permission: what there is now. */
Term erts_internal_load_nif_begin_3(Process *p, const Term *a) {
    Loading *l = native_object(a[2], loading_destroy);
    if (!code_permission_take(p))
        return NON_VALUE;
    Term refusal = refused_now(p, l->module, l->instance);
    if (!is_value(refusal))
        l->before = library_before(l->module, l->instance);
    code_permission_release();
    return is_value(refusal) ? done(p, l, refusal) : bif_go_dirty(p, am_load_nif, 3, a);
}

static bool start(const Term *a, Loading *l, NifRefusal *refusal) {
    TEXT(path);
    path_from(&path, a[0]);
    NifLibrary *library = nif_library_open(text_cstring(&path), l->instance, refusal);
    if (library == NULL || !nif_library_start(library, dirty_call_process(), l->before, a[1], refusal))
        return false;
    race_window("a library is started, nobody knows it");
    l->library = library;
    return true;
}

/* The same arguments, on a dirty thread, with no permission. */
Term erts_internal_load_nif_3(Process *p, const Term *a) {
    Loading *l = native_object(a[2], loading_destroy);
    NifRefusal refusal = {.reason = NON_VALUE};
    text_init(&refusal.text);
    Term result;
    if (start(a, l, &refusal))
        result = bif_trap(p, export_internal(am_erts_internal, am_load_nif_bind, 1), 1, a + 2);
    else
        result = done(dirty_call_process(), l, refused(p, refusal.reason, refusal.text.bytes, refusal.text.size));
    text_release(&refusal.text);
    return result;
}

/* load_nif_bind(Loading), with the permission. The instance may be old by now: its library is loaded as if it had been
 * before that. */
Term erts_internal_load_nif_bind_1(Process *p, const Term *a) {
    Loading *l = native_object(a[0], loading_destroy);
    if (!code_permission_take(p))
        return NON_VALUE;
    race_window("a library is to be bound");
    nif_library_bind(l->library, l->instance);
    l->library = NULL;
    code_permission_release();
    return done(p, l, am_ok);
}
