#include "trace/bp_data.h"

#include <string.h>

#include "alloc/alloc.h"
#include "trace/session_table.h"

static MetaTracer *meta_create(Tracer tracer) {
    MetaTracer *m = mem_calloc(ALLOC_TRACE, sizeof *m);
    atomic_init(&m->references, 1);
    m->tracer = tracer_keep(tracer);
    return m;
}

static void meta_drop(MetaTracer *m) {
    if (m == NULL || atomic_fetch_sub_explicit(&m->references, 1, memory_order_acq_rel) > 1)
        return;
    tracer_drop(m->tracer);
    mem_free(ALLOC_TRACE, m);
}

/* All kinds of counted parts begin with their count. */
static void keep_counted(void *part) {
    if (part != NULL)
        atomic_fetch_add_explicit((_Atomic size_t *)part, 1, memory_order_relaxed);
}
_Static_assert(offsetof(CallCount, references) == 0 && offsetof(MetaTracer, references) == 0 &&
                   offsetof(CallCost, references) == 0 && offsetof(CallSum, references) == 0,
               "counted parts");

static void entry_keep(const BpEntry *e) {
    trace_session_keep(e->session);
    program_keep(e->program);
    program_keep(e->meta_program);
    keep_counted(e->meta);
    keep_counted(e->count);
    keep_counted(e->time);
    keep_counted(e->memory);
    keep_counted(e->dropped);
    keep_counted(e->sum);
    program_keep(e->sum_program);
}

static void entry_release(const BpEntry *e) {
    sum_drop(e->sum);
    program_drop(e->sum_program);
    trace_session_release(e->session);
    program_drop(e->program);
    program_drop(e->meta_program);
    meta_drop(e->meta);
    call_count_drop(e->count);
    cost_drop(e->time);
    cost_drop(e->memory);
    call_count_drop(e->dropped);
}

static void drop_cost(CallCost **cost) {
    cost_drop(*cost);
    *cost = NULL;
}

/* Local and global trace share a program: it goes with the one that is on. */
static void turn_off(BpEntry *e, uint32_t kinds) {
    if (kinds & e->kinds & (BP_LOCAL | BP_GLOBAL)) {
        program_drop(e->program);
        e->program = NULL;
    }
    if (kinds & BP_META) {
        program_drop(e->meta_program);
        e->meta_program = NULL;
        meta_drop(e->meta);
        e->meta = NULL;
    }
    if (kinds & BP_COUNT) {
        call_count_drop(e->count);
        e->count = NULL;
    }
    if (kinds & BP_TIME)
        drop_cost(&e->time);
    if (kinds & BP_MEMORY)
        drop_cost(&e->memory);
    if (kinds & BP_SUM) {
        sum_drop(e->sum);
        program_drop(e->sum_program);
        e->sum = NULL;
        e->sum_program = NULL;
    }
    e->kinds &= ~kinds;
}

static void begin_count(CallCount **count) {
    if (*count == NULL)
        *count = call_count_create();
    else
        call_count_restart(*count);
}

static void begin_cost(CallCost **cost) {
    if (*cost == NULL) {
        *cost = cost_create();
        return;
    }
    cost_restart(*cost);
    atomic_store_explicit(&(*cost)->is_paused, false, memory_order_relaxed);
}

/* Those that are there begin anew. */
static void begin_figures(BpEntry *e, uint32_t kinds) {
    if (kinds & BP_COUNT)
        begin_count(&e->count);
    if (kinds & BP_TIME)
        begin_cost(&e->time);
    if (kinds & BP_MEMORY)
        begin_cost(&e->memory);
}

static void pause_figures(BpEntry *e, uint32_t kinds) {
    if ((kinds & BP_COUNT) && e->count != NULL)
        atomic_store_explicit(&e->count->is_paused, true, memory_order_relaxed);
    if ((kinds & BP_TIME) && e->time != NULL)
        atomic_store_explicit(&e->time->is_paused, true, memory_order_relaxed);
    if ((kinds & BP_MEMORY) && e->memory != NULL)
        atomic_store_explicit(&e->memory->is_paused, true, memory_order_relaxed);
}

