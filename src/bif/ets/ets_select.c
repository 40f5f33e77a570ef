/*
 * ets: walks with match specifications: select, match, match_object, select_count, select_delete, select_replace.
 *
 * Long walks go on in further slices through ets:internal_traverse/1, which gets all that the walk needs in one tuple:
 *   {Kind, Tid, Compiled, Position, Limit, List, Count, Reverse}
 * What select/3 returns to go on with has the form of the stock runtime, which ets:repair_continuation/2 takes apart:
 *   {Tab, Slot, Limit, Compiled, Rest, Count}                          hash
 *   {Tab, LastKey, [], Limit, Compiled, [], Reverse, 0}                ordered_set
 * Rest: [], or the Count results that did not fit: [These | Others], the same ones from both ends, each list as long at
 * least. Those in front of These come next, the last of them first; and then those in front of Others, by turns. So the
 * order is stock's, which turns the rest round each time, and nothing is copied but what comes.
 */
#include "bif/ets/ets.h"

#include "base/long_work.h"
#include "bif_table.h"
#include "ets/hash.h"
#include "ets/tables.h"
#include "ets/traverse.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

typedef struct {
    Traversal tr;
    Term table;    /* as the caller named it */
    Term compiled; /* NON_VALUE until somebody needs it */
    MatchSpec *spec;
    bool reverse;
    Term these, others; /* what did not fit */
    int64_t rest_count;
} Walk;

static Term small_list(Area *area, Term head) { return area_cons(area, head, NIL); }

#define FIRST_ROUND 1000 /* objects: after so many stock goes on as with a continuation */
#define UNITS_PER_RESULT 5 /* of long work, when it goes to another list */

/* The first *count of *list, the last first; both are what is left then. */
static Term take_reversed(Area *area, Term *list, int64_t *count) {
    Term result = NIL;
    unsigned left = LONG_WORK_ROUND;
    for (; *count > 0 && is_list(*list); --*count, *list = list_tail(*list)) {
        result = area_cons(area, list_head(*list), result);
        left = long_work_step(left, UNITS_PER_RESULT);
    }
    return result;
}

static Term reverse(Area *area, Term list) {
    int64_t all = INT64_MAX;
    return take_reversed(area, &list, &all);
}

/* The specification goes with the walk: freed at its end, or handed to a reference. */
static void keep_spec(Process *p, Walk *w) {
    if (!is_value(w->compiled)) {
        w->spec = match_spec_keep(w->spec);
        w->compiled = ets_compiled_make(p, w->spec);
    }
}

static void drop_spec(Walk *w) {
    if (!is_value(w->compiled))
        match_spec_free(w->spec);
}

static Term position(const Walk *w) {
    if (!table_is_tree(w->tr.table))
        return w->tr.bucket == NO_BUCKET ? small_make(-1) : small_make((SWord)w->tr.bucket);
    return w->tr.key;
}

static Term next_round(Process *p, Walk *w) {
    Area *area = process_area(p);
    keep_spec(p, w);
    Term key = position(w);
    Term fields[] = {
        small_make(w->tr.kind),
        table_tid(w->tr.table, area),
        w->compiled,
        is_value(key) ? small_list(area, key) : NIL,
        small_make(w->tr.limit),
        w->tr.list,
        small_make(w->tr.count),
        area_tuple3(area, bool_term(w->reverse), w->table, small_make(w->tr.looking_at)),
    };
    return ets_go_on(p, am_internal_traverse, area_tuple(area, fields, array_length(fields)));
}

/* {Results, Continuation}. */
static Term limited(Process *p, Walk *w, Term results, bool at_end) {
    Area *area = process_area(p);
    Traversal *tr = &w->tr;
    if (is_nil(results) && at_end) {
        drop_spec(w);
        return am_end_of_table;
    }
    Term continuation = am_end_of_table;
    if (table_is_tree(tr->table))
        results = reverse(area, results);
    if (at_end && w->rest_count == 0) {
        drop_spec(w);
        return area_tuple2(area, results, continuation);
    }
    keep_spec(p, w);
    if (table_is_tree(tr->table) && !at_end) {
        Term fields[] = {w->table,     tr->key, NIL, small_make(tr->limit), w->compiled, NIL, small_make(w->reverse),
                         small_make(0)};
        continuation = area_tuple(area, fields, array_length(fields));
    } else {
        Term rest = w->rest_count > 0 ? area_cons(area, w->these, w->others) : NIL;
        Term fields[] = {w->table,
                         at_end ? small_make(-1) : position(w),
                         small_make(tr->limit),
                         w->compiled,
                         rest,
                         small_make(w->rest_count)};
        continuation = area_tuple(area, fields, array_length(fields));
    }
    return area_tuple2(area, results, continuation);
}

