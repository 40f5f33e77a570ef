#include "trace/pattern.h"

#include "base/race_window.h"
#include "process/request.h"
#include "replace/code_permission.h"
#include "trace/bp_data.h"

/* The change under way: there is one at a time, its maker's or the callbacks'. */
static struct {
    ProgressNode progress;
    GenericBp *set;
    GenericBp *rest; /* of the set, or of all, when a session ends: those that are still to be looked at */
    /* Of most functions the same is wanted before, nothing as a rule, and the same after: they share data. */
    struct {
        const PatternChange *change;
        BpData *before, *after;
    } made;
    bool any_unwanted;
    bool any_lingers; /* of code that is replaced: pattern_retire */
    CodeAsker asker;
    TraceSession *ending; /* or NULL */
    void (*done)(TraceSession *session);
} change_now = {.asker = {.pid = NON_VALUE}};

static void set_add(GenericBp *bp) {
    if (bp->is_in_set)
        return;
    bp->is_in_set = true;
    bp->next = change_now.set;
    change_now.set = bp;
}

static void forget_made(void) {
    bp_data_drop(change_now.made.before);
    bp_data_drop(change_now.made.after);
    change_now.made.change = NULL;
    change_now.made.before = change_now.made.after = NULL;
}

static BpData *data_after(BpData *before, const PatternChange *change) {
    if (bp_data_is_for_one(change))
        return bp_data_changed(before, change);
    if (change_now.made.change != change || change_now.made.before != before) {
        forget_made();
        change_now.made.change = change;
        change_now.made.before = bp_data_keep(before);
        change_now.made.after = bp_data_changed(before, change);
    }
    return bp_data_keep(change_now.made.after);
}

void pattern_stage(GenericBp *bp, const PatternChange *change) {
    set_add(bp);
    unsigned staging = bp_staging();
    BpData *before = bp->data[staging];
    bp->data[staging] = data_after(before, change);
    if (before != bp->data[bp_active()])
        bp_data_drop(before);
    if (bp->data[staging] != NULL)
        breakpoint_install(bp);
    else
        change_now.any_unwanted = true;
}

void pattern_forget(GenericBp *bp) {
    set_add(bp);
    bp->data[bp_staging()] = bp_data_kept(bp->data[bp_active()]);
}

void pattern_retire(GenericBp *bp) {
    set_add(bp);
    bp->data[bp_staging()] = bp_data_lingering(bp->data[bp_active()]);
    if (bp->data[bp_staging()] != NULL)
        change_now.any_lingers = true;
}

bool pattern_set_lingers(void) { return change_now.any_lingers; }

static const BpEntry *entry_of(const BpData *data, const TraceSession *session) {
    for (uint32_t i = 0; data != NULL && i < data->count; i++)
        if (data->entry[i].session == session)
            return &data->entry[i];
    return NULL;
}

const BpEntry *pattern_entry(const GenericBp *bp, const TraceSession *session) {
    return bp != NULL ? entry_of(__atomic_load_n(&bp->data[bp_active()], __ATOMIC_ACQUIRE), session) : NULL;
}

/* Callbacks keep a thread from its processes: many breakpoints are done in several of them, of this many nanoseconds,
 * roughly. */
#define PIECE 400000
#define LOOK_UNITS 10
#define UNINSTALL_UNITS 30
#define DROP_UNITS 150
static void go_on_with(void (*run)(ProgressNode *node)) {
    change_now.progress.run = run;
    thread_progress_later(&change_now.progress);
}

/* With the next piece: what is to be waited for has been. */
static void go_on_soon_with(void (*run)(ProgressNode *node)) {
    change_now.progress.run = run;
    thread_progress_soon(&change_now.progress);
}

/* A side of a breakpoint that nobody reads. Gives what it cost. */
static int drop_side(GenericBp *bp, unsigned side) {
    BpData *data = bp->data[side];
    bp->data[side] = NULL;
    int units = data != NULL && data->breakpoints == 1 ? DROP_UNITS : LOOK_UNITS;
    bp_data_drop(data);
    return units;
}

/* Nobody reads what was staged away. Both sides are equal again. */
static int consolidate_one(GenericBp *bp) {
    unsigned active = bp_active(), staging = bp_staging();
    int units = bp->data[staging] != bp->data[active] ? drop_side(bp, staging) : LOOK_UNITS;
    bp->is_in_set = false;
    bp->data[staging] = bp->data[active];
    if (bp->data[active] != NULL)
        return units;
    breakpoint_free(bp);
    return units + UNINSTALL_UNITS;
}

static CodeAsker take_asker(void) {
    CodeAsker asker = change_now.asker;
    change_now.asker = CODE_ASKED_BY_NOBODY;
    return asker;
}

static void reply_to(CodeAsker asker) {
    if (is_value(asker.pid))
        request_reply(asker.pid, asker.id, asker.answer);
}

