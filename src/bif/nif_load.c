/*
 * erlang:load_nif/2: a native library for the module that calls it.
 *
 * Opening a library may read disks, and its callbacks do what they like, so all that is done on a dirty thread. The
 * steps: find the caller, get the code modification permission for a dirty thread (nobody but other loaders waits),
 * open, call `load` or `upgrade`, bind. Source: erlang(3) load_nif/2, erl_nif(3); answers of OTP 25.
 */
#include "base/estack.h"
#include "base/thread_progress.h"
#include "base/unicode.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/ranges.h"
#include "nif/load.h"
#include "process/code_permission.h"
#include "term/atom.h"
#include "term/bits.h"

#include <string.h>

/* A name as file functions take it: a binary, or a list of characters and such lists, in UTF-8. */
static bool path_from_list(Text *to, Term t) {
    EStack rests __attribute__((cleanup(estack_release)));
    estack_init(&rests);
    for (;;) {
        if (is_list(t)) {
            Term head = list_head(t);
            t = list_tail(t);
            if (is_list(head) || is_nil(head)) {
                estack_push(&rests, t);
                t = head;
            } else if (is_small(head) && small_value(head) > 0 && unicode_is_valid(small_value(head))) {
                uint8_t utf8[UTF8_MAX_BYTES];
                text_bytes(to, utf8, utf8_encode((uint32_t)small_value(head), utf8));
            } else {
                return false;
            }
        } else if (!is_nil(t)) {
            return false;
        } else if (estack_is_empty(&rests)) {
            return true;
        } else {
            t = estack_pop(&rests);
        }
    }
}

/* Of a bitstring the whole bytes count, up to a NUL. */
static bool path_from(Text *to, Term t) {
    if (!is_bitstring(t))
        return path_from_list(to, t);
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

/* Modules whose native functions are this runtime's own: their library is there already. */
static bool is_built_in(const ModuleInstance *m, const Text *path) {
    const AtomName *name = atom_name(m->name);
    if (path->size != name->byte_count || memcmp(path->bytes, name->bytes, path->size) != 0)
        return false;
    for (uint32_t i = 0; i < m->export_count; i++)
        if (m->exports[i].export->bif != NULL)
            return true;
    return false;
}

/* The third argument is the caller's instance: aligned, so its address is a small integer as it is. It stays in memory
 * as long as the permission is reserved for the process that runs it. */
static Term go_on(Process *p, const Term *a) {
    return code_permission_reserve(p) ? bif_go_dirty(p, am_load_nif, 3, a) : NON_VALUE;
}

Term erlang_load_nif_2(Process *p, const Term *a) {
    TEXT(path);
    if (!path_from(&path, a[0]))
        return fail_badarg(p);
    const ModuleInstance *caller = range_find(p->ip);
    if (caller == NULL)
        return refused_text(p, am_bad_lib, "load_nif/2 must be explicitly called from the NIF module. It cannot be "
                                           "called through apply/3.");
    if (is_built_in(caller, &path))
        return am_ok;
    return go_on(p, (Term[]){a[0], a[1], (Term)(uintptr_t)caller});
}

/* The permission that was reserved was lost on the way to the dirty thread. */
Term erts_internal_load_nif_again_3(Process *p, const Term *a) { return go_on(p, a); }

/* The library of the instance that the new one replaces. */
static NifLibrary *library_before(const Module *module, const ModuleInstance *instance) {
    const ModuleInstance *before = instance == module->pending ? module_current(module) : module_old(module);
    return before != NULL ? before->library : NULL;
}

static bool load(Process *p, const Term *a, const Module *module, ModuleInstance *instance, NifRefusal *refusal) {
    TEXT(path);
    path_from(&path, a[0]);
    NifLibrary *library = nif_library_open(text_cstring(&path), instance, refusal);
    if (library == NULL ||
        !nif_library_start(library, p, library_before(module, instance), a[1], refusal))
        return false;
    nif_library_bind(library, instance);
    return true;
}

static Term load_holding_permission(Process *p, const Term *a, const Module *module, ModuleInstance *instance) {
    if (instance != module->pending && instance != module_current(module)) {
        TEXT(text);
        text_string(&text, "Calling load_nif from old module '");
        text_bytes(&text, atom_name(instance->name)->bytes, atom_name(instance->name)->byte_count);
        text_string(&text, "' not allowed");
        return refused(p, am_old_code, text.bytes, text.size);
    }
    if (instance->library != NULL)
        return refused_text(p, am_reload, "NIF library already loaded (reload disallowed since OTP 20).");
    NifRefusal refusal = {.reason = NON_VALUE};
    text_init(&refusal.text);
    Term result = am_ok;
    if (!load(p, a, module, instance, &refusal))
        result = refused(p, refusal.reason, refusal.text.bytes, refusal.text.size);
    text_release(&refusal.text);
    return result;
}

/* Thread progress does not wait for a library to be read, nor for its callbacks: this thread is online for moments
 * only. The instance stays as long as the permission is held. */
Term erts_internal_load_nif_3(Process *p, const Term *a) {
    ModuleInstance *instance = (ModuleInstance *)(uintptr_t)a[2];
    thread_progress_enter();
    bool got = code_permission_take_reserved(p);
    const Module *module = module_find(instance->name);
    thread_progress_leave();
    if (!got)
        return bif_trap(p, export_put(am_erts_internal, am_load_nif_again, 3), 3, a);
    Term result = load_holding_permission(p, a, module, instance);
    thread_progress_enter();
    code_permission_release();
    thread_progress_leave();
    return result;
}
