#include "nif/load.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "code/breakpoint.h"
#include "nif/call.h"
#include "nif/resource.h"
#include "process/bif.h"
#include "process/process.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/print.h"

#include <dlfcn.h>
#include <string.h>

typedef ErlNifEntry *InitFunction(void);

static Text *refuse(NifRefusal *r, Term reason) {
    r->reason = reason;
    text_clear(&r->text);
    return &r->text;
}

static bool refuse_text(NifRefusal *r, Term reason, const char *text) {
    text_string(refuse(r, reason), text);
    return false;
}

/* "<before><module>:<name>/<arity>" */
static bool refuse_function(NifRefusal *r, const char *before, Term module, const char *name, unsigned arity) {
    Text *t = refuse(r, am_bad_lib);
    text_string(t, before);
    print_atom(t, module);
    text_format(t, ":%s/%u", name, arity);
    return false;
}

/* --- The runtime's own --- */

#define INNER_MAX 8

static const ErlNifEntry *inner[INNER_MAX]; /* written at the start */
static unsigned inner_count;

void nif_add_inner(const ErlNifEntry *entry) {
    require(inner_count < INNER_MAX);
    inner[inner_count++] = entry;
}

static const ErlNifEntry *inner_entry(const char *path) {
    for (unsigned i = 0; i < inner_count; i++)
        if (strcmp(inner[i]->name, path) == 0)
            return inner[i];
    return NULL;
}

/* --- The shared object --- */

static void *open_object(const char *path, NifRefusal *r) {
    TEXT(file);
    text_string(&file, path);
    text_string(&file, ".so");
    void *handle = dlopen(text_cstring(&file), RTLD_NOW);
    if (handle == NULL)
        text_format(refuse(r, am_load_failed), "Failed to load NIF library: '%s'", dlerror());
    return handle;
}

static const ErlNifEntry *entry_of(void *handle, NifRefusal *r) {
    InitFunction *init = (InitFunction *)(uintptr_t)dlsym(handle, "nif_init");
    if (init == NULL)
        init = (InitFunction *)(uintptr_t)dlsym(handle, "_nif_init");
    if (init == NULL) {
        text_format(refuse(r, am_bad_lib), "Failed to find library init function: '%s'", dlerror());
        return NULL;
    }
    ErlNifEntry *entry = init();
    if (entry == NULL)
        refuse_text(r, am_bad_lib, "Library init-call unsuccessful");
    return entry;
}

/* --- The entry --- */

static bool has(const ErlNifEntry *e, int minor) { return e->major > 2 || (e->major == 2 && e->minor >= minor); }

/* Members that the entry's version does not have yet get their defaults. */
static ErlNifEntry entry_filled_in(const ErlNifEntry *e) {
    ErlNifEntry copy = {.vm_variant = ERL_NIF_VM_VARIANT};
    memcpy(&copy, e, offsetof(ErlNifEntry, vm_variant));
    if (has(e, 1))
        copy.vm_variant = e->vm_variant;
    if (has(e, 7))
        copy.options = e->options;
    if (has(e, 12))
        copy.sizeof_ErlNifResourceTypeInit = e->sizeof_ErlNifResourceTypeInit;
    if (has(e, 14))
        copy.min_erts = e->min_erts;
    return copy;
}

/* 2.5 was never released: its maps are not those of 2.6. */
static bool version_is_good(const ErlNifEntry *e, Term module, NifRefusal *r) {
    if (e->major < ERL_NIF_MIN_REQUIRED_MAJOR_VERSION_ON_LOAD || (e->major == 2 && e->minor == 5)) {
        text_format(refuse(r, am_bad_lib),
                    "That old NIF library (%d.%d) is not compatible with this erts runtime (%d.%d). "
                    "Try recompile the NIF lib.",
                    e->major, e->minor, ERL_NIF_MAJOR_VERSION, ERL_NIF_MINOR_VERSION);
        return false;
    }
    if (e->major > ERL_NIF_MAJOR_VERSION || e->minor > ERL_NIF_MINOR_VERSION) {
        Text *t = refuse(r, am_bad_lib);
        text_string(t, "That '");
        print_atom(t, module);
        text_format(t,
                    "' NIF library needs %s or newer. Either try to recompile the NIF lib or use a newer "
                    "erts runtime.",
                    e->min_erts);
        return false;
    }
    return true;
}

