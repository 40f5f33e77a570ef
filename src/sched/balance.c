#include "sched/balance.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/race_window.h"

#define PERIOD (1u << 20) /* reductions and slices: some 10 ms of computation */
#define MOST_AT_ONCE 1024 /* taken from one queue in one go: the scheduler's own processes wait meanwhile */

static Balance *balances;
static unsigned queue_count;
static _Atomic uint64_t rounds;

void balances_init(void) {
    queue_count = run_queue_count();
    balances = mem_calloc(ALLOC_SCHEDULER, (queue_count + 1) * sizeof *balances);
    balances = (Balance *)(((uintptr_t)balances + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
}

Balance *balance_at(unsigned index) { return &balances[index]; }
uint64_t balance_rounds(void) { return atomic_load_explicit(&rounds, memory_order_relaxed); }

static void begin_period(Balance *b) {
    memset(b->work, 0, sizeof b->work);
    memset(b->stood, 0, sizeof b->stood);
    b->counts_taken = 0;
}

static void tell(Balance *b, Priority priority, uint64_t load, uint64_t capacity) {
    int32_t most = load < INT32_MAX ? (int32_t)load : INT32_MAX;
    atomic_store_explicit(&b->load[priority], most, memory_order_relaxed);
    atomic_store_explicit(&b->capacity[priority], (uint32_t)capacity, memory_order_relaxed);
}

void balance_rest(unsigned index) {
    if (queue_count == 1)
        return;
    begin_period(&balances[index]);
    atomic_store_explicit(&balances[index].has_work, false, memory_order_relaxed);
    for (Priority i = 0; i < PRIORITY_COUNT; i++)
        tell(&balances[index], i, 0, BALANCE_ONE);
}

static uint64_t work_of_all(const Balance *b) {
    uint64_t all = 0;
    for (Priority i = 0; i < PRIORITY_COUNT; i++)
        all += b->work[i];
    return all;
}

static void tell_all(Balance *b, uint64_t all) {
    uint64_t left = all;
    for (Priority i = 0; i < PRIORITY_COUNT; i++) {
        tell(b, i, b->stood[i] * BALANCE_ONE / b->counts_taken, left * BALANCE_ONE / all);
        left -= i < PRIORITY_NORMAL ? b->work[i] : 0;
    }
}

static void count(Balance *b, RunQueue *rq) {
    uint32_t counts[PRIORITY_COUNT];
    run_queue_counts(rq, counts);
    for (Priority i = 0; i < PRIORITY_COUNT; i++)
        b->stood[i] += counts[i];
    b->counts_taken++;
}

typedef struct {
    int64_t load, capacity;
} Turns;

static Turns turns_in(Balance *b, Priority priority) {
    int32_t load = atomic_load_explicit(&b->load[priority], memory_order_relaxed);
    return (Turns){load > 0 ? load : 0, atomic_load_explicit(&b->capacity[priority], memory_order_relaxed)};
}

/* What stands there alone gains nothing by a change of places. */
static bool is_alone(Turns there) { return there.load < BALANCE_ONE + BALANCE_ONE / 4; }

/* How many are to come from there to here until all get the same turns: rounded, a half up, so that one too many is
 * taken in turn. */
static unsigned surplus(Turns here, Turns there) {
    int64_t more = here.capacity * there.load - there.capacity * here.load;
    int64_t one = (here.capacity + there.capacity) * BALANCE_ONE;
    if (more <= 0)
        return 0;
    int64_t surplus = (more + (is_alone(there) ? one / 4 : one / 2)) / one;
    return surplus < MOST_AT_ONCE ? (unsigned)surplus : MOST_AT_ONCE;
}

static unsigned pull(unsigned to, unsigned from, Priority priority, unsigned wanted) {
    unsigned came = 0, now;
    do {
        now = run_queue_pull(run_queue_at(to), run_queue_at(from), priority, wanted - came);
        came += now;
    } while (now > 0 && came < wanted);
    return came;
}

static void even_out(unsigned index, unsigned from, Priority priority) {
    Balance *here = &balances[index], *there = &balances[from];
    unsigned wanted = surplus(turns_in(here, priority), turns_in(there, priority));
    if (wanted == 0)
        return;
    race_window("somebody has more than his part, as his last period says");
    int32_t came = (int32_t)(pull(index, from, priority, wanted) * BALANCE_ONE);
    atomic_fetch_add_explicit(&here->load[priority], came, memory_order_relaxed);
    atomic_fetch_sub_explicit(&there->load[priority], came, memory_order_relaxed);
}

static bool is_behind(Balance *b, uint64_t round) {
    return atomic_load_explicit(&b->has_work, memory_order_relaxed) && atomic_load(&b->round) < round;
}

static void end_round(Balance *mine) {
    uint64_t over = balance_rounds(), round = over + 1;
    atomic_store(&mine->round, round); /* of two that end the last periods of a round one sees both */
    for (unsigned i = 0; i < queue_count; i++)
        if (is_behind(&balances[i], round))
            return;
    atomic_compare_exchange_strong(&rounds, &over, round);
}

static noinline void end_period(unsigned index, uint64_t work) {
    tell_all(&balances[index], work);
    begin_period(&balances[index]);
    end_round(&balances[index]);
    for (unsigned i = 1; i < queue_count; i++)
        for (Priority priority = 0; priority < PRIORITY_COUNT; priority++)
            even_out(index, (index + i) % queue_count, priority);
}

void balance_look(unsigned index) {
    if (queue_count == 1)
        return;
    Balance *b = &balances[index];
    if (!atomic_load_explicit(&b->has_work, memory_order_relaxed))
        atomic_store_explicit(&b->has_work, true, memory_order_relaxed);
    count(b, run_queue_at(index));
    uint64_t work = work_of_all(b);
    if (work >= PERIOD)
        end_period(index, work);
}