static void set_dropped(BpEntry *e, CallCount *dropped) {
    call_count_drop(e->dropped);
    keep_counted(dropped);
    e->dropped = dropped;
}

static void turn_on(BpEntry *e, const PatternChange *change) {
    turn_off(e, change->kinds & ~(uint32_t)BP_FIGURES);
    if (change->kinds & BP_TELLS)
        set_dropped(e, change->dropped);
    if (change->kinds & (BP_LOCAL | BP_GLOBAL))
        e->program = program_keep(change->program);
    if (change->kinds & BP_META) {
        e->meta_program = program_keep(change->program);
        e->meta = meta_create(change->meta_tracer);
    }
    if (change->kinds & BP_SUM) {
        keep_counted(change->sum);
        e->sum = change->sum;
        e->sum_program = program_keep(change->program);
    }
    begin_figures(e, change->kinds & BP_FIGURES);
    e->kinds |= change->kinds;
}

static void begin_missing(BpEntry *e, uint32_t figures, bool all) {
    begin_figures(e, all ? figures : figures & ~e->kinds);
    e->kinds |= figures;
}

/* What stock makes of `pause` and `restart`: they are `true` to the kinds that have no figures, and where a function is
 * traced at all, figures that are missing appear, and are not paused. */
static void alter(BpEntry *e, const PatternChange *change) {
    switch (change->verb) {
    case PATTERN_ON: turn_on(e, change); break;
    case PATTERN_OFF: turn_off(e, change->kinds); break;
    case PATTERN_PAUSE:
    case PATTERN_RESTART:
        if (change->kinds & BP_SUM) { /* alone; none begins */
            if (e->sum != NULL && change->verb == PATTERN_PAUSE)
                sum_pause(e->sum);
            else if (e->sum != NULL)
                sum_restart(e->sum);
            break;
        }
        turn_on(e, &(PatternChange){.kinds = change->kinds & ~(uint32_t)BP_FIGURES,
                                    .meta_tracer = change->meta_tracer,
                                    .dropped = change->dropped});
        if (e->kinds == 0)
            break;
        if (change->verb == PATTERN_PAUSE)
            pause_figures(e, change->kinds);
        begin_missing(e, change->kinds & BP_FIGURES, change->verb == PATTERN_RESTART);
    }
}

/* A new one comes first; there is room for it. */
static BpEntry *entry_of(BpData *data, TraceSession *session) {
    for (uint32_t i = 0; i < data->count; i++)
        if (data->entry[i].session == session)
            return &data->entry[i];
    memmove(data->entry + 1, data->entry, data->count++ * sizeof data->entry[0]);
    trace_session_keep(session);
    data->entry[0] = (BpEntry){.session = session};
    return &data->entry[0];
}

/* With room for `more`. */
static BpData *data_copy(const BpData *before, bool (*chosen)(const BpEntry *e), uint32_t more) {
    uint32_t count = before != NULL ? before->count : 0;
    BpData *data = mem_alloc(ALLOC_TRACE, sizeof *data + (count + more) * sizeof data->entry[0]);
    *data = (BpData){.breakpoints = 1};
    for (uint32_t i = 0; i < count; i++)
        if (chosen(&before->entry[i])) {
            data->entry[data->count++] = before->entry[i];
            entry_keep(&before->entry[i]);
        }
    return data;
}

static bool any_entry(const BpEntry *e) { return true; }
static bool stays(const BpEntry *e) { return e->session->keeps_on_reload && !trace_session_is_over(e->session); }

static bool lingers(const BpEntry *e) {
    return (e->session->keeps_on_reload || e->session->on_load.kinds != 0) && !trace_session_is_over(e->session);
}

static void remove_empty(BpData *data) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < data->count; i++) {
        if (data->entry[i].kinds != 0)
            data->entry[kept++] = data->entry[i];
        else
            entry_release(&data->entry[i]);
    }
    data->count = kept;
}

