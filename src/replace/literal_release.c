#include "replace/literal_release.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "heap/literal_copy.h"
#include "process/request.h"
#include "replace/system_process.h"
#include "sys/thread.h"
#include "term/atom.h"

static Mutex lock = MUTEX_INITIALIZER(LOCK_LITERAL_RELEASE);
static LiteralArea *first, *last, *taken;

void literal_release(LiteralArea *la) {
    mutex_lock(&lock);
    la->next = NULL;
    *(first == NULL ? &first : &last->next) = la;
    last = la;
    mutex_unlock(&lock);
    Term collector = system_process_of(am_erts_literal_area_collector);
    if (!is_value(collector))
        return;
    Message *m = message_create(am_copy_literals, NON_VALUE, NIL);
    if (!signal_send(collector, &m->signal))
        message_free(m);
}

LiteralArea *literal_release_take(void) {
    mutex_lock(&lock);
    require(taken == NULL);
    taken = first;
    if (first != NULL)
        first = first->next;
    mutex_unlock(&lock);
    return taken;
}

void literal_released(void) {
    mutex_lock(&lock);
    LiteralArea *la = taken;
    taken = NULL;
    mutex_unlock(&lock);
    race_window("nobody refers to literals, and they are there");
    literal_area_free(la);
}

void literal_release_each(Term owner, void (*each)(const LiteralArea *, void *), void *data) {
    mutex_lock(&lock);
    if (taken != NULL && taken->owner == owner)
        each(taken, data);
    for (const LiteralArea *la = first; la != NULL; la = la->next)
        if (la->owner == owner)
            each(la, data);
    mutex_unlock(&lock);
}

/* The answer of a request that it has not taken yet. */
static bool answer_refers(const Process *p, LiteralRange range) {
    const Request *r = p->request;
    if (r == NULL || !r->is_answered)
        return false;
    if (literal_refers_words(&r->answer, 1, range))
        return true;
    return r->data != NULL && literal_refers_objects(r->data->words, r->data->used, range);
}

static void answer_copy(Request *r) {
    Kept own = kept_make(r->answer);
    fragments_free(r->data);
    r->answer = own.own;
    r->data = own.data;
}

typedef struct {
    LiteralRange range;
    bool found;
} Search;

static void search(Heap *heap, Rootset *roots, void *data) {
    Search *s = data;
    s->found = literal_refers(heap, roots, s->range);
}

static void replace(Heap *heap, Rootset *roots, void *data) { literal_copy(heap, roots, ((Search *)data)->range); }

#define UNITS_PER_MESSAGE 20

bool process_refers_to_literals(Process *p, LiteralRange range) {
    LONG_WORK_OPEN;
    if (answer_refers(p, range))
        return true;
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        long_work_count(UNITS_PER_MESSAGE);
        if (!m->is_in_heap && message_refers(m, range))
            return true;
    }
    Search s = {.range = range};
    process_with_roots(p, p->saved, p->arity, search, &s);
    return s.found;
}

static void let_go(Process *p, LiteralRange range) {
    if (answer_refers(p, range))
        answer_copy(p->request);
    for (Message *m = p->messages; m != NULL; m = (Message *)m->signal.next)
        if (!m->is_in_heap && message_refers(m, range))
            message_force_in(p, m);
    Search s = {.range = range};
    long_work_open();
    process_with_roots(p, p->saved, p->arity, replace, &s);
    long_work_close();
    process_collect_saved(p, COLLECT_MAJOR);
}

#define WORDS_PER_REDUCTION 200

static Term run(Process *p, SystemTask *task) {
    LiteralRange range = literal_leaving_now();
    process_bump(p, (int64_t)(heap_total_words(&p->heap) / WORDS_PER_REDUCTION) + 1);
    race_window("a process is asked after literals");
    if (!process_refers_to_literals(p, range))
        return am_ok;
    if (task->argument == am_init)
        return am_need_gc;
    let_go(p, range);
    return am_ok;
}

const SystemTaskKind system_task_copy_literals = {.run = run, .refusal = am_ok};