static void finish(void) {
    CodeAsker asker = take_asker();
    TraceSession *ending = change_now.ending;
    void (*done)(TraceSession *) = change_now.done;
    change_now.ending = NULL;
    thread_progress_enter(); /* the thread may be going to sleep */
    code_permission_release();
    reply_to(asker);
    if (ending != NULL)
        done(ending);
    thread_progress_leave();
}

static void consolidate(ProgressNode *node) {
    GenericBp *bp = change_now.set;
    for (int left = PIECE; bp != NULL && left > 0;) {
        GenericBp *next = bp->next;
        left -= consolidate_one(bp);
        bp = next;
    }
    change_now.set = bp;
    if (bp != NULL)
        go_on_soon_with(consolidate);
    else
        finish();
}

static void uninstall(ProgressNode *node) {
    GenericBp *bp = change_now.rest;
    for (int left = PIECE; bp != NULL && left > 0; bp = bp->next) {
        left -= LOOK_UNITS;
        if (bp->data[bp_active()] == NULL) {
            breakpoint_uninstall(bp);
            left -= UNINSTALL_UNITS;
        }
    }
    native_writes_end();
    change_now.rest = bp;
    if (bp != NULL)
        go_on_soon_with(uninstall);
    else
        go_on_with(consolidate);
}

static void take_unwanted_away(ProgressNode *node) {
    bool any = change_now.any_unwanted;
    change_now.rest = change_now.set;
    change_now.any_unwanted = false;
    if (any)
        uninstall(node);
    else
        consolidate(node);
}

static void reply(void) {
    thread_progress_enter();
    reply_to(take_asker());
    thread_progress_leave();
}

/* Of code that was replaced: what lingered for calls on their way goes now. */
static void retire_lingering(ProgressNode *node) {
    GenericBp *bp = change_now.rest;
    for (int left = PIECE; bp != NULL && left > 0; bp = bp->next)
        left -= drop_side(bp, bp_staging());
    change_now.rest = bp;
    if (bp != NULL) {
        go_on_soon_with(retire_lingering);
        return;
    }
    bp_commit();
    reply();
    go_on_with(take_unwanted_away);
}

bool pattern_set_settle(CodeAsker asker) {
    bool any = change_now.set != NULL, any_lingers = change_now.any_lingers;
    change_now.asker = asker;
    change_now.rest = change_now.set;
    change_now.any_unwanted = true;
    change_now.any_lingers = false;
    if (any_lingers)
        retire_lingering(&change_now.progress);
    else if (any)
        take_unwanted_away(&change_now.progress);
    return any; /* the permission may have been given back by now */
}

bool pattern_set_is_empty(void) { return change_now.set == NULL; }

static void commit(void) {
    forget_made();
    race_window("breakpoints are staged, and not yet active");
    bp_commit();
    go_on_with(take_unwanted_away);
}

bool pattern_set_commit(Term asker, uint64_t id, size_t matched) {
    if (change_now.set == NULL)
        return false;
    code_permission_pass_on();
    change_now.asker = (CodeAsker){asker, id, small_make((SWord)matched)};
    commit();
    return true;
}

static void stage_end(ProgressNode *node) {
    static PatternChange change = {.verb = PATTERN_OFF, .kinds = UINT32_MAX};
    change.session = change_now.ending;
    GenericBp *bp = change_now.rest;
    for (int left = PIECE; bp != NULL && left > 0; bp = breakpoint_following(bp)) {
        left -= LOOK_UNITS;
        if (entry_of(bp->data[bp_staging()], change.session) == NULL)
            continue;
        pattern_stage(bp, &change);
        left -= DROP_UNITS;
    }
    change_now.rest = bp;
    if (bp != NULL)
        go_on_soon_with(stage_end);
    else if (change_now.set != NULL)
        commit();
    else
        finish();
}

void pattern_end_session(TraceSession *session, void (*done)(TraceSession *session)) {
    call_count_drop(session->on_load.dropped);
    sum_drop(session->on_load.sum);
    session->on_load.dropped = NULL;
    session->on_load.sum = NULL;
    change_now.ending = session;
    change_now.done = done;
    change_now.rest = breakpoint_first();
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
        kinds &= ~(uint32_t)(BP_FIGURES | BP_SUM);
    o->kinds &= ~(kinds | (on ? pattern_opposite(change->kinds) : 0));
    o->kinds |= on ? kinds : 0;
    if (o->dropped == NULL && change->session->limit != NULL)
        o->dropped = call_count_create();
    if (kinds & BP_SUM) {
        sum_drop(o->sum);
        o->sum = on ? sum_create(change->session, &change->sum_form) : NULL;
        set_program(&o->sum_program, on ? change->program : NULL);
    }
    if (calls != 0)
        set_program(&o->program, on ? change->program : NULL);
    if ((kinds & BP_META) || (!on && (kinds & BP_GLOBAL))) {
        set_program(&o->meta_program, on ? change->program : NULL);
        tracer_drop(o->meta_tracer);
        o->meta_tracer = on ? tracer_keep(change->meta_tracer) : TRACER_NOBODY;
    }
}
