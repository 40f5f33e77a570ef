/*
 * Preparing, finishing and deleting modules.
 *
 * Source: the calls that the stock code server makes; erlang(3) delete_module/1, check_old_code/1; answers of OTP 25.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "base/thread_progress.h"
#include "bif/argument.h"
#include "bif/code/code_info.h"
#include "bif/code/prepared.h"
#include "bif_table.h"
#include "loader/prepare.h"
#include "process/permission.h"
#include "process/report.h"
#include "process/request.h"
#include "replace/code_permission.h"
#include "sched/scheduler.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/print.h"

static void report_refusal(Process *p, Term module, const char *detail) {
    TEXT(text);
    text_format(&text, "Error loading module ");
    print_term(&text, module);
    text_format(&text, ":\n  %s\n", detail);
    thread_progress_enter();
    report_text(p, text_cstring(&text));
    thread_progress_leave();
}

static Term prepare(Process *p, const Term *a) {
    size_t size;
    uint8_t *copy;
    char detail[200];
    const uint8_t *bytes = binary_bytes(a[1], &size, &copy);
    ModuleInstance *instance = module_prepare(a[0], bytes, size, detail, sizeof detail);
    mem_free(ALLOC_TEMP, copy);
    if (instance == NULL) {
        report_refusal(p, a[0], detail);
        return area_tuple2(process_area(p), am_error, am_badfile);
    }
    return prepared_new(p, instance);
}

/* As many at once as there are schedulers: the others wait as processes. Each would have a thread that waits for its
 * turn (sched/work_turn.h), with memory of its own; a node that starts has a hundred modules prepared at once. */
#define TURNS_MAX 64
static bool take_turn(Process *p) {
    static Permission turns[TURNS_MAX];
    unsigned schedulers = schedulers_options()->schedulers;
    return permission_take_one_of(turns, schedulers < TURNS_MAX ? schedulers : TURNS_MAX, p);
}

/* No dirty thread is asked: natives may keep those for as long as they like, and code must be there nevertheless. What
 * is looked up in shared tables is entered there. */
static Term prepare_long(Process *p, const Term *a, size_t size) {
    if (!take_turn(p))
        return NON_VALUE;
    LONG_WORK_OPEN;
    long_work_exceeded(); /* before it begins, whatever is left of the slice's units */
    long_work_count((int64_t)size * CODE_UNITS_PER_BYTE);
    return prepare(p, a);
}

Term erts_internal_prepare_loading_2(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !is_binary(a[1]))
        return fail_badarg(p);
    size_t size = code_bytes_to_read(a[1]);
    if (size > CODE_BYTES_AT_ONCE)
        return prepare_long(p, a, size);
    process_bump(p, (int64_t)(size / CODE_BYTES_PER_REDUCTION));
    return prepare(p, a);
}

Term erlang_has_prepared_code_on_load_1(Process *p, const Term *a) {
    Prepared *prepared = prepared_of(a[0]);
    return prepared != NULL ? bool_term(prepared_waits_for_on_load(prepared)) : fail_badarg(p);
}

/* A list of prepared code that is to be finished at once. */
typedef struct {
    Prepared **items; /* ALLOC_TEMP */
    size_t count;
} Batch;

/* False: it is something else; p->fail says what. Nothing is changed. */
static bool batch_init(Batch *b, Process *p, Term list) {
    int64_t length = list_length(list);
    *b = (Batch){0};
    bool on_load = false;
    for (Term t = list; is_list(t); t = list_tail(t)) {
        Prepared *prepared = prepared_of(list_head(t));
        if (prepared == NULL || prepared_was_finished(prepared))
            length = -1;
        else
            on_load |= prepared_waits_for_on_load(prepared);
    }
    if (length < 0)
        return is_value(fail_badarg(p));
    if (length > 1 && on_load)
        return is_value(fail_system_limit(p));
    b->items = mem_alloc(ALLOC_TEMP, ((size_t)length + 1) * sizeof b->items[0]);
    for (Term t = list; is_list(t); t = list_tail(t))
        b->items[b->count++] = prepared_of(list_head(t));
    return true;
}

static void batch_release(Batch *b) { mem_free(ALLOC_TEMP, b->items); }

/* So many changes are staged with the scheduler kept: well below the length of a slice. More are long work. */
#define CHANGES_AT_ONCE 4000

