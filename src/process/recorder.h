/*
 * The flight recorder: what each scheduler did in its last seconds, in a ring of its own. docs/SEEING.md.
 *
 * `the_recorded` says which events are recorded, by the bits of trace flags; 0: none, and a place where something may
 * be recorded costs a load and a test, or nothing where trace flags are tested anyway. `the_recorder` are the rings:
 * one for each run queue, and a last one for all threads that serve none.
 *
 * Who writes. A ring of a run queue is written by the thread that serves the queue, alone; that changes with the
 * queue itself, under its protocol. The last ring is written by who sets `is_taken` in it; who finds it set does not
 * wait: the record is missed, and counted. Nobody takes a lock, waits, or asks for memory. A record is five words,
 * none of them a pointer: it says what it says whatever becomes of the process and its code.
 *
 * Anybody reads while it is written, and disturbs nobody: process/recorder_ring.h says what he relies on. No order
 * between rings is promised but that of the time stamps.
 *
 * What runs at the time is no record yet: `running` and `since` are written when a slice begins; a reader shows them
 * when that process does run.
 *
 * Rings come and go under `recorder_lock`, which readers hold, too; they are freed after thread progress. Who writes is
 * online. The crash dump reads without the lock: by then nobody frees anything.
 */
#ifndef VIV_PROCESS_RECORDER_H
#define VIV_PROCESS_RECORDER_H

#include "base/birth.h"
#include "process/recorder_ring.h"
#include "process/trace_point.h"
#include "sys/thread.h"

enum {
    RECORDED_BY_DEFAULT = TRACE_RUNNING | TRACE_PROCS | TRACE_GARBAGE_COLLECTION,
    RECORDED_ALL = RECORDED_BY_DEFAULT | TRACE_SEND | TRACE_RECEIVE,
};
#define RECORDS_BY_DEFAULT 65536 /* of each ring */
#define RECORDS_LEAST 1024
#define RECORDS_MOST (1 << 24)

typedef enum {
    RECORD_RAN,          /* place; ticks that it took; detail: RecordedStop */
    RECORD_SPAWN,        /* child; its beginning. The pid is NIL when the parent is no process of this node */
    RECORD_EXIT,         /* reason's head; detail: how deep it lies */
    RECORD_REGISTER,     /* name; whose it becomes, or was */
    RECORD_UNREGISTER,
    RECORD_MINOR,        /* words that it freed (those of a record, signed); ticks that it took */
    RECORD_MAJOR,
    RECORD_SEND,         /* destination; the message's head; detail: how deep it lies */
    RECORD_RECEIVE,      /* sender, NON_VALUE: it is not known; as before */
    RECORDS
} RecordKind;

/* In the order of StopReason of emu/emu.h. */
typedef enum { RECORDED_YIELDS, RECORDED_WAITS, RECORDED_ENDS, RECORDED_GOES_DIRTY, RECORDED_SUSPENDED } RecordedStop;

/* Where code was found, for who stops at the same place again. */
typedef struct {
    const Word *address;
    Birth newest; /* code that is newer may lie there */
    Word place;
} PlaceNote;
#define PLACE_NOTES 256

/* What belongs to a thread: its ring, and beside it what is no record. */
typedef struct {
    _Alignas(CACHE_LINE) _Atomic Word running; /* pid, or 0 */
    _Atomic uint64_t since;
    _Atomic bool is_taken;
    _Atomic uint64_t missed;
    PlaceNote notes[PLACE_NOTES]; /* the writer's */
    RecorderRing ring;            /* must be last */
} RecorderPart;

typedef struct {
    ProgressNode progress;
    size_t capacity; /* a power of two; the rest never changes either */
    uint64_t ticks;  /* when it began; and the same in nanoseconds of clock_monotonic */
    int64_t time;
    unsigned count;
    RecorderPart *part[]; /* by run queue; the last is for other threads */
} Recorder;

extern _Atomic uint32_t the_recorded;
extern _Atomic(Recorder *) the_recorder;
extern Mutex recorder_lock;

static inline uint32_t recorder_chosen(void) { return atomic_load_explicit(&the_recorded, memory_order_relaxed); }
/* What is recorded from now on; 0: nothing, and what there was goes. Rings of another capacity are new ones. Any thread
 * that may wait for the lock. */
void recorder_choose(uint32_t events, size_t capacity);
/* The same clock as the time stamps'. */
uint64_t recorder_ticks(void);

/* By the thread that runs p: it begins to run, and gives it up. `since` is what recorder_in gave. */
uint64_t recorder_in_slow(const Process *p);
void recorder_out_slow(const Process *p, uint64_t since, RecordedStop stop);
static inline uint64_t recorder_in(const Process *p) {
    return unlikely(recorder_chosen() & TRACE_RUNNING) ? recorder_in_slow(p) : 0;
}
static inline void recorder_out(const Process *p, uint64_t since, RecordedStop stop) {
    if (unlikely(since != 0))
        recorder_out_slow(p, since, stop);
}

/* By the thread that runs p; `parent` is NULL when it is none of this node's. */
void recorder_spawned_slow(const Process *parent, const Process *child);
void recorder_exits_slow(const Process *p);
void recorder_name_slow(const Process *p, Term owner, Term name, bool is_given);
static inline void recorder_spawned(const Process *parent, const Process *child) {
    if (unlikely(recorder_chosen() & TRACE_PROCS))
        recorder_spawned_slow(parent, child);
}
static inline void recorder_exits(const Process *p) {
    if (unlikely(recorder_chosen() & TRACE_PROCS))
        recorder_exits_slow(p);
}
static inline void recorder_name(const Process *p, Term owner, Term name, bool is_given) {
    if (unlikely(recorder_chosen() & TRACE_PROCS))
        recorder_name_slow(p, owner, name, is_given);
}

/* A collection begins, and is over. */
static inline uint64_t recorder_collects(void) {
    return unlikely(recorder_chosen() & TRACE_GARBAGE_COLLECTION) ? recorder_ticks() : 0;
}
void recorder_collected_slow(const Process *p, uint64_t since, bool is_major, int64_t freed);
static inline void recorder_collected(const Process *p, uint64_t since, bool is_major, int64_t freed) {
    if (unlikely(since != 0))
        recorder_collected_slow(p, since, is_major, freed);
}

/* A message that p sends or has got: where (p->trace_flags | recorder_chosen()) has the flag. `other` is whom it goes
 * to, or comes from. */
void recorder_message(const Process *p, RecordKind kind, Term other, Term message);

#endif
