/*
 * Preparing, finishing and deleting modules.
 *
 * Prepared code hangs on a magic reference until erlang:finish_loading/1 takes it out. Source: the calls that the stock
 * code server makes; erlang(3) delete_module/1, check_old_code/1; answers of OTP 25.
 */
#include <string.h>

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "bif/argument.h"
#include "bif/native.h"
#include "bif_table.h"
#include "code/ranges.h"
#include "loader/prepare.h"
#include "process/code_permission.h"
#include "process/report.h"
#include "term/atom.h"
#include "term/bits.h"

typedef struct {
    ModuleInstance *instance; /* NULL once finished */
} Prepared;

static bool prepared_destroy(RefcBinary *binary) {
    Prepared *prepared = (Prepared *)binary->bytes;
    if (prepared->instance != NULL)
        module_instance_free(prepared->instance);
    return true;
}

static void report_refusal(Process *p, Term module, const char *detail) {
    Term arguments[] = {module, list_from_bytes(process_area(p), detail, strlen(detail), NIL)};
    thread_progress_enter();
    report_error(p, "Error loading module ~p:~n  ~s", arguments, 2);
    thread_progress_leave();
}

Term erts_internal_prepare_loading_2(Process *p, const Term *a) {
    size_t size;
    uint8_t *copy;
    char detail[200];
    if (!is_atom(a[0]) || !is_binary(a[1]))
        return fail_badarg(p);
    const uint8_t *bytes = binary_bytes(a[1], &size, &copy);
    ModuleInstance *instance = module_prepare(a[0], bytes, size, detail, sizeof detail);
    mem_free(ALLOC_TEMP, copy);
    if (instance == NULL) {
        report_refusal(p, a[0], detail);
        return area_tuple2(process_area(p), am_error, am_badfile);
    }
    void *object;
    Term reference = native_new(p, sizeof(Prepared), prepared_destroy, &object);
    ((Prepared *)object)->instance = instance;
    return reference;
}

static Prepared *prepared_of(Term t) {
    Prepared *prepared = native_object(t, prepared_destroy);
    return prepared != NULL && prepared->instance != NULL ? prepared : NULL;
}

Term erlang_has_prepared_code_on_load_1(Process *p, const Term *a) {
    Prepared *prepared = prepared_of(a[0]);
    return prepared != NULL ? bool_term(prepared->instance->on_load != NULL) : fail_badarg(p);
}

/* The prepared objects of a list; NULL when it is something else, or one with an on_load function among several. */
static Prepared **prepared_list(Term list, size_t *count) {
    int64_t length = list_length(list);
    if (length < 0)
        return NULL;
    Prepared **prepared = mem_alloc(ALLOC_TEMP, ((size_t)length + 1) * sizeof *prepared);
    *count = (size_t)length;
    for (size_t i = 0; i < *count; i++, list = list_tail(list)) {
        prepared[i] = prepared_of(list_head(list));
        if (prepared[i] == NULL || (*count > 1 && prepared[i]->instance->on_load != NULL)) {
            mem_free(ALLOC_TEMP, prepared);
            return NULL;
        }
    }
    return prepared;
}

static bool is_duplicate(Prepared **prepared, size_t count, size_t i) {
    for (size_t j = i + 1; j < count; j++)
        if (prepared[j]->instance->name == prepared[i]->instance->name)
            return true;
    return false;
}

static bool has_old(Term name) {
    Module *m = module_find(name);
    return m != NULL && m->old != NULL && module_current(m) != NULL;
}

/* {duplicated, Modules} or {not_purged, Modules}, or NON_VALUE when all may be loaded. */
static Term refused(Process *p, Prepared **prepared, size_t count) {
    Area *area = process_area(p);
    Term duplicates = NIL, not_purged = NIL;
    for (size_t i = count; i-- > 0;) {
        Term name = prepared[i]->instance->name;
        if (is_duplicate(prepared, count, i))
            duplicates = area_cons(area, name, duplicates);
        if (has_old(name))
            not_purged = area_cons(area, name, not_purged);
    }
    if (duplicates != NIL)
        return area_tuple2(area, am_duplicated, duplicates);
    return not_purged != NIL ? area_tuple2(area, am_not_purged, not_purged) : NON_VALUE;
}

