#include "replace/literal_release.h"

#include <stdlib.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "process/dirty_end.h"
#include "process/request.h"
#include "replace/system_process.h"
#include "sys/thread.h"
#include "term/atom.h"

#define UNITS_PER_AREA 1000 /* of long work: to mark it, and to free it */

static Mutex lock = MUTEX_INITIALIZER(LOCK_LITERAL_RELEASE);
static LiteralAreas waiting, held;
static bool is_told;          /* the collector: it has not found the queue empty since */
static bool a_holder_has_left; /* since the last batch was taken */
static struct {
    LiteralArea **areas; /* by address */
    size_t count;
    Birth oldest; /* the collector's own */
} batch;
static _Atomic LiteralRange marked; /* covers the batch and what is held; written by the collector */

void literal_areas_add(LiteralAreas *to, LiteralArea *la) {
    la->next = NULL;
    *(to->first == NULL ? &to->first : &to->last->next) = la;
    to->last = la;
    to->count++;
}

void literal_areas_move(LiteralAreas *to, LiteralAreas *from) {
    if (from->first == NULL)
        return;
    *(to->first == NULL ? &to->first : &to->last->next) = from->first;
    to->last = from->last;
    to->count += from->count;
    *from = (LiteralAreas){0};
}

static bool tell_collector(void) {
    Term collector = system_process_of(am_erts_literal_area_collector);
    if (!is_value(collector))
        return false;
    Message *m = message_create(am_copy_literals, NON_VALUE, NIL);
    if (signal_send(collector, &m->signal))
        return true;
    message_free(m);
    return false;
}

/* Nobody else tells it, if it is not told already: who is the first to have something new, under the lock. */
static bool tells(void) {
    bool first = !is_told;
    is_told = true;
    return first;
}

static void tell(bool is_first) {
    race_window("literals are to go, the collector is not yet told");
    if (!is_first || tell_collector())
        return;
    mutex_lock(&lock);
    is_told = false;
    mutex_unlock(&lock);
}

void literal_release_all(LiteralAreas *areas) {
    mutex_lock(&lock);
    literal_areas_move(&waiting, areas);
    bool is_first = waiting.first != NULL && tells();
    mutex_unlock(&lock);
    tell(is_first);
}

void literal_release(LiteralArea *la) {
    if (literal_range(la) == 0) {
        literal_area_free(la);
        return;
    }
    LiteralAreas one = {0};
    literal_areas_add(&one, la);
    literal_release_all(&one);
}

void literal_holder_leaves(Process *p) {
    p->flags &= ~(uint32_t)FLAG_HOLDS_LITERALS;
    mutex_lock(&lock);
    a_holder_has_left = true;
    bool is_first = held.first != NULL && tells();
    mutex_unlock(&lock);
    tell(is_first);
}

/* What is held goes along with what is new; by itself only when somebody may have let go of it. */
static LiteralAreas take_waiting(void) {
    LiteralAreas taken = {0};
    mutex_lock(&lock);
    is_told = waiting.first != NULL || (a_holder_has_left && held.first != NULL);
    if (is_told) {
        literal_areas_move(&taken, &waiting);
        literal_areas_move(&taken, &held);
    }
    a_holder_has_left = false;
    mutex_unlock(&lock);
    return taken;
}