/* What is too much for the limit (a bucket is taken whole) stays for the next time. */
static Term limit_results(Process *p, Walk *w, bool at_end) {
    Term results = w->tr.list;
    int64_t left = w->rest_count = w->tr.count > w->tr.limit ? w->tr.count - w->tr.limit : 0;
    Term as_found = take_reversed(process_area(p), &results, &left);
    bool is_first = w->tr.looked_at < FIRST_ROUND;
    w->these = is_first ? as_found : w->tr.list;
    w->others = is_first ? w->tr.list : as_found;
    return limited(p, w, results, at_end);
}

static Term finish(Process *p, Walk *w, bool at_end) {
    if (w->tr.fixed)
        tables_unfix(w->tr.table, p);
    if (w->tr.kind != TRAVERSE_SELECT) {
        drop_spec(w);
        return integer_from_int64(process_area(p), w->tr.count);
    }
    if (w->tr.limit >= 0)
        return limit_results(p, w, at_end);
    drop_spec(w);
    return w->tr.list;
}

static int64_t begin_round(Process *p, Walk *w) {
    w->tr.area = process_area(p);
    w->tr.process = p;
    w->tr.spec = w->spec;
    return w->tr.budget = p->reductions > 200 ? p->reductions : 200;
}

static Term walk_on(Process *p, Walk *w) {
    int64_t budget = begin_round(p, w);
    TraverseStatus status = traverse_run(&w->tr);
    process_bump(p, budget - w->tr.budget);
    switch (status) {
    case TRAVERSE_ROUND: return next_round(p, w);
    case TRAVERSE_GONE:
        if (w->tr.fixed)
            tables_unfix(w->tr.table, p);
        drop_spec(w);
        return ets_fail(p, am_id);
    default: return finish(p, w, status == TRAVERSE_DONE);
    }
}

Term ets_traverse_more(Process *p, const Term *a) {
    const Term *e = tuple_elements(a[0]);
    Walk w = {.table = tuple_elements(e[7])[1], .compiled = e[2], .spec = ets_compiled(e[2])};
    w.reverse = tuple_elements(e[7])[0] == am_true;
    Table *t = w.tr.table = (Table *)magic_ref_binary(e[1])->bytes;
    w.tr.fixed = true;
    w.tr.kind = (TraverseKind)small_value(e[0]);
    w.tr.key = NON_VALUE;
    if (is_list(e[3]) && table_is_tree(t))
        w.tr.key = list_head(e[3]);
    else if (is_list(e[3]))
        w.tr.bucket = (uint64_t)small_value(list_head(e[3]));
    w.tr.limit = small_value(e[4]);
    w.tr.up = w.tr.limit < 0 && w.tr.kind == TRAVERSE_SELECT ? w.reverse : !w.reverse;
    w.tr.list = e[5];
    w.tr.count = small_value(e[6]);
    w.tr.looked_at = w.tr.looking_at = small_value(tuple_elements(e[7])[2]);
    return walk_on(p, &w);
}

/* Starting */

#define TO_COMPILE 20 /* reductions */

static bool writes(const Walk *w) { return w->tr.kind == TRAVERSE_DELETE || w->tr.kind == TRAVERSE_REPLACE; }

static bool hold(Process *p, const Walk *w, HoldKind kind, Term key, Hold *hold) {
    return ets_hold(p, w->table, writes(w) ? ETS_WRITES : ETS_READS, kind, key, hold);
}

/* When all objects that can match have one key, the table is held once, with that. False: they have not, or another
 * table has got its name, or its place in memory. */
