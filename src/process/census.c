#include "process/census.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "process/process.h"

#define SLOTS_AT_ONCE 128 /* with the lock: some microseconds */
#define UNITS_PER_SLOT 50 /* of long work, as in slots.c */
#define ENDS_FIRST 64     /* room for so many */

typedef struct {
    size_t slot;
    Term id;
} End;

typedef struct {
    Term *ids;
    size_t count, room;
} Found;

typedef struct Census {
    struct Census *next; /* an older one */
    uint64_t moment;
    CensusIsThere *counts;
    size_t looked_at; /* slots from here on have been looked at */
    Found found;      /* in them, and not taken yet */
    /* Those of slots before, that have ended since: a heap, the highest slot first. */
    End *ends;
    size_t count, room;
} Census;

static bool is_born_before(const Process *p, const Census *c) { return p->born < c->moment; }

void censuses_init(Censuses *all, const Slots *slots) {
    all->slots = slots;
    mutex_init(&all->lock, LOCK_CENSUS);
}

void census_note_birth(const Censuses *all, Process *p) {
    p->born = atomic_load_explicit(&all->newest, memory_order_relaxed);
}

/* --- The heap of ends -------------------------------------------------------------------------------------------- */

static void swap(End *a, End *b) {
    End was = *a;
    *a = *b;
    *b = was;
}

static void add_end(Census *c, End end) {
    if (c->count == c->room) {
        c->room = c->room == 0 ? ENDS_FIRST : 2 * c->room;
        c->ends = mem_realloc(ALLOC_TEMP, c->ends, c->room * sizeof *c->ends);
    }
    size_t at = c->count++;
    c->ends[at] = end;
    for (; at > 0 && c->ends[(at - 1) / 2].slot < c->ends[at].slot; at = (at - 1) / 2)
        swap(&c->ends[(at - 1) / 2], &c->ends[at]);
}

static size_t higher_child(const Census *c, size_t at) {
    size_t left = 2 * at + 1, right = left + 1;
    return right < c->count && c->ends[right].slot > c->ends[left].slot ? right : left;
}

static void remove_highest(Census *c) {
    c->ends[0] = c->ends[--c->count];
    for (size_t at = 0, child; 2 * at + 1 < c->count; at = child) {
        child = higher_child(c, at);
        if (c->ends[child].slot <= c->ends[at].slot)
            return;
        swap(&c->ends[child], &c->ends[at]);
    }
}

/* --- Who ends ---------------------------------------------------------------------------------------------------- */

static void tell_locked(const Censuses *all, const Process *p, uint64_t number) {
    End end = {number & all->slots->mask, p->pid};
    for (Census *c = all->being_taken; c != NULL; c = c->next)
        if (end.slot < c->looked_at && is_born_before(p, c))
            add_end(c, end);
}

void census_note_end(Censuses *all, Process *p, uint64_t number, CensusIsThere *is_there, CensusEnd *end,
                     uint32_t how) {
    if (likely(atomic_load_explicit(&all->count, memory_order_acquire) == 0)) {
        race_window("an actor ends, and a census begins");
        end(p, how);
        return;
    }
    mutex_lock(&all->lock);
    if (is_there(p))
        tell_locked(all, p, number);
    end(p, how);
    mutex_unlock(&all->lock);
}

/* --- Who counts -------------------------------------------------------------------------------------------------- */

/* The slots are counted behind the moment: who was born before it has his by then, though nobody had it before. */
static void begin(Censuses *all, Census *c) {
    mutex_lock(&all->lock);
    c->next = all->being_taken;
    all->being_taken = c;
    atomic_fetch_add_explicit(&all->count, 1, memory_order_release);
    c->moment = atomic_fetch_add(&all->newest, 1) + 1;
    race_window("a census has its moment, and has not counted the slots");
    c->looked_at = slots_used(all->slots);
    mutex_unlock(&all->lock);
}

static void finish(Censuses *all, Census *c) {
    mutex_lock(&all->lock);
    Census **link = &all->being_taken;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    atomic_fetch_sub_explicit(&all->count, 1, memory_order_release);
    mutex_unlock(&all->lock);
    mem_free(ALLOC_TEMP, c->found.ids);
    mem_free(ALLOC_TEMP, c->ends);
}

/* Who was in the slot at the moment, or NON_VALUE. */
static Term counted_at(const Slots *slots, Census *c, size_t slot) {
    if (c->count > 0 && c->ends[0].slot == slot) {
        Term id = c->ends[0].id;
        remove_highest(c);
        return id;
    }
    const Process *p = slots_at(slots, slot);
    return p != NULL && is_born_before(p, c) && c->counts(p) ? p->pid : NON_VALUE;
}

static void look_down_to(const Slots *slots, Census *c, size_t from) {
    Found *f = &c->found;
    size_t most = f->count + c->looked_at - from;
    if (most > f->room)
        f->ids = mem_realloc(ALLOC_TEMP, f->ids, (f->room = most) * sizeof *f->ids);
    while (c->looked_at > from) {
        Term id = counted_at(slots, c, --c->looked_at);
        if (is_value(id))
            f->ids[f->count++] = id;
    }
}

/* The older ones first, those that have not come so far: none of them is overtaken. Gives what has been found in c, in
 * place of `before`, which is used up; *over: that was all of it. */
static Found look_at_some(Censuses *all, Census *c, Found before, bool *over) {
    mutex_lock(&all->lock);
    size_t from = c->looked_at > SLOTS_AT_ONCE ? c->looked_at - SLOTS_AT_ONCE : 0;
    for (Census *older = c->next; older != NULL; older = older->next)
        if (older->looked_at > from)
            look_down_to(all->slots, older, from);
    look_down_to(all->slots, c, from);
    Found found = c->found;
    c->found = (Found){before.ids, 0, before.room};
    *over = c->looked_at == 0;
    mutex_unlock(&all->lock);
    return found;
}

void census_take(Censuses *all, CensusIsThere *counts, void (*each)(Term, void *), void *data) {
    Census c = {.counts = counts};
    Found found = {0};
    bool over = false;
    begin(all, &c);
    while (!over) {
        found = look_at_some(all, &c, found, &over);
        race_window("a census has looked at some slots");
        for (size_t i = 0; i < found.count; i++)
            each(found.ids[i], data);
        LONG_WORK_OPEN;
        long_work_count(SLOTS_AT_ONCE * UNITS_PER_SLOT);
    }
    finish(all, &c);
    mem_free(ALLOC_TEMP, found.ids);
}
