/*
 * Who goes on, and which choice is taken: all executions of a case, one after the other.
 *
 * Each thread stops before a step that others could notice (`arrive`) and says what object it is about; the explorer
 * then lets one go on. A step on an object that no other thread which still runs ever touches in a conflicting way
 * needs no choice; what threads touch is learned on the way, and when more is learned than was relied on, the case
 * begins again.
 */
#ifndef VIV_TEST_MODEL_EXPLORE_H
#define VIV_TEST_MODEL_EXPLORE_H

#include "memory.h"

extern unsigned self; /* the thread that runs */

/* One of `count` ways: each is taken in some execution. */
unsigned choose(unsigned count);
/* Of what a load reads, or where a store comes: the first is the newest. */
unsigned choose_store(unsigned count);

/* The calling thread is about to access an object. */
void arrive(uintptr_t object, bool is_write);
/* The same, and it cannot go on before `may` is true; `what` says so in reports. */
void arrive_when(uintptr_t object, bool (*may)(uintptr_t object), const char *what);
/* It sleeps until another calls thread_wake with the same word, or the time has come (negative: never). */
bool thread_sleep(uintptr_t word, int64_t deadline);
void thread_wake(uintptr_t word, unsigned count);
/* It has read an object and finds nothing for it: it goes on when that has changed, and reads the newest value. */
void thread_yield(void);
void thread_has_loaded(uintptr_t object, unsigned size);
bool thread_must_see_newest(uintptr_t object);

/* A line of the report on a failing execution. `from`: the store that was read, or 0. */
void trace_step(const char *what, uintptr_t object, uint64_t value, int order, uint64_t from);
extern uintptr_t trace_caller[MODEL_THREADS]; /* of the operation that each makes */
#define ORDER_NONE (-1)
/* Memory of the calling thread for this execution; zero. */
/* Something was learned that was not known before: the case begins again. */
void explore_again(void);
/* runtime.c: what it keeps of the execution that is over goes. */
void runtime_reset(void);
void *arena_alloc(size_t bytes, size_t alignment);

#endif
