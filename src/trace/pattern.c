#include "trace/pattern.h"

#include "base/long_work.h"
#include "process/bif.h"
#include "process/code_permission.h"
#include "process/request.h"
#include "trace/bp_data.h"

/* The change under way: there is one at a time, its maker's or the callbacks'. */
static struct {
    ProgressNode progress;
    GenericBp *set;
    GenericBp *rest; /* of the set, or of all, when a session ends: those that are still to be looked at */
    bool any_unwanted;
    Term asker;
    uint64_t id;
    size_t matched;
    TraceSession *ending; /* or NULL */
    void (*done)(TraceSession *session);
} change_now = {.asker = NON_VALUE};

void pattern_set_add(GenericBp *bp) {
    if (bp->is_in_set)
        return;
    bp->is_in_set = true;
    bp->next = change_now.set;
    change_now.set = bp;
}

static void stage(GenericBp *bp, const PatternChange *change) {
    pattern_set_add(bp);
    unsigned staging = bp_staging();
    BpData *before = bp->data[staging];
    bp->data[staging] = bp_data_changed(before, change);
    if (before != bp->data[bp_active()])
        bp_data_drop(before);
}

/* What turning off would leave without anything needs no breakpoint made for it. */
static bool has_use(const GenericBp *bp, const PatternChange *change) {
    return bp != NULL || change->verb == PATTERN_ON ||
           (change->verb != PATTERN_OFF && (change->kinds & ~(uint32_t)BP_FIGURES) != 0);
}

static bool covers(const PatternChange *c, Term function, unsigned arity) {
    return (!is_value(c->function) || c->function == function) && (c->arity < 0 || (unsigned)c->arity == arity);
}

typedef struct {
    const PatternChange *change;
    PatternChange opposite; /* global trace of a function and all others take each other's place */
    size_t matched;
} Walk;

static Walk walk_begin(const PatternChange *change) {
    Walk w = {.change = change, .opposite = *change};
    w.opposite.verb = PATTERN_OFF;
    w.opposite.kinds = change->verb == PATTERN_OFF ? 0 : pattern_opposite(change->kinds);
    return w;
}

static void stage_opposite(Walk *w, GenericBp *bp) {
    if (bp != NULL && w->opposite.kinds != 0)
        stage(bp, &w->opposite);
}

bool pattern_is_of_entry(const Export *e) { return e->bif != NULL && !(e->bif->flags & BIF_UNEXPORTED); }

static bool is_native(const FunctionHeader *f) {
    const Export *e = export_find(f->module, f->function, (unsigned)f->arity);
    return e != NULL && pattern_is_of_entry(e);
}

#define STAGE_UNITS 400 /* nanoseconds for a function: base/long_work.h */

static void visit_module(Module *m, void *data) {
    Walk *w = data;
    const ModuleInstance *instance = module_current(m);
    if (instance == NULL || (is_value(w->change->module) && m->name != w->change->module))
        return;
    for (uint32_t i = 0; i < instance->function_count; i++) {
        const FunctionHeader *f = instance_function(instance, i);
        if (!covers(w->change, f->function, (unsigned)f->arity) || is_native(f))
            continue;
        if (w->change->kinds & BP_GLOBAL) {
            stage_opposite(w, breakpoint_at(f));
            continue;
        }
        w->matched++;
        long_work_count(STAGE_UNITS);
        if (has_use(breakpoint_at(f), w->change))
            stage(breakpoint_of_function(f), w->change);
    }
}

/* Functions in C have no code of their own: whatever is wanted of them is wanted of their entries. */
static void visit_export(Export *e, void *data) {
    Walk *w = data;
    if ((is_value(w->change->module) && e->module != w->change->module) || !covers(w->change, e->function, e->arity))
        return;
    if (!export_is_defined(e))
        return;
    stage_opposite(w, e->breakpoint[code_active()]);
    if (!pattern_is_of_entry(e) && !(w->change->kinds & BP_GLOBAL))
        return;
    w->matched++;
    if (has_use(e->breakpoint[code_active()], w->change))
        stage(breakpoint_of_export(e), w->change);
}

const BpEntry *pattern_entry(const GenericBp *bp, const TraceSession *session) {
    const BpData *data = bp != NULL ? __atomic_load_n(&bp->data[bp_active()], __ATOMIC_ACQUIRE) : NULL;
    for (const BpEntry *e = data != NULL ? data->entries : NULL; e != NULL; e = e->next)
        if (e->session == session)
            return e;
    return NULL;
}

static bool has_entry(const BpData *data, const TraceSession *session) {
    const BpEntry *e = data != NULL ? data->entries : NULL;
    while (e != NULL && e->session != session)
        e = e->next;
    return e != NULL;
}

/* Callbacks keep a thread from its processes: many breakpoints are done in several of them. */
#define PIECE 3000
static void go_on_with(void (*run)(ProgressNode *node)) {
    change_now.progress.run = run;
    thread_progress_later(&change_now.progress);
}

/* Nobody reads what was staged away. Both sides are equal again. */
static void consolidate_one(GenericBp *bp) {
    bp->is_in_set = false;
    if (bp->data[bp_staging()] != bp->data[bp_active()])
        bp_data_drop(bp->data[bp_staging()]);
    bp->data[bp_staging()] = bp->data[bp_active()];
    if (bp->data[bp_active()] == NULL)
        breakpoint_free(bp);
}

