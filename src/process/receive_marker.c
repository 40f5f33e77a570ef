#include "process/receive_marker.h"

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "process/receive.h"
#include "process/reference.h"
#include "term/fun.h"
#include "term/map.h"

static Markers *markers_of(Process *p) {
    if (p->markers == NULL)
        p->markers = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->markers);
    return p->markers;
}

/* Markers have small integers for numbers. When these begin again, all that are out are given up. */
static uint64_t next_number(Markers *all) {
    if (unlikely(all->next_id >= (uint64_t)SMALL_MAX)) {
        for (int i = 0; i < MARKERS_MAX; i++)
            all->marker[i].id = 0;
        all->next_id = 0;
    }
    return ++all->next_id;
}

void receive_markers_count_from(Process *p, uint64_t number) { markers_of(p)->next_id = number & (uint64_t)SMALL_MAX; }

/* When all are taken the oldest is given up: its receive starts at the first message, which is only slower. */
Term receive_marker_reserve(Process *p) {
    Markers *all = markers_of(p);
    uint64_t id = next_number(all);
    int slot = 0;
    for (int i = 1; i < MARKERS_MAX; i++)
        if (all->marker[i].id < all->marker[slot].id)
            slot = i;
    all->marker[slot].id = id;
    all->marker[slot].key = 0;
    all->marker[slot].position = p->messages_last;
    return small_make((SWord)id);
}

void receive_marker_bind(Process *p, Term marker, Term reference) {
    if (!p->markers || !is_small(marker) || !is_local_ref(reference))
        return;
    for (int i = 0; i < MARKERS_MAX; i++)
        if (p->markers->marker[i].id == (uint64_t)small_value(marker))
            p->markers->marker[i].key = reference_key(reference);
}

static int marker_of(const Process *p, Term reference) {
    if (!p->markers || !is_local_ref(reference))
        return -1;
    uint64_t key = reference_key(reference);
    for (int i = 0; i < MARKERS_MAX; i++)
        if (p->markers->marker[i].id && p->markers->marker[i].key == key)
            return i;
    return -1;
}

void receive_marker_clear(Process *p, Term reference) {
    int i = marker_of(p, reference);
    if (i >= 0)
        p->markers->marker[i].id = 0;
}

/* Of long work. */
#define UNITS_TO_LOOK_FOR_REFERENCE 4

static void push_map(EStack *stack, Term map) {
    MapIterator it;
    Term key, value;
    map_iterator_init(&it, map);
    while (map_iterator_next(&it, &key, &value))
        estack_push2(stack, key, value);
}

static void push_parts(EStack *stack, Term t) {
    if (is_list(t))
        estack_push2(stack, list_tail(t), list_head(t));
    else if (is_tuple(t))
        for (size_t i = 0; i < tuple_arity(t); i++)
            estack_push(stack, tuple_elements(t)[i]);
    else if (is_map(t))
        push_map(stack, t);
    else if (is_boxed_kind(t, KIND_FUN))
        for (size_t i = 0; i < fun_free_count(t); i++)
            estack_push(stack, fun_ptr(t)->env[i]);
}

static bool holds_reference(Term t, uint64_t key) {
    ESTACK(stack);
    estack_push(&stack, t);
    while (!estack_is_empty(&stack)) {
        long_work_count(UNITS_TO_LOOK_FOR_REFERENCE);
        t = estack_pop(&stack);
        if (is_local_ref(t) && reference_key(t) == key)
            return true;
        push_parts(&stack, t);
    }
    return false;
}

/* Where the first priority message is that holds the reference; NULL: none does. */
static Message **priority_that_holds(Process *p, uint64_t key) {
    Message **end = p->markers->priority_end;
    if (likely(end == NULL))
        return NULL;
    for (Message **at = &p->messages; at != end; at = (Message **)&(*at)->signal.next)
        if (holds_reference((*at)->term, key))
            return at;
    return NULL;
}

void receive_marker_use(Process *p, Term reference) {
    int i = marker_of(p, reference);
    if (i < 0)
        return;
    Message **priority = priority_that_holds(p, p->markers->marker[i].key);
    p->save = priority != NULL ? priority : p->markers->marker[i].position;
}

void receive_put_priority(Process *p, Message *m) {
    assume(p->untold == NULL);
    Markers *all = markers_of(p);
    Message **at = all->priority_end != NULL ? all->priority_end : &p->messages;
    m->signal.next = (Signal *)*at;
    *at = m;
    all->priority_end = (Message **)&m->signal.next;
    if (p->messages_last == at)
        p->messages_last = all->priority_end;
    if (p->save != at)
        receive_rewind(p);
}
