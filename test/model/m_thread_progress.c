/*
 * Thread progress: what was unlinked is freed when nobody can be reading it, and it is freed in the end.
 *
 * A shared pointer leads to an object that the readers read plainly; a writer puts another one in its place and hands
 * the old one in. The checker sees a read of freed memory, and one that has no order with the freeing. A reader is a
 * scheduler (online, with quiescent points), one that comes online to read, or one that joins while the object goes.
 */
#include "base/thread_progress.c"
#include "model.h"

typedef struct {
    ProgressNode node;
    int content;
} Object;

static _Atomic(Object *) shared, other;
static _Atomic int freed_count;

static Object *object_make(int content) {
    Object *o = model_alloc(sizeof *o);
    o->content = content;
    return o;
}

static void object_free(ProgressNode *node) {
    model_free(container_of(node, Object, node));
    atomic_fetch_add_explicit(&freed_count, 1, memory_order_relaxed);
}

static void setup(void) {
    atomic_init(&shared, object_make(1));
    atomic_init(&other, object_make(1));
}

/* As a plain load of what was published by a release store: nothing stronger may be needed. */
static void look_at(_Atomic(Object *) *place) {
    Object *o = atomic_load_explicit(place, memory_order_acquire);
    model_check(o->content > 0);
}

static void look(void) { look_at(&shared); }

static void put(_Atomic(Object *) *place) {
    Object *old = atomic_load_explicit(place, memory_order_relaxed);
    atomic_store_explicit(place, object_make(2), memory_order_release);
    old->node.run = object_free;
    thread_progress_later(&old->node);
}

static void scheduler(void) {
    thread_progress_register();
    look();
    thread_progress_quiescent();
    look();
    thread_progress_unregister();
}

static void guest(void) {
    thread_progress_be_guest();
    thread_progress_register();
    thread_progress_offline();
    thread_progress_enter();
    look();
    thread_progress_leave();
    thread_progress_unregister();
}

static void sleeper(void) {
    thread_progress_register();
    look();
    thread_progress_offline();
    thread_progress_online();
    look();
    thread_progress_unregister();
}

static void writer(void) {
    thread_progress_register();
    put(&shared);
    thread_progress_quiescent();
    thread_progress_quiescent();
    thread_progress_unregister();
}

static void writer_from_outside(void) { put(&shared); }

/* For those who have been there for long: that threads join meanwhile is for the other cases. */
static void join_in_turn(void) {
    static _Atomic unsigned joined;
    while (atomic_load(&joined) != model_self() - 1)
        sched_yield();
    thread_progress_register();
    atomic_store(&joined, model_self());
    while (atomic_load(&joined) != 3)
        sched_yield();
}

/* Leaves what it has handed in to the others. */
static void leave_with(_Atomic(Object *) *place) {
    join_in_turn();
    put(place);
    thread_progress_quiescent();
    thread_progress_unregister();
}
static void leaver(void) { leave_with(&shared); }
static void other_leaver(void) { leave_with(&other); }

static void reader_of_other(void) {
    join_in_turn();
    thread_progress_quiescent();
    look_at(&other);
    thread_progress_unregister();
}

static void two_are_freed(void) { model_check(freed_count == 2); }
static void one_is_freed(void) { model_check(freed_count == 1); }

/* Who is not registered, while there is nobody to call, runs what is due himself. */
#define CASE(the_name, ...)                                                                                            \
    {.name = the_name,                                                                                                 \
     .setup = setup,                                                                                                   \
     .threads = {__VA_ARGS__},                                                                                         \
     .end = one_is_freed,                                                                                              \
     .bounds = {2, 2},                                                                                                 \
     .deep_bounds = MODEL_ALL}

MODEL(CASE("a scheduler reads", scheduler, writer), CASE("a sleeper comes online to read", sleeper, writer),
      CASE("a guest reads", guest, writer), CASE("one that is not registered writes", scheduler, writer_from_outside),
      {.name = "two leave what waits to the third",
       .setup = setup,
       .threads = {reader_of_other, leaver, other_leaver},
       .end = two_are_freed,
       .bounds = {1, 0},
       .deep_bounds = {2, 0}})