static void finish(void) {
    Term asker = change_now.asker, matched = small_make((SWord)change_now.matched);
    uint64_t id = change_now.id;
    TraceSession *ending = change_now.ending;
    void (*done)(TraceSession *) = change_now.done;
    change_now.ending = NULL;
    change_now.asker = NON_VALUE;
    thread_progress_enter(); /* the thread may be going to sleep */
    code_permission_release();
    if (is_value(asker))
        request_reply(asker, id, matched);
    if (ending != NULL)
        done(ending);
    thread_progress_leave();
}

static void consolidate(ProgressNode *node) {
    GenericBp *bp = change_now.set;
    for (unsigned left = PIECE; bp != NULL && left > 0; left--) {
        GenericBp *next = bp->next;
        consolidate_one(bp);
        bp = next;
    }
    change_now.set = bp;
    if (bp != NULL)
        go_on_with(consolidate);
    else
        finish();
}

static void uninstall(ProgressNode *node) {
    GenericBp *bp = change_now.rest;
    for (unsigned left = PIECE; bp != NULL && left > 0; bp = bp->next, left--)
        if (bp->data[bp_active()] == NULL) {
            breakpoint_uninstall(bp);
            change_now.any_unwanted = true;
        }
    change_now.rest = bp;
    if (bp != NULL)
        go_on_with(uninstall);
    else if (change_now.any_unwanted)
        go_on_with(consolidate);
    else
        consolidate(node);
}

static void uninstall_unwanted(ProgressNode *node) {
    change_now.rest = change_now.set;
    change_now.any_unwanted = false;
    uninstall(node);
}

/* Of code that was replaced: what was kept for calls on their way goes now. */
static void retire_kept(ProgressNode *node) {
    GenericBp *bp = change_now.rest;
    for (unsigned left = PIECE; bp != NULL && left > 0; bp = bp->next, left--) {
        bp_data_drop(bp->data[bp_staging()]);
        bp->data[bp_staging()] = NULL;
    }
    change_now.rest = bp;
    if (bp == NULL)
        bp_commit();
    go_on_with(bp == NULL ? uninstall_unwanted : retire_kept);
}

bool pattern_set_settle(void) {
    bool any = change_now.set != NULL, any_kept = false;
    for (const GenericBp *bp = change_now.set; bp != NULL; bp = bp->next)
        any_kept = any_kept || bp->data[bp_active()] != NULL;
    change_now.rest = change_now.set;
    if (any_kept)
        retire_kept(&change_now.progress);
    else if (any)
        uninstall_unwanted(&change_now.progress);
    return any; /* the permission may have been given back by now */
}

bool pattern_set_is_empty(void) { return change_now.set == NULL; }

static void commit(void) {
    for (GenericBp *bp = change_now.set; bp != NULL; bp = bp->next)
        if (bp->data[bp_staging()] != NULL)
            breakpoint_install(bp);
    bp_commit();
    change_now.progress.run = uninstall_unwanted;
    thread_progress_later(&change_now.progress);
}

bool pattern_change(const PatternChange *change, Term asker, uint64_t id, size_t *matched) {
    Walk walk = walk_begin(change);
    change->session->has_patterns = true;
    module_each(visit_module, &walk);
    export_each(visit_export, &walk);
    *matched = walk.matched;
    if (change_now.set == NULL) {
        code_permission_release();
        return false;
    }
    change_now.asker = asker;
    change_now.id = id;
    change_now.matched = walk.matched;
    commit();
    return true;
}

static void stage_end(ProgressNode *node) {
    const PatternChange change = {.session = change_now.ending, .verb = PATTERN_OFF, .kinds = UINT32_MAX};
    GenericBp *bp = change_now.rest;
    for (unsigned left = PIECE; bp != NULL && left > 0; bp = bp->following, left--)
        if (has_entry(bp->data[bp_staging()], change.session))
            stage(bp, &change);
    change_now.rest = bp;
    if (bp != NULL)
        go_on_with(stage_end);
    else if (change_now.set != NULL)
        commit();
    else
        finish();
}

void pattern_end_session(TraceSession *session, void (*done)(TraceSession *session)) {
    change_now.ending = session;
    change_now.done = done;
    change_now.rest = breakpoints;
    stage_end(&change_now.progress);
}

static void set_program(MatchProgram **place, MatchProgram *program) {
    program_drop(*place);
    *place = program_keep(program);
}

/* Figures of code that is not there yet cannot be paused. */
void pattern_set_on_load(const PatternChange *change) {
    OnLoad *o = &change->session->on_load;
    change->session->has_patterns = true;
    bool on = change->verb != PATTERN_OFF;
    uint32_t calls = change->kinds & (BP_LOCAL | BP_GLOBAL), kinds = change->kinds;
    if (change->verb == PATTERN_PAUSE || change->verb == PATTERN_RESTART)
        kinds &= ~(uint32_t)BP_FIGURES;
    o->kinds &= ~(kinds | (on ? pattern_opposite(change->kinds) : 0));
    o->kinds |= on ? kinds : 0;
    if (calls != 0)
        set_program(&o->program, on ? change->program : NULL);
    if ((kinds & BP_META) || (!on && (kinds & BP_GLOBAL))) {
        set_program(&o->meta_program, on ? change->program : NULL);
        tracer_drop(o->meta_tracer);
        o->meta_tracer = on ? tracer_keep(change->meta_tracer) : TRACER_NOBODY;
    }
}