static int compare_addresses(const void *x, const void *y) {
    const LiteralArea *a = *(LiteralArea *const *)x, *b = *(LiteralArea *const *)y;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void set_batch(LiteralArea **areas, size_t count) {
    mutex_lock(&lock);
    require(batch.areas == NULL || areas == NULL);
    batch.areas = areas;
    batch.count = count;
    mutex_unlock(&lock);
}

/* Those without words are freed: nobody refers to them. */
static size_t mark_all(const LiteralAreas *taken, LiteralArea **areas, LiteralRange *range) {
    size_t count = 0;
    batch.oldest = BIRTH_NEVER;
    for (LiteralArea *la = taken->first, *next; la != NULL; la = next) {
        next = la->next;
        long_work_count(UNITS_PER_AREA);
        if (literal_range(la) == 0) {
            literal_area_free(la);
            continue;
        }
        areas[count++] = la;
        atomic_store_explicit(&la->is_held, false, memory_order_relaxed);
        literal_mark(la);
        batch.oldest = la->born < batch.oldest ? la->born : batch.oldest;
        *range = literal_range_join(*range, literal_range(la));
    }
    return count;
}

LiteralRange literal_release_take(void) {
    LONG_WORK_OPEN;
    for (;;) {
        LiteralAreas taken = take_waiting();
        if (taken.count == 0)
            return 0;
        LiteralArea **areas = mem_alloc(ALLOC_LITERAL, taken.count * sizeof *areas);
        LiteralRange range = 0;
        size_t count = mark_all(&taken, areas, &range);
        if (count > 0) {
            qsort(areas, count, sizeof *areas, compare_addresses);
            set_batch(areas, count);
            atomic_store(&marked, range);
            return range;
        }
        mem_free(ALLOC_LITERAL, areas);
    }
}

Birth literal_release_oldest(void) { return batch.oldest; }

/* Nobody refers to it. */
static void release(LiteralArea *la) {
    long_work_count(UNITS_PER_AREA);
    literal_unmark(la);
    literal_area_free(la);
}

void literal_released(void) {
    LONG_WORK_OPEN;
    LiteralArea **areas = batch.areas;
    size_t count = batch.count;
    LiteralAreas stay = {0};
    LiteralRange range = 0;
    race_window("nobody refers to literals, and they are there");
    set_batch(NULL, 0);
    for (size_t i = 0; i < count; i++) {
        if (atomic_load_explicit(&areas[i]->is_held, memory_order_relaxed)) {
            literal_areas_add(&stay, areas[i]);
            range = literal_range_join(range, literal_range(areas[i]));
        } else {
            release(areas[i]);
        }
    }
    mem_free(ALLOC_LITERAL, areas);
    atomic_store(&marked, range);
    mutex_lock(&lock);
    held = stay;
    mutex_unlock(&lock);
}

static void each_of(const LiteralAreas *areas, Term owner, void (*each)(const LiteralArea *, void *), void *data) {
    for (const LiteralArea *la = areas->first; la != NULL; la = la->next)
        if (la->owner == owner)
            each(la, data);
}

void literal_release_each(Term owner, void (*each)(const LiteralArea *, void *), void *data) {
    mutex_lock(&lock);
    for (size_t i = 0; i < batch.count; i++)
        if (batch.areas[i]->owner == owner)
            each(batch.areas[i], data);
    each_of(&waiting, owner, each, data);
    each_of(&held, owner, each, data);
    mutex_unlock(&lock);
}

/* --- what a process refers to ---------------------------------------------------------------------------------- */

/* The answer of a request that it has not taken yet. */
static bool answer_refers(const Process *p, const LiteralSearch *search) {
    const Request *r = p->request;
    if (r == NULL || !r->is_answered)
        return false;
    if (literal_refers_words(&r->answer, 1, search))
        return true;
    return r->data != NULL && literal_refers_objects(r->data->words, r->data->used, search);
}

static void answer_copy(Request *r) {
    Kept own = kept_make(r->answer);
    fragments_free(r->data);
    r->answer = own.own;
    r->data = own.data;
}

typedef struct {
    const LiteralSearch *search;
    bool found;
} RootsSearch;

static void search_roots(Heap *heap, Rootset *roots, void *data) {
    RootsSearch *s = data;
    s->found = literal_refers(heap, roots, s->search);
}

static bool own_refers(Process *p, const LiteralSearch *search) {
    RootsSearch s = {.search = search};
    process_with_roots(p, p->saved, p->arity, search_roots, &s);
    return s.found;
}

static void replace(Heap *heap, Rootset *roots, void *data) { literal_copy(heap, roots, *(LiteralSet *)data); }

/* The first message from there on that refers to them and is not in the heap. */
static Message *message_that_refers(Message *m, const LiteralSearch *search) {
    for (; m != NULL; m = (Message *)m->signal.next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        if (!m->is_in_heap && message_refers(m, search))
            return m;
    }
    return NULL;
}

bool process_refers_to_literals(Process *p, LiteralSet set) {
    LONG_WORK_OPEN;
    const LiteralSearch search = {.set = set};
    return answer_refers(p, &search) || message_that_refers(p->messages, &search) != NULL || own_refers(p, &search);
}

static void let_go(Process *p, LiteralSet set) {
    const LiteralSearch search = {.set = set};
    if (answer_refers(p, &search))
        answer_copy(p->request);
    for (Message *m = p->messages; (m = message_that_refers(m, &search)) != NULL; m = (Message *)m->signal.next)
        message_force_in(p, m);
    long_work_open();
    process_with_roots(p, p->saved, p->arity, replace, &set);
    long_work_close();
    process_collect_saved(p, COLLECT_MAJOR);
}

/* --- the question ---------------------------------------------------------------------------------------------- */

static LiteralSet marked_now(void) { return (LiteralSet){atomic_load(&marked), true}; }

#define WORDS_PER_REDUCTION 200

static Term run(Process *p, SystemTask *task) {
    LiteralSet set = marked_now();
    process_bump(p, (int64_t)(heap_total_words(&p->heap) / WORDS_PER_REDUCTION) + 1);
    race_window("a process is asked after literals");
    if (!process_refers_to_literals(p, set))
        return am_ok;
    if (task->argument == am_init && !task->is_answered)
        return am_need_gc;
    let_go(p, set);
    return am_ok;
}

/* As much as is looked at in a slice besides others. */
#define WORDS_MAX 16384

static size_t words_to_look_at(const Process *p) {
    return heap_total_words(&p->heap) + p->message_count * (MESSAGE_UNITS_TO_LOOK + 1);
}

bool literal_release_concerns(Process *p, const void *none) {
    size_t words = words_to_look_at(p);
    return words > WORDS_MAX || process_refers_to_literals(p, marked_now());
}

/* The area of the batch in which that lies. */
static LiteralArea *area_of(const void *literal) {
    size_t low = 0, high = batch.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if ((const void *)batch.areas[middle]->start <= literal)
            low = middle;
        else
            high = middle;
    }
    return batch.areas[low];
}

static bool hold(const void *literal, void *data) {
    Process *p = data;
    p->flags |= FLAG_HOLDS_LITERALS;
    atomic_store_explicit(&area_of(literal)->is_held, true, memory_order_relaxed);
    return false;
}

/* By who looks through the gate. The call goes on. */
static void look_at(Process *p) {
    LONG_WORK_OPEN;
    LiteralSearch search = {.set = marked_now()};
    if (answer_refers(p, &search))
        answer_copy(p->request);
    for (Message *m = p->messages; (m = message_that_refers(m, &search)) != NULL; m = (Message *)m->signal.next)
        message_leave_literals(p, m);
    search.found = hold;
    search.data = p;
    own_refers(p, &search);
}

void literal_release_look_at_shells(void) { dirty_end_each(look_at); }

/* Once for a call it becomes a task. */
static Term look(Process *p, SystemTask *task) {
    bool held_before = p->flags & FLAG_HOLDS_LITERALS;
    race_window("a process is asked after literals in a dirty call");
    look_at(p);
    task->stays = !held_before && (p->flags & FLAG_HOLDS_LITERALS);
    return am_ok;
}

const SystemTaskKind system_task_copy_literals = {.run = run, .look = look, .refusal = am_ok};