static bool entry_is_good(const ErlNifEntry *e, Term module, NifRefusal *r) {
    if (!version_is_good(e, module, r))
        return false;
    if (strcmp(e->vm_variant, ERL_NIF_VM_VARIANT) != 0) {
        text_format(refuse(r, am_bad_lib), "Library (%s) not compiled for this vm variant (%s).", e->vm_variant,
                    ERL_NIF_VM_VARIANT);
        return false;
    }
    const AtomName *name = atom_name(module);
    if (strlen(e->name) != name->byte_count || memcmp(e->name, name->bytes, name->byte_count) != 0) {
        Text *t = refuse(r, am_bad_lib);
        text_format(t, "Library module name '%s' does not match calling module '", e->name);
        print_atom(t, module);
        text_byte(t, '\'');
        return false;
    }
    return true;
}

/* --- Its functions --- */

/* Before 2.7 functions had no flags, and were that much shorter. */
static ErlNifFunc function_at(const ErlNifEntry *e, int i) {
    ErlNifFunc f = {.flags = 0};
    if (has(e, 7))
        return e->funcs[i];
    size_t size = offsetof(ErlNifFunc, flags);
    memcpy(&f, (const char *)e->funcs + (size_t)i * size, size);
    return f;
}

static const FunctionHeader *find_function(const ModuleInstance *m, Term name, unsigned arity) {
    for (uint32_t i = 0; i < m->function_count; i++) {
        const FunctionHeader *h = instance_function(m, i);
        if (h->function == name && h->arity == arity)
            return h;
    }
    return NULL;
}

static bool declares_natives(const ModuleInstance *m) {
    for (uint32_t i = 0; i < m->function_count; i++)
        if (instance_function(m, i)->native == NATIVE_DECLARED)
            return true;
    return false;
}

static bool add_function(NifLibrary *l, const ModuleInstance *m, int i, bool only_declared, NifRefusal *r) {
    ErlNifFunc f = function_at(&l->entry, i);
    Term name;
    bool known = enif_make_existing_atom(NULL, f.name, &name, ERL_NIF_LATIN1);
    const FunctionHeader *h = known ? find_function(m, name, f.arity) : NULL;
    if (h == NULL)
        return refuse_function(r, "Function not found ", m->name, f.name, f.arity);
    if (f.flags > ERL_NIF_DIRTY_JOB_IO_BOUND) {
        TEXT(before);
        text_format(&before, "Illegal flags field value %d for NIF ", (int)f.flags);
        return refuse_function(r, text_cstring(&before), m->name, f.name, f.arity);
    }
    if (only_declared && h->native != NATIVE_DECLARED)
        return refuse_function(r, "Function not declared as nif ", m->name, f.name, f.arity);
    for (uint32_t j = 0; j < l->function_count; j++)
        if (l->functions[j].header == h)
            return refuse_function(r, "Duplicate NIF entry for ", m->name, f.name, f.arity);
    const Export *export = export_put(m->name, name, f.arity);
    l->functions[l->function_count++] =
        (NifBinding){.header = (FunctionHeader *)h, .call = nif_call_make(f.flags, export, f.fptr, l)};
    return true;
}

static bool add_functions(NifLibrary *l, const ModuleInstance *m, NifRefusal *r) {
    size_t count = l->entry.num_of_funcs > 0 ? (size_t)l->entry.num_of_funcs : 0;
    l->functions = mem_alloc(ALLOC_NIF, (count + 1) * sizeof *l->functions);
    bool only_declared = declares_natives(m), good = true;
    visitor_enter();
    for (size_t i = 0; i < count && good; i++)
        good = add_function(l, m, (int)i, only_declared, r);
    visitor_leave();
    return good;
}

