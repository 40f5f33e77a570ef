#include "replace/asked.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/bounds.h"
#include "process/process_table.h"
#include "replace/system_process.h"
#include "term/atom.h"

#define SLOTS_AT_ONCE 16384
#define WORDS_PER_REDUCTION 64
#define REDUCTIONS_PER_LOOK 4
#define UNITS_PER_PID 10 /* of long work */

typedef struct {
    bool is_begun;
    AskedAbout about;
    size_t slot, end; /* whom it has not come to */
    Term *pids;
    size_t count, capacity;
} Asked;

static Asked of_purger, of_collector;

static Asked *asked_of(const Process *p) {
    if (likely(!p->is_system))
        return NULL;
    return system_process_is(p, am_erts_code_purger)              ? &of_purger
           : system_process_is(p, am_erts_literal_area_collector) ? &of_collector
                                                                  : NULL;
}

void asked_begin(Process *p, const AskedAbout *about) {
    Asked *a = asked_of(p);
    require(!a->is_begun);
    *a = (Asked){.is_begun = true, .about = *about, .end = process_table_used()};
}

static void add(Asked *a, Term pid) {
    if (a->count == a->capacity) {
        a->capacity = 2 * a->capacity + 64;
        a->pids = mem_realloc(ALLOC_TEMP, a->pids, a->capacity * sizeof *a->pids);
    }
    a->pids[a->count++] = pid;
}

static void look_at(Asked *a, Process *p) {
    if (p != NULL && !process_has_let_go(p) && !rest_look(p, a->about.look, a->about.data))
        add(a, p->pid);
}

bool asked_go_on(Process *p) {
    Asked *a = asked_of(p);
    while (a->slot < a->end && p->reductions > 0) {
        size_t stop = a->end - a->slot > SLOTS_AT_ONCE ? a->slot + SLOTS_AT_ONCE : a->end;
        size_t looked = 0, found = bounds_find(a->slot, stop, a->about.born, &looked);
        process_bump(p, (int64_t)looked / WORDS_PER_REDUCTION + REDUCTIONS_PER_LOOK);
        a->slot = found;
        if (found < stop)
            look_at(a, process_table_at(a->slot++));
    }
    return a->slot == a->end;
}

Term asked_list(Process *p) {
    Asked *a = asked_of(p);
    Term list = NIL;
    if (a == NULL || !a->is_begun || a->slot < a->end)
        return NON_VALUE;
    LONG_WORK_OPEN;
    unsigned left = LONG_WORK_ROUND;
    for (size_t i = a->count; i-- > 0;) {
        left = long_work_step(left, UNITS_PER_PID);
        list = area_cons(process_area(p), a->pids[i], list);
    }
    long_work_rest(left, UNITS_PER_PID);
    process_bump(p, (int64_t)a->count / 10);
    asked_end(p);
    return list;
}

void asked_end(Process *p) {
    Asked *a = asked_of(p);
    mem_free(ALLOC_TEMP, a->pids);
    *a = (Asked){0};
}
