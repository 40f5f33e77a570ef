#include "base/race_window.h"

#include "base/mix.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RARER_AT_OPERATIONS 16
#define CHOSEN_OF 16     /* one mark in so many ... */
#define CHOSEN_OFTEN 16  /* ... holds up so many times as often */
#define FIRST_INTERVAL 2
#define FIRST_INTERVAL_AT_OPERATIONS 16
#define NANOSECONDS_SHORT 60000
#define NANOSECONDS_LONG 2000000
#define NANOSECONDS_LONGEST 10000000

/* Read by the first pass, and by all threads: those who read at once read the same. */
static _Atomic bool is_read;
static _Atomic uint64_t seed;
static _Atomic uint32_t rate;
static _Atomic(const char *) wanted; /* VIV_DELAY_AT */

static _Atomic uint64_t threads;
static __thread uint64_t random_state;

static uint64_t number_of(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? strtoull(value, NULL, 10) : otherwise;
}

static void report_at_exit(void) { race_window_report(); }

static void settings_read(void) {
    atomic_store(&seed, number_of("VIV_SEED", 1));
    atomic_store(&rate, (uint32_t)number_of("VIV_DELAY_RATE", 1000));
    atomic_store(&wanted, getenv("VIV_DELAY_AT"));
    if (!atomic_exchange(&is_read, true))
        atexit(report_at_exit);
}

static uint64_t draw(uint64_t below) {
    if (unlikely(random_state == 0))
        random_state = mix_word(atomic_load(&seed) + 1) ^ mix_word(atomic_fetch_add(&threads, 1) + 1);
    random_state += MIX_GOLDEN;
    return mix_word(random_state) % below;
}

static uint64_t place_hash(const RaceMark *mark) {
    uint64_t hash = atomic_load(&seed) + mark->line;
    for (const char *c = mark->file; *c; c++)
        hash = mix_word(hash + (unsigned char)*c);
    return hash;
}

static bool is_chosen(const RaceMark *mark) { return place_hash(mark) % CHOSEN_OF == 0; }

static bool is_wanted(const RaceMark *mark) {
    const char *part = atomic_load(&wanted);
    char place[256];
    if (part == NULL || *part == '\0')
        return false;
    snprintf(place, sizeof place, "%s:%u", mark->file, mark->line);
    return strstr(mark->what, part) != NULL || strstr(place, part) != NULL;
}

static void sleep_for(uint64_t nanoseconds) {
    struct timespec time = {0, (long)nanoseconds};
    nanosleep(&time, NULL);
}

/* Half of the time hardly at all: to go on with another thread at once is what many races need. */
static void hold_up(void) {
    uint64_t kind = draw(256);
    if (kind < 128)
        sched_yield();
    else if (kind < 240)
        sleep_for(draw(NANOSECONDS_SHORT));
    else
        sleep_for(draw(kind < 254 ? NANOSECONDS_LONG : NANOSECONDS_LONGEST));
}

/* The longest interval that a mark comes to. */
static uint32_t interval_most(const RaceMark *mark) {
    if (is_wanted(mark))
        return 2;
    uint32_t most = atomic_load(&rate) * (mark->is_operation ? RARER_AT_OPERATIONS : 1);
    return is_chosen(mark) ? most / CHOSEN_OFTEN + 1 : most;
}

static uint32_t next_interval(const RaceMark *mark, uint32_t interval) {
    uint32_t most = interval_most(mark);
    if (interval == 0)
        interval = mark->is_operation ? FIRST_INTERVAL_AT_OPERATIONS : FIRST_INTERVAL;
    else
        interval += interval / 4 + 1;
    return interval < most ? interval : most;
}

noinline void race_window_stop(RaceMark *mark) {
    int error = errno;
    if (unlikely(!atomic_load(&is_read)))
        settings_read();
    uint32_t interval = atomic_load_explicit(&mark->interval, memory_order_relaxed);
    bool is_first = interval == 0, is_off = atomic_load(&rate) == 0;
    interval = is_off ? INT32_MAX / 2 : next_interval(mark, interval);
    int32_t left = 1 + (int32_t)draw(2 * (uint64_t)interval - 1); /* the interval on average */
    atomic_store_explicit(&mark->interval, interval, memory_order_relaxed);
    atomic_store_explicit(&mark->left, left, memory_order_relaxed);
    atomic_fetch_add_explicit(&mark->drawn, (uint64_t)left + is_first, memory_order_relaxed);
    if (!is_first && !is_off) {
        atomic_fetch_add_explicit(&mark->held, 1, memory_order_relaxed);
        hold_up();
    }
    errno = error;
}

uint64_t race_window_passes(const RaceMark *mark) {
    int64_t left = atomic_load_explicit(&mark->left, memory_order_relaxed);
    return atomic_load_explicit(&mark->drawn, memory_order_relaxed) - (uint64_t)(left > 0 ? left : 0);
}

/* The build's own folder may be named in front: "../../src/base/x.c". */
static const char *file_of(const RaceMark *mark) {
    const char *file = mark->file;
    while (strncmp(file, "../", 3) == 0)
        file += 3;
    return file;
}

static void report_to(FILE *file) {
    for (const RaceMark *mark = race_marks_begin; mark < race_marks_end; mark++)
        fprintf(file, "%12llu passed %8llu held up  %s:%u: %s%s\n", (unsigned long long)race_window_passes(mark),
                (unsigned long long)atomic_load(&mark->held), file_of(mark), mark->line, mark->what,
                mark->is_operation ? "" : " (by hand)");
}

void race_window_report(void) {
    static _Atomic bool is_done;
    const char *name = getenv("VIV_DELAY_REPORT");
    if (name == NULL || *name == '\0' || atomic_exchange(&is_done, true))
        return;
    FILE *file = strcmp(name, "-") == 0 ? stderr : fopen(name, "w");
    if (file == NULL)
        return;
    report_to(file);
    fflush(file);
}
