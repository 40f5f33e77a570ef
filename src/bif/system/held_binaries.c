/*
 * Who holds large binaries, for lib/see/viv_see_binaries.erl: what of it must be native. Whoever rests is looked at
 * where he stands, unless that would take long; others are asked.
 */
#include "bif/argument.h"
#include "bif/data/persistent_term.h"
#include "bif/ets/ets.h"
#include "bif/process/process_info.h"
#include "bif_table.h"
#include "ets/tables.h"
#include "ets/traverse.h"
#include "heap/literal.h"
#include "process/binaries.h"
#include "process/process_table.h"
#include "process/request.h"
#include "process/rest.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

/* As much as is looked at in a slice besides others. */
#define REFERENCES_MOST 4096
#define WORDS_MOST 16384
#define ROWS_MOST 200
#define OBJECTS_AT_ONCE 1000

/* --- processes --- */

static Term share_item(const Subject *s) {
    BinaryShare sum;
    (void)binaries_share(s->p, &sum, UINT64_MAX - 1);
    return binary_share_term(&sum, s->area);
}

static bool look_at_share(Process *p, const void *data) {
    return !binaries_share(p, *(BinaryShare *const *)data, REFERENCES_MOST);
}

/* binaries(Pid) -> {Share, References, Largest} | undefined, of one who is not the caller */
Term viv_see_binaries_1(Process *p, const Term *a) {
    BinaryShare sum, *to = &sum;
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!is_local_pid(a[0]) || a[0] == p->pid)
        return is_earlier_pid(a[0]) ? am_undefined : fail_badarg(p);
    Process *other = process_find(a[0]);
    if (other != NULL && rest_look(other, look_at_share, &to))
        return binary_share_term(&sum, process_area(p));
    return process_info_ask(p, a[0], share_item);
}

typedef struct {
    size_t rows;
    Area *area; /* the asker's */
    Term *answer;
} Look;

static bool look_at_binaries(Process *p, const void *data) {
    const Look *look = data;
    if (binaries_words(p) > WORDS_MOST)
        return true;
    *look->answer = binaries_of(p, look->rows, look->area);
    return false;
}

/* ask_binaries(Pid, Id, Rows) -> Answer, or asked: then the caller is sent {binaries, Id, Answer}. Answer is undefined,
 * or what binaries_of says. */
Term viv_see_ask_binaries_3(Process *p, const Term *a) {
    if (!is_local_pid(a[0]) || a[0] == p->pid || !is_small_within(a[2], 0, ROWS_MOST))
        return is_earlier_pid(a[0]) ? am_undefined : fail_badarg(p);
    Term answer;
    Look look = {(size_t)small_value(a[2]), process_area(p), &answer};
    Process *other = process_find(a[0]);
    if (other == NULL)
        return am_undefined;
    if (rest_look(other, look_at_binaries, &look))
        return answer;
    Priority priority = process_priority(p);
    system_task_send(a[0], system_task_create(&system_task_binaries, priority, p->pid, am_binaries, a[1], a[2]));
    return am_asked;
}

/* --- tables --- */

static void visit(const Object *o, void *data) { (void)binaries_share_add(data, o->off_heap, UINT64_MAX - 1); }

static bool take_position(const Table *t, Term position, Traversal *tr) {
    tr->fixed = position != am_start;
    if (!tr->fixed)
        return true;
    if (table_is_tree(t)) {
        tr->key = is_list(position) ? list_head(position) : NON_VALUE;
        return is_list(position);
    }
    tr->bucket = is_small_within(position, 1, SMALL_MAX) ? (uint64_t)small_value(position) : 0;
    return tr->bucket != 0;
}

static Term position_of(const Traversal *tr) {
    return table_is_tree(tr->table) ? area_cons(tr->area, tr->key, NIL) : small_make((SWord)tr->bucket);
}

/* table_binaries(Tid, Position) -> {Next, {Share, References, Largest}} | undefined: of some more of its objects.
 * Position is start, and then Next, until that is done; in between the table is fixed by the caller. It may be
 * any table: nothing of what it holds is told. */
Term viv_see_table_binaries_2(Process *p, const Term *a) {
    Hold hold;
    if (is_atom(a[0]) || !ets_hold_unchecked(p, a[0], HOLD_READ, NON_VALUE, &hold))
        return is_atom(a[0]) ? fail_badarg(p) : am_undefined;
    BinaryShare sum = {0};
    Traversal tr = {.table = hold.table,
                    .kind = TRAVERSE_VISIT,
                    .visit = visit,
                    .data = &sum,
                    .area = process_area(p),
                    .process = p,
                    .limit = -1,
                    .budget = OBJECTS_AT_ONCE,
                    .key = NON_VALUE,
                    .up = true};
    table_let_go(&hold);
    if (!take_position(tr.table, a[1], &tr))
        return fail_badarg(p);
    TraverseStatus status = traverse_run(&tr);
    process_bump(p, OBJECTS_AT_ONCE - tr.budget);
    if (status != TRAVERSE_ROUND && tr.fixed)
        tables_unfix(tr.table, p);
    if (status == TRAVERSE_GONE)
        return am_undefined;
    Term next = status == TRAVERSE_ROUND ? position_of(&tr) : am_done;
    return area_tuple2(process_area(p), next, binary_share_term(&sum, process_area(p)));
}

/* --- persistent terms --- */

static void add_area(const Term *key, const Term *value, const LiteralArea *area, void *data) {
    (void)binaries_share_add(data, area->area.off_heap, UINT64_MAX - 1);
}

/* persistent_binaries() -> {Share, References, Largest} */
Term viv_see_persistent_binaries_0(Process *p, const Term *a) {
    BinaryShare sum = {0};
    persistent_term_each(add_area, &sum);
    return binary_share_term(&sum, process_area(p));
}
