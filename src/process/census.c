#include "process/census.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "process/process_table.h"

#define SLOTS_AT_ONCE 128 /* with the lock: some microseconds */
#define UNITS_PER_SLOT 50 /* of long work, as in slots.c */
#define ENDS_FIRST 64     /* room for so many */

typedef struct {
    size_t slot;
    Term pid;
} End;

typedef struct Census {
    struct Census *next;
    uint32_t moment;
    size_t looked_at; /* slots from here on have been looked at */
    /* Those of slots before, that have ended since: a heap, the highest slot first. */
    End *ends;
    size_t count, room;
} Census;

static Mutex lock = MUTEX_INITIALIZER(LOCK_CENSUS);
static Census *censuses; /* under the lock, as is all that they hold, but for who takes them */
static _Atomic uint32_t under_way; /* as many as they are; written under the lock */
static _Atomic uint32_t newest;    /* moment */

/* Moments go round: so many are never under way at once. */
static bool is_born_before(const Process *p, const Census *c) { return (int32_t)(p->born - c->moment) < 0; }

void census_note_birth(Process *p) { p->born = atomic_load_explicit(&newest, memory_order_relaxed); }

/* --- The heap of ends --------------------------------------------------------------------------------------------- */

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

/* --- Who ends ----------------------------------------------------------------------------------------------------- */

static void tell_locked(const Process *p) {
    End end = {process_table_slot(p), p->pid};
    for (Census *c = censuses; c != NULL; c = c->next)
        if (end.slot < c->looked_at && is_born_before(p, c))
            add_end(c, end);
}

static noinline void end_while_counted(Process *p, uint32_t bits) {
    mutex_lock(&lock);
    if (!process_is_exiting(p))
        tell_locked(p);
    atomic_fetch_or(&p->state, bits);
    mutex_unlock(&lock);
}

void census_note_end(Process *p, uint32_t bits) {
    if (unlikely(atomic_load_explicit(&under_way, memory_order_acquire) != 0)) {
        end_while_counted(p, bits);
        return;
    }
    race_window("a process ends, and a census begins");
    atomic_fetch_or(&p->state, bits);
}

void process_set_exiting(Process *p, Term reason) {
    if (process_is_exiting(p))
        return;
    p->exit_reason = reason;
    census_note_end(p, STATE_EXITING | STATE_ACTIVE);
}

/* --- Who counts --------------------------------------------------------------------------------------------------- */

static void begin(Census *c) {
    mutex_lock(&lock);
    c->looked_at = process_table_used();
    c->next = censuses;
    censuses = c;
    atomic_fetch_add_explicit(&under_way, 1, memory_order_release);
    c->moment = atomic_fetch_add(&newest, 1) + 1;
    mutex_unlock(&lock);
}

static void finish(Census *c) {
    mutex_lock(&lock);
    Census **link = &censuses;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    atomic_fetch_sub_explicit(&under_way, 1, memory_order_release);
    mutex_unlock(&lock);
    mem_free(ALLOC_TEMP, c->ends);
}

/* Who was in the slot at the moment, or NON_VALUE. */
static Term counted_at(Census *c, CensusCounts *counts, size_t slot) {
    if (c->count > 0 && c->ends[0].slot == slot) {
        Term pid = c->ends[0].pid;
        remove_highest(c);
        return pid;
    }
    const Process *p = process_table_at(slot);
    return p != NULL && is_born_before(p, c) && counts(p) ? p->pid : NON_VALUE;
}

/* Gives how many. */
static unsigned look_at_some(Census *c, CensusCounts *counts, Term *pids) {
    unsigned found = 0;
    mutex_lock(&lock);
    size_t end = c->looked_at, from = end > SLOTS_AT_ONCE ? end - SLOTS_AT_ONCE : 0;
    for (size_t slot = end; slot-- > from;) {
        Term pid = counted_at(c, counts, slot);
        if (is_value(pid))
            pids[found++] = pid;
    }
    c->looked_at = from;
    mutex_unlock(&lock);
    return found;
}

void census_take(CensusCounts *counts, void (*each)(Term, void *), void *data) {
    Census c = {0};
    Term pids[SLOTS_AT_ONCE];
    begin(&c);
    while (c.looked_at > 0) {
        unsigned found = look_at_some(&c, counts, pids);
        race_window("a census has looked at some slots");
        for (unsigned i = 0; i < found; i++)
            each(pids[i], data);
        LONG_WORK_OPEN;
        long_work_count(SLOTS_AT_ONCE * UNITS_PER_SLOT);
    }
    finish(&c);
}
