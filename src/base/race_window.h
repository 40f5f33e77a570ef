/*
 * Marks at the places where a race would happen, if there is one: `race_window("what")` stands between a check and the
 * act that rests on it, between a look-up and its use, between what is published and who is told, between taking and
 * owning. In the delay build (VIV_DELAY) a thread that passes a mark is held up there now and then, from the least bit
 * to some milliseconds, so that others come in between who hardly ever would; each operation on atomic data and each
 * lock is a mark too (base/race_operations.h, which that build puts before every file). Elsewhere a mark is nothing.
 *
 * How often: a mark that is passed for the first times holds up often, so that rare paths are tried as well as hot
 * ones; then ever more rarely, down to one in VIV_DELAY_RATE (1000; those of operations on atomics 16 times rarer; 0:
 * never). The seed chooses one mark in 16 at which the rate is 16 times higher in the whole run. VIV_DELAY_AT names
 * marks, by a part of their names or of `file:line`, that hold up every second time: to hunt one race. The numbers of
 * a thread come from VIV_SEED and the thread's number; the same seed need not give the same run, but is likely to hold
 * up at the same places. VIV_DELAY_REPORT names a file (`-`: standard error) that tells at the end how often each mark
 * was passed and held somebody up: one that stays at 0 is tried by no test.
 *
 * A mark may stand anywhere: it takes no lock, allocates nothing, and keeps errno. Locks that the caller holds are held
 * while it is held up. Its counts are written without order, and may be a little wrong.
 */
#ifndef VIV_BASE_RACE_WINDOW_H
#define VIV_BASE_RACE_WINDOW_H

#include "base/defs.h"

#include <stdatomic.h>

typedef struct {
    const char *what, *file;
    uint32_t line;
    bool is_operation; /* not by hand */
    _Atomic int32_t left;      /* passes until the next that holds up */
    _Atomic uint32_t interval; /* of which `left` was drawn; 0: never passed */
    _Atomic uint64_t drawn;    /* passes: drawn - left */
    _Atomic uint64_t held;     /* passes that held somebody up */
} RaceMark;

#define RACE_MARK_MAKE(name, by_hand) {.what = name, .file = __FILE__, .line = __LINE__, .is_operation = !(by_hand)}

/* A pass that holds up, or the first one. */
void race_window_stop(RaceMark *mark);
static inline void race_window_pass(RaceMark *mark) {
    int32_t left = atomic_load_explicit(&mark->left, memory_order_relaxed) - 1;
    atomic_store_explicit(&mark->left, left, memory_order_relaxed);
    if (unlikely(left <= 0))
        race_window_stop(mark);
}
uint64_t race_window_passes(const RaceMark *mark);
/* As VIV_DELAY_REPORT asks, once. Before the program ends without the C library's exit handlers. */
void race_window_report(void);

/* All marks of the program stand in one section; these are the linker's names for its ends. Without marks: NULL. */
extern RaceMark race_marks_begin[] __asm__("__start_race_marks") __attribute__((weak));
extern RaceMark race_marks_end[] __asm__("__stop_race_marks") __attribute__((weak));

#ifdef VIV_DELAY
#define RACE_MARK_HERE(name, by_hand)                                                                                  \
    do {                                                                                                               \
        static RaceMark race_mark __attribute__((section("race_marks"))) = RACE_MARK_MAKE(name, by_hand);              \
        race_window_pass(&race_mark);                                                                                  \
    } while (0)
#define race_window(name) RACE_MARK_HERE(name, true)
#define race_report() race_window_report()
#else
#define race_window(name) ((void)0)
#define race_report() ((void)0)
#endif

#endif