static bool take_entry(NifLibrary *l, const ErlNifEntry *entry, const ModuleInstance *instance, NifRefusal *r) {
    if (entry == NULL)
        return false;
    l->entry = entry_filled_in(entry);
    return entry_is_good(&l->entry, instance->name, r) && add_functions(l, instance, r);
}

NifLibrary *nif_library_open(const char *path, const ModuleInstance *instance, NifRefusal *r) {
    const ErlNifEntry *entry = inner_entry(path);
    void *handle = entry == NULL ? open_object(path, r) : NULL;
    if (entry == NULL && handle == NULL)
        return NULL;
    NifLibrary *l = nif_library_create(handle, instance->name);
    if (take_entry(l, handle != NULL ? entry_of(handle, r) : entry, instance, r))
        return l;
    nif_library_release(l);
    return NULL;
}

/* --- Its callbacks --- */

static bool refuse_start(NifRefusal *r, Term reason, const char *which, int result) {
    text_format(refuse(r, reason), "Library %s-call unsuccessful (%d).", which, result);
    return false;
}

static bool start(NifLibrary *l, ErlNifEnv *env, NifLibrary *before, Term info, NifRefusal *r) {
    int result = 0;
    if (before == NULL) {
        if (l->entry.load != NULL)
            result = l->entry.load(env, &l->priv_data, info);
        return result == 0 || refuse_start(r, am_load, "load", result);
    }
    if (l->entry.upgrade == NULL)
        return refuse_text(r, am_upgrade, "Upgrade not supported by this NIF library.");
    result = l->entry.upgrade(env, &l->priv_data, &before->priv_data, info);
    return result == 0 || refuse_start(r, am_upgrade, "upgrade", result);
}

bool nif_library_start(NifLibrary *l, Process *p, NifLibrary *before, Term info, NifRefusal *r) {
    NifOwnEnv own;
    nif_own_env_begin(&own, NIF_ENV_LOAD, p, l);
    l->loading = true;
    ThreadKind kind = thread_kind;
    thread_kind = THREAD_SCHEDULER; /* as stock, where it is one: enif_thread_type */
    bool good = start(l, &own.env, before, info, r);
    thread_kind = kind;
    l->loading = false;
    nif_own_env_end(&own);
    if (good)
        return true;
    nif_types_drop(l);
    nif_library_release(l);
    return false;
}

/* Functions that the module only declares get their entry back (loader/natives.h). */
static void give_address(ModuleInstance *m, const FunctionHeader *h) {
    for (uint32_t i = 0; i < m->export_count; i++) {
        InstanceExport *e = &m->exports[i];
        if (e->address == NULL && e->export->function == h->function && e->export->arity == h->arity)
            e->address = function_entry(h);
    }
}

void nif_library_bind(NifLibrary *l, ModuleInstance *instance) {
    nif_types_commit(l);
    instance->library = l;
    nif_library_publish(l);
    for (uint32_t i = 0; i < l->function_count; i++) {
        NifBinding *b = &l->functions[i];
        __atomic_store_n(&b->header->native, &b->call.native, __ATOMIC_RELEASE);
        give_address(instance, b->header);
    }
    race_window("native functions are there, and not yet called");
    for (uint32_t i = 0; i < l->function_count; i++) {
        NifBinding *b = &l->functions[i];
        breakpoint_exchange_body(instance, b->header, native_instruction(&b->call.native));
    }
    native_writes_end();
}

void nif_library_unload(NifLibrary *l) {
    if (atomic_exchange(&l->unloaded, true))
        return;
    race_window("a library is unloaded, its types not yet disowned");
    nif_types_disown(l);
    nif_library_release(l);
}
