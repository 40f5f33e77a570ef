#include "base/long_work.h"

#include "base/thread_progress.h"

__thread LongWork long_work_here;

#ifdef VIV_DEBUG
unsigned long_work_torture;

void long_work_chance(void) {
    static __thread unsigned turn;
    assume(long_work_here.forbidden == 0);
    if (long_work_torture != 0 && long_work_here.give_away != NULL && ++turn % long_work_torture == 0)
        long_work_exceeded();
}

void long_work_forbid(void) { long_work_here.forbidden++; }
void long_work_allow(const bool *is_forbidden) { long_work_here.forbidden--; }
#endif

static void start_round(LongWork *w, int64_t units) {
    w->spent += w->round - w->left;
    w->round = w->left = units;
}

static void go_offline(LongWork *w) {
    w->is_offline = true;
    w->absences++;
    thread_progress_offline();
}

/* True: the thread is offline, and may stand back. */
static bool goes(LongWork *w) {
    start_round(w, LONG_WORK_UNITS);
    if (w->give_away == NULL)
        return false;
    w->exceeded = true;
    w->give_away();
    if (w->open == 0)
        return false;
    if (!w->is_offline && thread_progress_may_go_offline())
        go_offline(w);
    return w->is_offline && !thread_progress_may_read() && w->stand_back != NULL;
}

/* True: there are some more units, and who works is told to leave. */
static bool has_grace(LongWork *w) {
    if (w->has_had_grace || w->left + LONG_WORK_GRACE < 0)
        return false;
    w->has_had_grace = true;
    w->round += LONG_WORK_GRACE;
    w->left += LONG_WORK_GRACE;
    if (w->leave_soon != NULL) {
        w->exceeded = true;
        w->leave_soon();
    }
    return true;
}

noinline void long_work_round_is_over(void) {
    if (!has_grace(&long_work_here))
        long_work_exceeded();
}

/* Called again after every LONG_WORK_UNITS of the same work. */
noinline void long_work_exceeded(void) {
    if (goes(&long_work_here))
        long_work_here.stand_back(false);
}

void long_work_waits(void) {
    if (goes(&long_work_here))
        long_work_here.stand_back(true);
}

noinline unsigned long_work_round(unsigned units_each) {
    long_work_count(LONG_WORK_ROUND * units_each);
    return LONG_WORK_ROUND;
}

noinline void long_work_come_back(void) {
    LongWork *w = &long_work_here;
    if (w->stand_back != NULL)
        w->stand_back(true);
    w->is_offline = false;
    thread_progress_online();
}

void long_work_begin(void) {
    LongWork *w = &long_work_here;
    w->round = w->left = LONG_WORK_UNITS - LONG_WORK_GRACE;
    w->spent = 0;
    w->exceeded = w->has_had_grace = false;
}

int64_t long_work_end(void) {
    int64_t units = long_work_units();
    long_work_begin();
    return units;
}

void long_work_none(void) { long_work_here = (LongWork){.left = INT64_MAX}; }
