/*
 * Timers under threads, each with a wheel of its own as schedulers have: a timer fires once and not before its time, or
 * it was cancelled by exactly one of those who tried, from whatever thread; reading one that fires is no harm. When the
 * process ends that it is for it goes, also while others set more.
 */
#include "process/timer.h"

#include "alloc/alloc.h"
#include "process/clock.h"
#include "process/life.h"
#include "process/process_table.h"
#include "process/receive.h"
#include "process/reference.h"
#include "process/run_queue.h"
#include "process/signal.h"
#include "process/signal_handle.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"
#include "unit.h"
#include "unit_process.h"

#define WHEELS 3
#define ENOUGH 3000 /* have fired, and were cancelled */
#define SHOWN 64 /* references of each wheel that others see */

static _Atomic uint64_t shown[WHEELS][SHOWN];
static _Atomic unsigned set, cancelled, fired, wheels_busy;
static Process *receiver;

/* A reference lives in words of its own here. */
typedef struct {
    Area area;
    Term words[16];
} Room;
static Area *room_init(Room *r) {
    r->area = (Area){.top = r->words, .limit = r->words + array_length(r->words)};
    return &r->area;
}

static void set_one(unsigned wheel, unsigned i) {
    uint64_t key = reference_next();
    int64_t at = monotonic_milliseconds_up(monotonic_time()) + (int64_t)(i % 7 == 0 ? 300000 : i % 40);
    timer_send_at(wheel, key, at, receiver->pid, kept_message_make(small_make(at), NON_VALUE, NIL));
    atomic_fetch_add(&set, 1);
    atomic_store(&shown[wheel][i % SHOWN], key);
}

static void look_at_others(unsigned i) {
    Room room;
    unsigned wheel = i % WHEELS;
    uint64_t key = atomic_load(&shown[wheel][i * 13 % SHOWN]);
    if (key == 0)
        return;
    Term reference = reference_with_wheel(room_init(&room), key, wheel);
    int64_t left = timer_look(reference, i % 3 == 0);
    assert_true(left >= -1 && left <= 300000);
    if (left >= 0 && i % 3 == 0)
        atomic_fetch_add(&cancelled, 1);
}

static void run_wheel(void *data) {
    unsigned wheel = (unsigned)(uintptr_t)data;
    thread_progress_register();
    run_queue_set_self(run_queue_at(wheel));
    for (unsigned i = 0; atomic_load(&fired) < ENOUGH || atomic_load(&cancelled) < ENOUGH; i++) {
        set_one(wheel, i);
        look_at_others(i + wheel);
        timers_run(wheel);
        thread_progress_quiescent();
    }
    run_queue_set_self(NULL);
    thread_progress_unregister();
    atomic_fetch_sub(&wheels_busy, 1);
}

static void take_messages(void) {
    signal_handle(receiver);
    int64_t now = milliseconds_down(monotonic_time());
    while (*receiver->save) {
        Message *m = *receiver->save;
        assert_true(small_value(m->term) <= now);
        receive_remove(receiver, m);
        atomic_fetch_add(&fired, 1);
    }
}

static void each_fires_once_or_is_cancelled_once(void **state) {
    Thread threads[WHEELS];
    thread_progress_register();
    receiver = unit_process(STATE_RUNNING);
    atomic_store(&wheels_busy, WHEELS);
    for (uintptr_t i = 0; i < WHEELS; i++)
        thread_start(&threads[i], "wheel", 0, run_wheel, (void *)i);
    while (atomic_load(&wheels_busy) > 0) {
        take_messages();
        thread_progress_quiescent();
    }
    for (unsigned i = 0; i < WHEELS; i++)
        thread_join(&threads[i]);
    take_messages();
    assert_int_equal(atomic_load(&fired) + atomic_load(&cancelled) + timers_count(), atomic_load(&set));
    atomic_fetch_or(&receiver->state, STATE_EXITING);
    for (int64_t reductions = 1; !timers_end_for(receiver, &reductions); reductions = 1) {
    }
    assert_int_equal(timers_count(), 0);
    process_table_remove(receiver);
    thread_progress_unregister();
}

#define VICTIMS 500
#define FOR_EACH_VICTIM 20
static _Atomic Term victim; /* NON_VALUE at the end */

static void set_for_victims(void *data) {
    unsigned wheel = (unsigned)(uintptr_t)data;
    thread_progress_register();
    run_queue_set_self(run_queue_at(wheel));
    Term last = NON_VALUE;
    unsigned count = 0;
    for (Term pid; is_value(pid = atomic_load(&victim)); last = pid) {
        thread_progress_quiescent();
        count = pid == last ? count + 1 : 0;
        if (count >= FOR_EACH_VICTIM)
            continue;
        timer_send_at(wheel, reference_next(), monotonic_milliseconds_up(monotonic_time()) + 300000, pid,
                      kept_message_make(small_make(1), NON_VALUE, NIL));
    }
    run_queue_set_self(NULL);
    thread_progress_unregister();
    atomic_fetch_sub(&wheels_busy, 1);
}

static void free_victim(ProgressNode *node) {
    Process *p = container_of(node, Process, progress);
    process_release(p);
    process_free(p);
}

static void end_victim(Process *p) {
    atomic_fetch_or(&p->state, STATE_EXITING);
    int64_t reductions = INT64_MAX;
    assert_true(timers_end_for(p, &reductions));
    process_table_remove(p);
    p->progress.run = free_victim;
    thread_progress_later(&p->progress);
}

static void timers_go_with_the_process(void **state) {
    Thread threads[WHEELS];
    thread_progress_register();
    Process *p = unit_process(0);
    atomic_store(&victim, p->pid);
    atomic_store(&wheels_busy, WHEELS);
    for (uintptr_t i = 0; i < WHEELS; i++)
        thread_start(&threads[i], "wheel", 0, set_for_victims, (void *)i);
    for (int i = 0; i < VICTIMS; i++) {
        Process *next = unit_process(0);
        for (int spins = 0; spins < 100 && atomic_load(&p->timer_wheels) == 0; spins++)
            thread_progress_quiescent();
        atomic_store(&victim, next->pid);
        end_victim(p);
        p = next;
        thread_progress_quiescent();
    }
    atomic_store(&victim, NON_VALUE);
    while (atomic_load(&wheels_busy) > 0)
        thread_progress_quiescent();
    for (unsigned i = 0; i < WHEELS; i++)
        thread_join(&threads[i]);
    end_victim(p);
    assert_int_equal(timers_count(), 0);
    thread_progress_unregister();
}

int main(void) {
    atom_table_init(10000);
    node_table_init();
    reference_init();
    run_queues_init(WHEELS);
    clock_init();
    timers_init(WHEELS);
    process_table_init(PROCESS_LIMIT_MIN);
    const struct CMUnitTest tests[] = {unit(each_fires_once_or_is_cancelled_once), unit(timers_go_with_the_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
