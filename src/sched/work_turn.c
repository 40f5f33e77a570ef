#include "sched/work_turn.h"

#include "base/race_window.h"
#include "sys/clock.h"
#include "sys/thread.h"

#define SLICES_OF_TURN 10
#define PASSES_OF_LOW 8  /* turns of normal priority that are begun while low ones wait; then one of those is */
#define LOOK_NANOSECONDS 50000000 /* who waits looks how urgent he is */
#define LOOKS_MAX 20              /* with no turn ended meanwhile */

typedef struct Waiter {
    struct Waiter *next;
    Condition changed;
    Priority line;
    bool has_turn;
} Waiter;

static Mutex lock = MUTEX_INITIALIZER(LOCK_WORK_TURNS);
static Waiter *lines[PRIORITY_COUNT]; /* this and the next two under the lock */
static unsigned most[PRIORITY_COUNT], at_work;
static unsigned passes; /* under the lock, as the next */
static uint64_t ended;  /* turns */
static _Atomic unsigned waiting;
static __thread bool has_turn;
static __thread unsigned slices; /* of the turn */

void work_turns_init(unsigned schedulers) {
    most[PRIORITY_MAX] = most[PRIORITY_HIGH] = UINT32_MAX;
    most[PRIORITY_NORMAL] = schedulers;
    most[PRIORITY_LOW] = (schedulers + 1) / 2;
}

static void enter(Waiter *w, Priority line) {
    Waiter **at = &lines[line];
    while (*at != NULL)
        at = &(*at)->next;
    w->next = NULL;
    w->line = line;
    *at = w;
}

static void leave(Waiter *w) {
    Waiter **at = &lines[w->line];
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
}

static void begin(Waiter *w) {
    leave(w);
    at_work++;
    w->has_turn = true;
    condition_signal(&w->changed);
}

/* Low priority has its share beside normal work that has no end, as in run queues. */
static void begin_passed_over(void) {
    if (passes < PASSES_OF_LOW || lines[PRIORITY_LOW] == NULL || at_work >= most[PRIORITY_NORMAL])
        return;
    passes = 0;
    begin(lines[PRIORITY_LOW]);
}

static void begin_of(Priority line) {
    while (lines[line] != NULL && at_work < most[line]) {
        passes += line == PRIORITY_NORMAL && lines[PRIORITY_LOW] != NULL;
        begin(lines[line]);
    }
}

/* The most urgent first; one that must not begin keeps no more urgent one from it. */
static void begin_all_that_may(void) {
    begin_of(PRIORITY_MAX);
    begin_of(PRIORITY_HIGH);
    begin_passed_over();
    begin_of(PRIORITY_NORMAL);
    begin_of(PRIORITY_LOW);
}

static void end_locked(void) {
    at_work--;
    ended++;
    has_turn = false;
}

static void look_again(Waiter *w, const Process *p, bool is_stuck) {
    Priority now = process_run_priority(p);
    if (is_stuck) {
        begin(w);
    } else if (now != w->line) {
        leave(w);
        enter(w, now);
        begin_all_that_may();
    }
}

static void wait_locked(const Process *p) {
    Waiter w = {.has_turn = false};
    condition_init(&w.changed);
    enter(&w, process_run_priority(p));
    begin_all_that_may();
    uint64_t seen = ended;
    for (unsigned looks = 0; !w.has_turn;) {
        if (condition_wait_until(&w.changed, &lock, clock_monotonic() + LOOK_NANOSECONDS) || w.has_turn)
            continue;
        looks = ended == seen ? looks + 1 : 0;
        seen = ended;
        look_again(&w, p, looks == LOOKS_MAX);
    }
    condition_release(&w.changed);
}

void work_turn_next(const Process *p) {
    if (has_turn && (++slices < SLICES_OF_TURN || atomic_load(&waiting) == 0))
        return;
    race_window("a thread is to stand back");
    atomic_fetch_add(&waiting, 1);
    mutex_lock(&lock);
    if (has_turn)
        end_locked();
    wait_locked(p);
    mutex_unlock(&lock);
    atomic_fetch_sub(&waiting, 1);
    has_turn = true;
    slices = 0;
}

void work_turn_end(void) {
    if (!has_turn)
        return;
    mutex_lock(&lock);
    end_locked();
    begin_all_that_may();
    mutex_unlock(&lock);
}
