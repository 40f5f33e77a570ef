/*
 * An exhaustive checker for the protocols between threads: every execution of a few threads, under C's own memory
 * model and not that of the machine at hand.
 *
 * A model, m_<protocol>.c, includes the sources that it is about, unchanged, and runs a few threads over them. It is
 * compiled with the instrumentation of ThreadSanitizer (clang reports each atomic operation and each plain access) and
 * linked with a runtime of its own, runtime.c. The threads are coroutines of one OS thread; before each operation that
 * others could notice, explore.c chooses who goes on, and memory.c what a load reads. The choices are gone through
 * depth first, each execution from the start; states that were met before are not explored again. So, within the
 * bounds of a case, all executions are tried, and what is found is found each time.
 *
 * What an execution is: RC11 (Lahav et al., Repairing Sequential Consistency in C/C++11, PLDI 2017), but that the order
 * of seq_cst operations is consistent with happens-before, as C17 says. A load reads any store that coherence and
 * happens-before allow; a store may come before others in the modification order; seq_cst operations and fences have a
 * total order. A thread never reads what is stored later in the same execution (no load buffering); compare-exchange
 * does not fail spuriously; thread-locals are each thread's own; allocation never fails and no memory is used again.
 *
 * An execution fails when a check or an invariant (`require`) is broken, when two threads access the same bytes without
 * order and not both atomically, when freed memory is accessed, when nobody can go on any more (a wake-up was lost), or
 * when it does not end. Its steps are printed then.
 *
 * Each check has mutations (mutations.tab): copies of the sources with an order weakened or a step left out. The
 * checker must find each of them wrong, which shows that the check can fail.
 */
#ifndef VIV_TEST_MODEL_H
#define VIV_TEST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS 5 /* with the one that sets up */

/* So many times at most, in one execution; negative: no bound. */
typedef struct {
    int preemptions; /* a thread that could go on is interrupted */
    int stale;       /* a load reads another store than the newest, or a store comes before others */
} ModelBounds;
#define MODEL_ALL {-1, -1}

typedef struct {
    const char *name;
    void (*setup)(void); /* alone, before the threads; may be NULL */
    void (*threads[MODEL_THREADS])(void);
    void (*end)(void); /* alone, after all have ended; may be NULL */
    bool clock_waits; /* time passes only when nobody else can go on: for cases about being in time */
    ModelBounds bounds, deep_bounds; /* the latter in deep runs (DEEP in the environment) */
    /* What model_outcome is to be told in some execution, and nothing else: a bit for each outcome. 0: no matter. */
    uint32_t outcomes;
} ModelCase;

#define MODEL_OUTCOME(n) ((uint32_t)1 << (n))
/* Of the execution that ends: once, in `end`; below 32. */
void model_outcome(unsigned outcome);
#define model_check(cond) ((cond) ? (void)0 : model_fail("not true: %s", #cond))
_Noreturn void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Memory that is used by one execution. What was freed must not be accessed again. */
void *model_alloc(size_t bytes);
void model_free(void *block);
/* membarrier(2): a full barrier in each thread, between the call and its return. */
void model_heavy_barrier(void);
/* The thread's number, from 1; in setup and end 0. */
unsigned model_self(void);
/* The time that clock_monotonic tells: it goes on only while somebody sleeps until then, and by this. */
int64_t model_now(void);
void model_advance(int64_t to);

/* Runs the cases, up to the first that fails, and gives the program's exit status. */
int model_run(const ModelCase *cases, size_t count);
#define MODEL(...)                                                                                                     \
    int main(void) {                                                                                                   \
        static const ModelCase cases[] = {__VA_ARGS__};                                                                \
        return model_run(cases, sizeof cases / sizeof cases[0]);                                                       \
    }

#endif