static bool walk_at_key(Process *p, Walk *w, Term *result) {
    Hold held;
    *result = NON_VALUE;
    w->tr.table = ets_find(p, w->table);
    if (w->tr.table == NULL)
        return true;
    uint32_t keypos = w->tr.table->keypos;
    Term key = traverse_only_key(&w->tr);
    if (!is_value(key))
        return false;
    if (!hold(p, w, writes(w) ? HOLD_WRITE : HOLD_READ, key, &held))
        return true;
    bool is_same = held.table == w->tr.table && held.table->keypos == keypos;
    if (is_same)
        traverse_held_key(&w->tr, &held);
    table_let_go(&held);
    if (is_same)
        *result = w->tr.kind == TRAVERSE_SELECT ? w->tr.list : integer_from_int64(process_area(p), w->tr.count);
    return is_same;
}

/* What needs no more of the table than that it is there: most of it is done before anything can collect. */
static Term walk_here(Process *p, Walk *w) {
    Hold held;
    Term result;
    int64_t budget = begin_round(p, w);
    process_bump(p, TO_COMPILE);
    if (walk_at_key(p, w, &result)) {
        process_bump(p, budget - w->tr.budget);
        match_spec_free(w->spec);
        return result;
    }
    if (!hold(p, w, HOLD_READ, NON_VALUE, &held)) {
        match_spec_free(w->spec);
        return NON_VALUE;
    }
    w->tr.table = held.table;
    table_let_go(&held);
    return walk_on(p, w);
}

static Term walk_checked(Process *p, Walk *w, Term spec, Term limit) {
    Hold held;
    if (!hold(p, w, HOLD_READ, NON_VALUE, &held))
        return NON_VALUE;
    Table *t = w->tr.table = held.table;
    if (is_value(limit) && !table_is_tree(t)) /* what goes on with it means this table, not another of its name */
        w->table = table_tid(t, process_area(p));
    table_let_go(&held);
    if (is_value(limit) && (!is_small(limit) || small_value(limit) < 1))
        return ets_badarg(p);
    if (w->tr.kind == TRAVERSE_REPLACE && (t->type == TABLE_BAG))
        return ets_fail(p, am_table_type);
    if (is_nil(spec)) /* here no clauses are a specification that nothing matches */
        return w->tr.kind != TRAVERSE_SELECT ? small_make(0) : is_value(limit) ? am_end_of_table : NIL;
    MatchVerdict verdict = match_spec_compile(spec, MATCH_TABLE, &w->spec, NULL);
    if (verdict != MATCH_GOOD)
        return ets_bad_spec(p, verdict);
    if (w->tr.kind == TRAVERSE_REPLACE && !match_spec_keeps_key(spec, t->keypos)) {
        match_spec_free(w->spec);
        return ets_badarg(p);
    }
    process_bump(p, TO_COMPILE);
    return walk_on(p, w);
}

static Term begin(Process *p, Term table, Term spec, TraverseKind kind, Term limit, bool reverse) {
    bool is_limited = is_value(limit);
    MatchRoom room;
    Walk w = {.table = table, .compiled = NON_VALUE, .reverse = reverse};
    w.tr = (Traversal){.kind = kind, .key = NON_VALUE, .list = NIL, .limit = is_small(limit) ? small_value(limit) : -1};
    /* Without a limit the list is built from its end: trees are walked against the order of the result. */
    w.tr.up = !is_limited && kind == TRAVERSE_SELECT ? reverse : !reverse;
    bool is_here = !is_limited && kind != TRAVERSE_REPLACE && !is_nil(spec);
    if (is_here && match_spec_compile_here(spec, &room, &w.spec) == MATCH_GOOD)
        return walk_here(p, &w);
    return walk_checked(p, &w, spec, limit); /* if it is no good, what is wrong with the table counts before that */
}

Term ets_select_2(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_SELECT, NON_VALUE, false); }
Term ets_select_3(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_SELECT, a[2], false); }
Term ets_select_reverse_2(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_SELECT, NON_VALUE, true); }
Term ets_select_reverse_3(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_SELECT, a[2], true); }
Term ets_select_count(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_COUNT, NON_VALUE, false); }
Term ets_select_delete(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_DELETE, NON_VALUE, false); }
Term ets_select_replace(Process *p, const Term *a) { return begin(p, a[0], a[1], TRAVERSE_REPLACE, NON_VALUE, false); }

/* [{Pattern, [], [Result]}] */
static Term pattern_spec(Process *p, Term pattern, Term result) {
    Area *area = process_area(p);
    return small_list(area, area_tuple3(area, pattern, NIL, small_list(area, result)));
}

