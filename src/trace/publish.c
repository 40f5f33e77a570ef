/*
 * Code that is published while functions are traced: new code appears with its breakpoints, in the store that publishes
 * it, and the breakpoints of what it replaces go.
 *
 * A function of new code gets its breakpoint while nobody can see it, an export entry in the staging generation. The
 * old ones are staged without data; the store of the breakpoint index follows that of the code index, and after thread
 * progress they are uninstalled and freed before the permission is given back. Nobody waits for this but the next one
 * to ask for the permission. A call that has found the old code just before is on its way into it when the index is
 * stored: sessions that keep their patterns, or have some for new code, have theirs in the old code until thread
 * progress, which is what the publication is answered after. A process that is scheduled out at the entry has its call
 * told before (emu/trace_call.h). So no call is lost between old and new code.
 * An on_load function runs with nothing traced in the code that it may replace, and if it fails nothing is again: that
 * is what the stock runtime does.
 * Source: erlang(3) trace_pattern/3, on_load; answers of OTP 25.
 */
#include "base/race_window.h"
#include "process/trace_point.h"
#include "trace/bp_data.h"
#include "trace/publish.h"
#include "replace/code_permission.h"
#include "trace/session_table.h"

/* It appears with the code, so both of its sides are the same from the start. */
static void begin_with(GenericBp *bp, BpData *data) { bp->data[0] = bp->data[1] = data; }

static void retire(GenericBp *bp) {
    if (bp != NULL)
        pattern_retire(bp);
}

/* Of the function of that name, which is most often where it was: looked for from *at on, which becomes the place
 * after it, so that a whole module takes about one round. */
static GenericBp *breakpoint_named(const ModuleInstance *instance, const FunctionHeader *like, uint32_t *at) {
    uint32_t count = instance != NULL ? instance->function_count : 0;
    for (uint32_t tried = 0; tried < count; tried++) {
        uint32_t i = (*at + tried) % count;
        const FunctionHeader *f = instance_function(instance, i);
        if (f->function == like->function && f->arity == like->arity) {
            *at = i + 1;
            return breakpoint_at(f);
        }
    }
    return NULL;
}

static bool has_breakpoints(const ModuleInstance *instance) {
    for (uint32_t i = 0; instance != NULL && i < instance->function_count; i++)
        if (breakpoint_at(instance_function(instance, i)) != NULL)
            return true;
    return false;
}

static BpData *data_for(const GenericBp *before, uint32_t kinds) {
    return bp_data_of_new_code(before != NULL ? before->data[bp_active()] : NULL, kinds);
}

static void stage_functions(const ModuleInstance *before, ModuleInstance *instance, bool many) {
    uint32_t at = 0;
    for (uint32_t i = 0; instance != NULL && i < instance->function_count; i++) {
        const FunctionHeader *f = instance_function(instance, i);
        BpData *data = data_for(breakpoint_named(before, f, &at), ~(uint32_t)BP_GLOBAL);
        if (data == NULL)
            continue;
        GenericBp *bp = breakpoint_of_function(instance, i, many);
        begin_with(bp, data);
        breakpoint_install(bp);
    }
    native_writes_end();
}

static void retire_functions(const ModuleInstance *instance) {
    for (uint32_t i = 0; instance != NULL && i < instance->function_count; i++)
        retire(breakpoint_at(instance_function(instance, i)));
}

static GenericBp *of_export(ExportBp *bp) { return bp != NULL ? &bp->bp : NULL; }

/* In the staging generation, where `redo` has put what the active one has. */
static void stage_entry(Export *e, bool is_in_new_code) {
    unsigned active = code_active(), staging = code_staging();
    ExportBp *before = e->breakpoint[active];
    bool is_done = (before == NULL) != (e->breakpoint[staging] == NULL) || (before != NULL && before->bp.is_in_set);
    if (e->bif != NULL || is_done) /* it is in both instances */
        return;
    BpData *data = is_in_new_code ? data_for(of_export(before), BP_GLOBAL) : NULL;
    if (data == NULL && before == NULL)
        return;
    ExportBp *bp = NULL;
    if (data != NULL) {
        bp = breakpoint_create(e);
        begin_with(&bp->bp, data);
        bp->bp.is_installed = true;
    }
    export_set_breakpoint(e, staging, bp);
    retire(of_export(before));
}

static void stage_entries(const ModuleInstance *instance, bool is_new) {
    for (uint32_t i = 0; instance != NULL && i < instance->export_count; i++)
        stage_entry(instance->exports[i].export, is_new);
}

static bool any_on_load(void) {
    const TraceSession *s = trace_sessions_first();
    while (s != NULL && s->on_load.kinds == 0)
        s = trace_sessions_next(s);
    return s != NULL;
}

static void staged(ModuleInstance *before, ModuleInstance *instance) {
    if (!atomic_load_explicit(&trace_is_in_use, memory_order_relaxed))
        return;
    bool any = has_breakpoints(before), on_load = any_on_load();
    if (any || on_load)
        stage_functions(any ? before : NULL, instance, on_load);
    if (any)
        retire_functions(before);
    stage_entries(instance, true);
    stage_entries(before, false);
}

static void forget(GenericBp *bp) {
    if (bp != NULL && !bp->is_in_set)
        pattern_forget(bp);
}

static void pending(const ModuleInstance *before) {
    if (!atomic_load_explicit(&trace_is_in_use, memory_order_relaxed))
        return;
    for (uint32_t i = 0; i < before->function_count; i++)
        forget(breakpoint_at(instance_function(before, i)));
    for (uint32_t i = 0; i < before->export_count; i++)
        if (before->exports[i].export->bif == NULL)
            forget(of_export(before->exports[i].export->breakpoint[code_active()]));
}

static void committed(void) {
    race_window("code is active, its breakpoints not yet");
    if (!pattern_set_is_empty())
        bp_commit();
}

void trace_publish_install(void) {
    code_trace_hooks = (CodeTraceHooks){staged, pending, committed};
    code_permission_hooks = (CodePermissionHooks){pattern_set_lingers, pattern_set_settle};
}