/* Others may finish or load something meanwhile: it is a guess. */
static bool batch_is_large(const Batch *b) {
    size_t changes = code_stage_debt();
    for (size_t i = 0; i < b->count && changes <= CHANGES_AT_ONCE; i++)
        changes += b->items[i]->export_count;
    return changes > CHANGES_AT_ONCE;
}

static bool is_seen(Module *m, uint64_t number) {
    bool seen = m->seen_in == number;
    m->seen_in = number;
    return seen;
}

/* In the way of a list: {duplicated, Modules}: those that come once more behind; {not_purged, Modules}: there is old
 * code, or code whose on_load function is awaited by another. NON_VALUE: nothing is. */
static Term batch_obstacle(Process *p, const Batch *b) {
    static uint64_t batch_number;
    Area *area = process_area(p);
    Term duplicates = NIL, not_purged = NIL;
    batch_number++;
    for (size_t i = 0; i < b->count; i++) { /* both lists end with what comes first, as stock */
        Module *m = module_put(b->items[i]->module);
        if (is_seen(m, batch_number))
            duplicates = area_cons(area, m->name, duplicates);
        bool old = m->old != NULL && module_current(m) != NULL;
        bool other = prepared_is_awaited(m) && m->pending != prepared_instance(b->items[i]);
        if (old || other)
            not_purged = area_cons(area, m->name, not_purged);
    }
    if (duplicates != NIL)
        return area_tuple2(area, am_duplicated, duplicates);
    return not_purged != NIL ? area_tuple2(area, am_not_purged, not_purged) : NON_VALUE;
}

/* To who finishes it; also when it was begun, and its function has not returned yet. */
static bool is_spent(const Prepared *prepared) {
    return prepared_instance(prepared) == NULL || (prepared_is_begun(prepared) && prepared_waits_for_on_load(prepared));
}

static bool batch_is_spent(const Batch *b) {
    for (size_t i = 0; i < b->count; i++)
        if (is_spent(b->items[i]))
            return true;
    return false;
}

static void stage_batch(const Batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        ModuleInstance *instance = prepared_instance(b->items[i]);
        prepared_spend(b->items[i]);
        if (prepared_waits_for_on_load(b->items[i]))
            code_stage_pending(instance);
        else
            code_stage_instance(instance);
    }
}

/* With the permission. Everything that can be refused is refused before the first change. */
static Term publish(Process *p, const Batch *b) {
    if (batch_is_spent(b))
        return fail_badarg(p);
    Term obstacle = batch_obstacle(p, b);
    if (is_value(obstacle))
        return obstacle;
    race_window("a batch is checked, and not yet staged");
    code_stage_begin();
    stage_batch(b);
    race_window("a batch is staged, and not yet active");
    code_commit();
    if (!prepared_waits_for_on_load(b->items[0]))
        return code_permission_release_answering(p, am_ok);
    code_permission_release_later();
    Area *area = process_area(p);
    return area_tuple2(area, am_on_load, area_cons(area, b->items[0]->module, NIL));
}

Term erlang_finish_loading_1(Process *p, const Term *a) {
    Batch b;
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!batch_init(&b, p, a[0]))
        return NON_VALUE;
    result = NON_VALUE;
    if (b.count == 0) {
        result = am_ok;
    } else if (code_permission_take(p)) {
        if (batch_is_large(&b))
            long_work_exceeded();
        result = publish(p, &b);
    }
    batch_release(&b);
    return result;
}

Term erlang_check_old_code_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    Module *m = module_find(a[0]);
    return bool_term(m != NULL && module_old(m) != NULL);
}

static Term delete_module(Process *p, Module *m) {
    if (!m->was_staged)
        return am_undefined;
    if (m->old != NULL) {
        code_permission_release();
        TEXT(text);
        text_format(&text, "Module ");
        print_term(&text, m->name);
        text_format(&text, " must be purged before deleting\n");
        report_text(p, text_cstring(&text));
        return fail_badarg(p);
    }
    code_stage_begin();
    code_stage_delete(m);
    code_commit();
    return code_permission_release_answering(p, am_true);
}

Term erlang_delete_module_1(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!is_atom(a[0]))
        return fail_badarg(p);
    Module *m = module_find(a[0]);
    if (m == NULL)
        return am_undefined;
    return code_permission_take(p) ? delete_module(p, m) : NON_VALUE;
}