/* NULL: more is wanted than to count up one word. */
static CallCount *only_count(const BpEntry *e) {
    if (e->kinds == BP_SUM && e->sum_program == NULL)
        return e->sum->count;
    return e->kinds == BP_COUNT ? e->count : NULL;
}

/* NULL in the place of data without entries. */
static BpData *data_finished(BpData *data) {
    remove_empty(data);
    if (data->count == 0) {
        mem_free(ALLOC_TRACE, data);
        return NULL;
    }
    for (uint32_t i = 0; i < data->count; i++)
        data->kinds |= data->entry[i].kinds;
    data->head.count = data->count == 1 ? only_count(&data->entry[0]) : NULL;
    data->head.flagged_only = !(data->kinds & (BP_META | BP_COUNT | BP_SUM | BP_DEBUG));
    data->head.is_debugged = (data->kinds & BP_DEBUG) != 0;
    return data;
}

/* Saves a copy that would be thrown away. */
static bool leaves_nothing(const BpData *before, const PatternChange *change) {
    if (change->verb != PATTERN_OFF || before == NULL)
        return change->verb == PATTERN_OFF;
    const BpEntry *e = before->entry;
    return before->count == 1 && e->session == change->session && (e->kinds & ~change->kinds) == 0;
}

BpData *bp_data_changed(const BpData *before, const PatternChange *change) {
    if (leaves_nothing(before, change))
        return NULL;
    BpData *data = data_copy(before, any_entry, 1);
    alter(entry_of(data, change->session), change);
    return data_finished(data);
}

BpData *bp_data_kept(const BpData *before) { return data_finished(data_copy(before, stays, 0)); }
BpData *bp_data_lingering(const BpData *before) { return data_finished(data_copy(before, lingers, 0)); }

static void begin_as_wanted(BpData *data, TraceSession *s, uint32_t kinds) {
    const OnLoad *o = &s->on_load;
    const PatternChange changes[] = {{.kinds = ~(uint32_t)(BP_META | BP_SUM), .program = o->program},
                                     {.kinds = BP_META, .program = o->meta_program, .meta_tracer = o->meta_tracer},
                                     {.kinds = BP_SUM, .program = o->sum_program, .sum = o->sum}};
    for (size_t i = 0; i < array_length(changes); i++) {
        PatternChange c = changes[i];
        c.session = s;
        c.dropped = o->dropped;
        c.kinds &= o->kinds & kinds;
        if (c.kinds != 0)
            alter(entry_of(data, s), &c);
    }
}

/* To what is wanted of code that is loaded. */
static void give_way(BpData *data) {
    for (BpEntry *e = data->entry; e < data->entry + data->count; e++)
        if (e->session->on_load.kinds != 0)
            turn_off(e, e->kinds & pattern_opposite(e->session->on_load.kinds));
}

/* Under the permission no session begins to want something. */
static uint32_t sessions_that_want(uint32_t kinds) {
    uint32_t count = 0;
    for (const TraceSession *s = trace_sessions_first(); s != NULL; s = trace_sessions_next(s))
        count += (s->on_load.kinds & kinds) != 0;
    return count;
}

BpData *bp_data_of_new_code(const BpData *before, uint32_t kinds) {
    BpData *data = data_copy(before, stays, sessions_that_want(kinds));
    give_way(data);
    for (TraceSession *s = trace_sessions_first(); s != NULL; s = trace_sessions_next(s))
        if (s->on_load.kinds & kinds)
            begin_as_wanted(data, s, kinds);
    return data_finished(data);
}

bool bp_data_is_for_one(const PatternChange *change) {
    return change->verb != PATTERN_OFF && (change->kinds & (BP_META | BP_FIGURES)) != 0;
}

BpData *bp_data_keep(BpData *data) {
    if (data != NULL)
        data->breakpoints++;
    return data;
}

void bp_data_drop(BpData *data) {
    if (data == NULL || --data->breakpoints > 0)
        return;
    for (uint32_t i = 0; i < data->count; i++)
        entry_release(&data->entry[i]);
    mem_free(ALLOC_TRACE, data);
}
