#include "process/recorder_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/long_work.h"
#include "sys/clock.h"
#include "term/atom.h"
#include "term/print.h"

/* --- Times -------------------------------------------------------------------------------------------------------- */

/* Ticks become time by what both clocks said at the beginning, and say now. */
typedef struct {
    uint64_t ticks; /* now */
    int64_t time, real;
    double per_tick; /* nanoseconds */
} Clock;

static Clock clock_now(const Recorder *r) {
    Clock c = {.ticks = recorder_ticks(), .time = clock_monotonic(), .real = clock_real()};
    uint64_t ticks = c.ticks - r->ticks;
    c.per_tick = ticks > 0 ? (double)(c.time - r->time) / (double)ticks : 1;
    return c;
}

static int64_t nanoseconds(const Clock *c, uint64_t ticks) { return (int64_t)((double)ticks * c->per_tick); }
/* Another scheduler's counter may be a little ahead. */
static int64_t age(const Clock *c, uint64_t time) { return time < c->ticks ? nanoseconds(c, c->ticks - time) : 0; }
static int64_t real_time(const Clock *c, uint64_t time) { return c->real - age(c, time); }

/* --- Text --------------------------------------------------------------------------------------------------------- */

static void put_time(Text *to, int64_t time) { text_format(to, "\t%" PRId64, time); }

static void put_place(Text *to, Word place) {
    if (place == 0) {
        text_string(to, "\t-");
        return;
    }
    text_byte(to, '\t');
    print_atom(to, atom_make((uint32_t)(place >> 36)));
    text_byte(to, ':');
    print_atom(to, atom_make((uint32_t)(place >> 8) & 0xfffffff));
    text_format(to, "/%u", (unsigned)(place & UINT8_MAX));
}

static void put_term(Text *to, Term t) {
    text_byte(to, '\t');
    if (is_value(t))
        print_term(to, t);
    else
        text_byte(to, '-');
}

/* The first of what is in so many tuples. */
static void put_head(Text *to, Term t, unsigned depth) {
    text_byte(to, '\t');
    for (unsigned i = 0; i < depth; i++)
        text_byte(to, '{');
    if (is_value(t))
        print_term(to, t);
    else
        text_string(to, "...");
    for (unsigned i = 0; i < depth; i++)
        text_string(to, ",...}");
}

static const char *const kinds[RECORDS] = {
    [RECORD_RAN] = "ran",
    [RECORD_SPAWN] = "spawn",
    [RECORD_EXIT] = "exit",
    [RECORD_REGISTER] = "register",
    [RECORD_UNREGISTER] = "unregister",
    [RECORD_MINOR] = "minor",
    [RECORD_MAJOR] = "major",
    [RECORD_SEND] = "send",
    [RECORD_RECEIVE] = "receive",
};
static const char *const stops[] = {
    [RECORDED_YIELDS] = "yields",    [RECORDED_WAITS] = "waits",         [RECORDED_ENDS] = "ends",
    [RECORDED_GOES_DIRTY] = "dirty", [RECORDED_SUSPENDED] = "suspended",
};

static void put_rest(Text *to, const Clock *c, RecordKind kind, unsigned detail, const Record *r) {
    switch (kind) {
    case RECORD_RAN:
        put_time(to, nanoseconds(c, r->b));
        put_place(to, r->a);
        text_format(to, "\t%s", stops[detail]);
        break;
    case RECORD_SPAWN:
        put_term(to, r->a);
        put_place(to, r->b);
        break;
    case RECORD_EXIT: put_head(to, r->a, detail); break;
    case RECORD_REGISTER:
    case RECORD_UNREGISTER:
        put_term(to, r->a);
        put_term(to, r->b);
        break;
    case RECORD_MINOR:
    case RECORD_MAJOR:
        put_time(to, nanoseconds(c, r->b));
        text_format(to, "\t%" PRId64, (int64_t)r->a);
        break;
    default: put_term(to, r->a); put_head(to, r->b, detail);
    }
}

static void put_record(Text *to, const Clock *c, unsigned number, const Record *r) {
    RecordKind kind = (RecordKind)(r->head & UINT8_MAX);
    text_format(to, "%" PRId64 "\t%u", real_time(c, r->time), number);
    put_term(to, is_nil(r->pid) ? NON_VALUE : r->pid);
    text_format(to, "\t%s", kinds[kind]);
    put_rest(to, c, kind, (unsigned)(r->head >> 8), r);
    text_byte(to, '\n');
}