/* The code may run, but only its on_load function is reached, by call_on_load_function/1. */
static void stage_pending(ModuleInstance *instance) {
    Module *m = module_put(instance->name);
    if (m->on_load_call == NULL) {
        m->on_load_call = mem_calloc(ALLOC_EXPORT, sizeof(Export));
        m->on_load_call->module = instance->name;
        m->on_load_call->function = am_on_load;
    }
    for (unsigned i = 0; i < CODE_GENERATIONS; i++)
        m->on_load_call->address[i] = instance->on_load;
    m->pending = instance;
    for (uint32_t i = 0; i < instance->fun_count; i++)
        __atomic_store_n(&instance->funs[i].entry->address, instance->funs[i].address, __ATOMIC_RELEASE);
    ranges_stage_add(instance);
}

static Term publish(Process *p, Prepared **prepared, size_t count) {
    Term refusal = refused(p, prepared, count);
    if (is_value(refusal)) {
        code_permission_release();
        return refusal;
    }
    Term result = am_ok;
    code_stage_begin();
    for (size_t i = 0; i < count; i++) {
        ModuleInstance *instance = prepared[i]->instance;
        prepared[i]->instance = NULL;
        if (instance->on_load == NULL) {
            code_stage_instance(instance);
            continue;
        }
        stage_pending(instance);
        Area *area = process_area(p);
        result = area_tuple2(area, am_on_load, area_cons(area, instance->name, NIL));
    }
    code_commit();
    code_permission_release_later();
    return result;
}

Term erlang_finish_loading_1(Process *p, const Term *a) {
    size_t count;
    Prepared **prepared = prepared_list(a[0], &count);
    if (prepared == NULL)
        return fail_badarg(p);
    Term result = NON_VALUE;
    if (count == 0)
        result = am_ok;
    else if (code_permission_take(p))
        result = publish(p, prepared, count);
    mem_free(ALLOC_TEMP, prepared);
    return result;
}

Term erlang_call_on_load_function_1(Process *p, const Term *a) {
    Module *m = is_atom(a[0]) ? module_find(a[0]) : NULL;
    if (m == NULL || m->pending == NULL)
        return fail_badarg(p);
    return bif_trap(p, m->on_load_call, 0, NULL);
}

Term erlang_finish_after_on_load_2(Process *p, const Term *a) {
    Module *m = is_atom(a[0]) ? module_find(a[0]) : NULL;
    if (m == NULL || m->pending == NULL || (a[1] != am_true && a[1] != am_false))
        return fail_badarg(p);
    if (!code_permission_take(p))
        return NON_VALUE;
    ModuleInstance *instance = m->pending;
    m->pending = NULL;
    code_stage_begin();
    /* When it is not kept, processes that it started may still run it: then it stays in memory, reachable by no call.
     * */
    if (a[1] == am_true)
        code_stage_instance(instance);
    code_commit();
    code_permission_release_later();
    return am_true;
}

Term erlang_check_old_code_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    Module *m = module_find(a[0]);
    return bool_term(m != NULL && m->old != NULL);
}

Term erlang_delete_module_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    Module *m = module_find(a[0]);
    if (m == NULL || module_current(m) == NULL)
        return am_undefined;
    if (!code_permission_take(p))
        return NON_VALUE;
    if (m->old != NULL) {
        code_permission_release();
        return fail_badarg(p);
    }
    code_stage_begin();
    code_stage_delete(m);
    code_commit();
    code_permission_release_later();
    return am_true;
}

/* drop_old(Module) -> was there old code? It stays in memory and in the ranges, for those that still run it. */
Term viv_purger_drop_old_1(Process *p, const Term *a) {
    Module *m = is_atom(a[0]) ? module_find(a[0]) : NULL;
    if (m == NULL || m->old == NULL)
        return am_false;
    if (!code_permission_take(p))
        return NON_VALUE;
    m->old = NULL;
    code_permission_release();
    return am_true;
}