Term ets_match_2(Process *p, const Term *a) {
    return begin(p, a[0], pattern_spec(p, a[1], am_match_variables), TRAVERSE_SELECT, NON_VALUE, false);
}
Term ets_match_3(Process *p, const Term *a) {
    return begin(p, a[0], pattern_spec(p, a[1], am_match_variables), TRAVERSE_SELECT, a[2], false);
}
Term ets_match_object_2(Process *p, const Term *a) {
    return begin(p, a[0], pattern_spec(p, a[1], am_match_object), TRAVERSE_SELECT, NON_VALUE, false);
}
Term ets_match_object_3(Process *p, const Term *a) {
    return begin(p, a[0], pattern_spec(p, a[1], am_match_object), TRAVERSE_SELECT, a[2], false);
}

/* Going on */

#define RESULTS_PER_REDUCTION 10

static bool take_position(Walk *w, Term slot) {
    if (!is_small(slot) || small_value(slot) < -1)
        return false;
    w->tr.bucket = slot == small_make(-1) ? NO_BUCKET : (uint64_t)small_value(slot);
    return true;
}

/* False: it is no continuation. */
static bool take_continuation(Process *p, const Term *e, size_t arity, Walk *w) {
    bool tree = arity == 8;
    Term limit = e[tree ? 3 : 2];
    *w = (Walk){.table = e[0], .compiled = e[tree ? 4 : 3]};
    w->spec = ets_compiled(w->compiled);
    if (!w->spec || !is_small(limit) || small_value(limit) < 1)
        return false;
    w->tr = (Traversal){.kind = TRAVERSE_SELECT, .key = NON_VALUE, .list = NIL, .limit = small_value(limit)};
    w->tr.looked_at = w->tr.looking_at = FIRST_ROUND;
    if (tree) {
        w->tr.key = e[1];
        w->reverse = e[6] == small_make(1);
        w->tr.up = !w->reverse;
        return true;
    }
    w->these = w->others = NIL;
    w->rest_count = is_small(e[5]) ? small_value(e[5]) : -1;
    if (is_list(e[4])) {
        w->these = list_head(e[4]);
        w->others = list_tail(e[4]);
    }
    return w->rest_count >= 0 && is_nil(e[4]) == (w->rest_count == 0) && take_position(w, e[1]);
}

/* Results that did not fit the last time come first. They may be enough; else those of a new walk follow. NON_VALUE
 * with *good: so it is. */
static Term use_rest(Process *p, Walk *w, bool *good) {
    Area *area = process_area(p);
    int64_t count = w->rest_count < w->tr.limit ? w->rest_count : w->tr.limit, left = count;
    Term rest = w->these, results = take_reversed(area, &rest, &left);
    w->these = w->others;
    w->others = rest;
    w->rest_count -= count;
    *good = left == 0;
    process_bump(p, count / RESULTS_PER_REDUCTION);
    if (*good && count == w->tr.limit)
        return limited(p, w, results, w->tr.bucket == NO_BUCKET);
    w->tr.list = results;
    w->tr.count = count;
    return NON_VALUE;
}

Term ets_select_1(Process *p, const Term *a) {
    Walk w;
    Hold hold;
    if (a[0] == am_end_of_table)
        return am_end_of_table;
    bool is_tree = is_tuple_arity(a[0], 8);
    if (!is_tuple(a[0]) || tuple_arity(a[0]) == 0)
        return ets_badarg(p);
    if (!ets_find(p, tuple_elements(a[0])[0]))
        return NON_VALUE;
    if (!is_tree && !is_tuple_arity(a[0], 6))
        return ets_badarg(p);
    if (!take_continuation(p, tuple_elements(a[0]), is_tree ? 8 : 6, &w))
        return ets_badarg(p);
    if (!ets_hold(p, w.table, ETS_READS, HOLD_READ, NON_VALUE, &hold))
        return NON_VALUE;
    table_let_go(&hold);
    w.tr.table = hold.table;
    if (is_tree != table_is_tree(hold.table) && (is_tree || w.tr.bucket != NO_BUCKET))
        return ets_badarg(p);
    bool good = true;
    Term result = is_tree ? NON_VALUE : use_rest(p, &w, &good);
    if (!good)
        return ets_badarg(p);
    return is_value(result) ? result : walk_on(p, &w);
}