static unsigned number_of(const Recorder *r, unsigned which) { return which + 1 < r->count ? which + 1 : 0; }

/* `since` is of the slice of who is said to run before and after it is read: he who stops says so first. */
void recorder_text_running(Text *to, const Recorder *r, unsigned which) {
    const RecorderPart *part = r->part[which];
    Clock c = clock_now(r);
    Term pid = atomic_load_explicit(&part->running, memory_order_acquire);
    uint64_t since = atomic_load_explicit(&part->since, memory_order_acquire);
    const Process *p = pid != 0 ? process_find(pid) : NULL;
    if (p == NULL || !(atomic_load(&p->state) & (STATE_RUNNING | STATE_DIRTY)) ||
        atomic_load_explicit(&part->running, memory_order_acquire) != pid)
        return;
    text_format(to, "%" PRId64 "\t%u", c.real, number_of(r, which));
    put_term(to, pid);
    text_format(to, "\truns\t%" PRId64 "\n", age(&c, since));
}

static const struct {
    uint32_t flag;
    const char *name;
} events[] = {{TRACE_RUNNING, "sched"},
              {TRACE_PROCS, "procs"},
              {TRACE_GARBAGE_COLLECTION, "gc"},
              {TRACE_SEND, "send"},
              {TRACE_RECEIVE, "receive"}};

static uint32_t event_named(const char *name, size_t length) {
    for (size_t i = 0; i < array_length(events); i++)
        if (strlen(events[i].name) == length && memcmp(events[i].name, name, length) == 0)
            return events[i].flag;
    return 0;
}

static bool read_names(const char *names, size_t length, uint32_t *chosen) {
    *chosen = 0;
    for (const char *end = names + length; names < end;) {
        size_t piece = strcspn(names, ",:");
        uint32_t flag = event_named(names, piece);
        if (flag == 0)
            return false;
        *chosen |= flag;
        names += piece + (names[piece] == ',');
    }
    return true;
}

bool recorder_events_read(const char *names, uint32_t *chosen) {
    return strchr(names, ':') == NULL && read_names(names, strlen(names), chosen);
}

bool recorder_flag_read(const char *rest, uint32_t *chosen, size_t *records) {
    *chosen = RECORDED_BY_DEFAULT;
    size_t length = strcspn(rest, ":");
    if (length > 0 && (rest[0] != '=' || !read_names(rest + 1, length - 1, chosen) || *chosen == 0))
        return false;
    if (rest[length] == '\0')
        return true;
    char *end;
    unsigned long number = strtoul(rest + length + 1, &end, 10);
    *records = number;
    return *end == '\0' && number >= RECORDS_LEAST && number <= RECORDS_MOST;
}

void recorder_text_head(Text *to, const Recorder *r) {
    text_format(to, "viv recorder\t1\nwritten\t%" PRId64 "\nevents", clock_real());
    for (size_t i = 0; i < array_length(events); i++)
        if (recorder_chosen() & events[i].flag)
            text_format(to, "\t%s", events[i].name);
    text_format(to, "\nrecords\t%zu\n", r->capacity);
}

#define RECORDS_AT_ONCE 128
#define UNITS_PER_RECORD 100 /* of long work */
static size_t copy_some(const Recorder *r, unsigned which, uint64_t *from, uint64_t end, Record *to) {
    return recorder_ring_copy(&r->part[which]->ring, r->capacity, from, end, to, RECORDS_AT_ONCE);
}

void recorder_text_ring(Text *to, const Recorder *r, unsigned which, int64_t span) {
    const RecorderPart *part = r->part[which];
    unsigned number = number_of(r, which);
    Clock c = clock_now(r);
    uint64_t from = 0, end = recorder_ring_done(&part->ring);
    text_format(to, "ring\t%u\t%" PRIu64 "\t%" PRIu64 "\n", number, end,
                atomic_load_explicit(&part->missed, memory_order_relaxed));
    Record some[RECORDS_AT_ONCE];
    for (size_t count; (count = copy_some(r, which, &from, end, some)) > 0; from += count) {
        long_work_count((int64_t)count * UNITS_PER_RECORD);
        for (size_t i = 0; i < count; i++)
            if (span == 0 || age(&c, some[i].time) <= span)
                put_record(to, &c, number, &some[i]);
    }
}
