#include "trace/pattern_walk.h"

#include "base/long_work.h"
#include "process/bif.h"
#include "trace/bp_data.h"

typedef struct {
    const PatternChange *change;
    size_t matched;
} Walk;

/* Of long work, in nanoseconds. */
#define FUNCTION_UNITS 45
#define DATA_UNITS 200
#define ENTRY_UNITS 30

/* What turning off would leave without anything needs no breakpoint made for it. */
static bool has_use(const GenericBp *bp, const PatternChange *change) {
    return bp != NULL || change->verb == PATTERN_ON ||
           (change->verb != PATTERN_OFF && (change->kinds & ~(uint32_t)(BP_FIGURES | BP_SUM)) != 0);
}

static bool covers(const PatternChange *c, Term module, Term function, unsigned arity) {
    return (!is_value(c->module) || c->module == module) && (!is_value(c->function) || c->function == function) &&
           (c->arity < 0 || (unsigned)c->arity == arity);
}

/* Global trace of a function and all others take each other's place. */
static void stage_opposites(const PatternChange *change) {
    PatternChange opposite = *change;
    opposite.verb = PATTERN_OFF;
    opposite.kinds = pattern_opposite(change->kinds);
    GenericBp *bp = change->kinds & BP_GLOBAL ? breakpoint_first() : breakpoint_first_of_export();
    for (; bp != NULL; bp = breakpoint_following(bp)) {
        const BpData *data = bp->data[bp_staging()];
        long_work_count(ENTRY_UNITS);
        if (data != NULL && (data->kinds & opposite.kinds) &&
            covers(change, bp->mfa.module, bp->mfa.function, bp->mfa.arity))
            pattern_stage(bp, &opposite);
    }
}

bool pattern_is_of_entry(const Export *e) { return e->bif != NULL && !(e->bif->flags & BIF_UNEXPORTED); }

static bool is_native(const FunctionHeader *f) {
    const Export *e = export_find(f->module, f->function, (unsigned)f->arity);
    return e != NULL && pattern_is_of_entry(e);
}

static int64_t units(const PatternChange *change) {
    return FUNCTION_UNITS + (bp_data_is_for_one(change) ? DATA_UNITS : 0);
}

#define AHEAD 8 /* their headers lie all over memory */

static void visit_module(void *module, void *data) {
    Module *m = module;
    Walk *w = data;
    ModuleInstance *instance = module_current(m);
    bool many = !is_value(w->change->function);
    for (uint32_t i = 0; instance != NULL && i < instance->function_count; i++) {
        if (i + AHEAD < instance->function_count)
            __builtin_prefetch(&instance_function(instance, i + AHEAD)->breakpoint, 1);
        const FunctionHeader *f = instance_function(instance, i);
        if (!covers(w->change, f->module, f->function, (unsigned)f->arity) || (instance->has_natives && is_native(f)))
            continue;
        w->matched++;
        long_work_count(units(w->change));
        if (has_use(breakpoint_at(f), w->change))
            pattern_stage(breakpoint_of_function(instance, i, many), w->change);
    }
}

static void visit_entry(void *export, void *data) {
    Export *e = export;
    Walk *w = data;
    long_work_count(ENTRY_UNITS);
    if (!covers(w->change, e->module, e->function, e->arity) || !export_is_defined(e))
        return;
    w->matched++;
    long_work_count(units(w->change));
    ExportBp *bp = e->breakpoint[code_active()];
    if (has_use(bp != NULL ? &bp->bp : NULL, w->change))
        pattern_stage(&breakpoint_of_export(e)->bp, w->change);
}

static void visit_entries(Walk *w) {
    const PatternChange *c = w->change;
    if (!is_value(c->function) || c->arity < 0) {
        export_each(visit_entry, w);
        return;
    }
    Export *e = export_find(c->module, c->function, (unsigned)c->arity);
    if (e != NULL)
        visit_entry(e, w);
}

/* Functions in C have no code of their own: whatever is wanted of them is wanted of their entries. */
static void visit_natives(Walk *w) {
    for (size_t i = 0; i < bif_count; i++) {
        const BifEntry *b = &bif_table[i];
        Export *e = covers(w->change, b->module, b->name, b->arity) ? export_find(b->module, b->name, b->arity) : NULL;
        if (e != NULL && pattern_is_of_entry(e))
            visit_entry(e, w);
    }
}

static size_t stage_all(const PatternChange *change) {
    Walk w = {.change = change};
    if (change->verb != PATTERN_OFF && pattern_opposite(change->kinds) != 0)
        stage_opposites(change);
    if (change->kinds & BP_GLOBAL) {
        visit_entries(&w);
        return w.matched;
    }
    if (!is_value(change->module))
        module_each(visit_module, &w);
    else if (module_find(change->module) != NULL)
        visit_module(module_find(change->module), &w);
    if (!(change->kinds & BP_DEBUG)) /* no debugger interprets them */
        visit_natives(&w);
    return w.matched;
}

/* What all functions of the pattern share: the entries take their references before the caller's goes. */
bool pattern_change(const PatternChange *change, Term asker, uint64_t id, size_t *matched) {
    PatternChange c = *change;
    c.session->has_patterns = true;
    c.dropped = c.session->limit != NULL && (c.kinds & BP_TELLS) ? call_count_create() : NULL;
    c.sum = (c.kinds & BP_SUM) && c.verb == PATTERN_ON ? sum_create(c.session, &c.sum_form) : NULL;
    *matched = stage_all(&c);
    call_count_drop(c.dropped);
    sum_drop(c.sum);
    return pattern_set_commit(asker, id, *matched);
}
