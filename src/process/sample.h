/*
 * Samples of what threads do (process/sampling.h), and the lists in which they wait: one for each sampler.
 *
 * Any thread adds to a list, without a lock; its owner alone takes all of it at once. At most SAMPLES_BYTES_MOST bytes
 * wait, what is more is counted. What is added when the owner has gone stays until the list's next owner drops it.
 */
#ifndef VIV_PROCESS_SAMPLE_H
#define VIV_PROCESS_SAMPLE_H

#include "sys/thread.h"
#include "term/term.h"

#define SAMPLERS_MOST 8
#define SAMPLES_BYTES_MOST (8u << 20)
#define SAMPLE_FRAMES_MOST 200

typedef enum {
    NOTE_RUNS,     /* Erlang code, or a native function that is known: it is the first frame */
    NOTE_NATIVE,   /* native code of which no more is known: what serves an instruction, the inside of a library */
    NOTE_COLLECTS, /* a collection */
    NOTE_WAITS,    /* for the lock of a table, which others have, in a native function */
    NOTE_SERVES,   /* a port; or what a process does between its slices: signals, its end */
} NoteKind;

typedef struct {
    Term module, function;
    uint32_t arity, line; /* 0: unknown */
} SampleFrame;

typedef struct {
    Term actor; /* a pid, or a port */
    ThreadKind thread;
    NoteKind note;
    Term waits_for; /* the table's name; NOTE_WAITS */
    bool is_hidden; /* the process is sensitive: no frames */
    bool is_cut;    /* the oldest frames are missing */
    uint32_t weight; /* for how many it counts: what took long was wanted often */
    uint32_t count; /* of frames */
} SampleHead;

typedef struct Sample {
    struct Sample *next; /* the one before it */
    SampleHead head;
    SampleFrame frames[]; /* newest first */
} Sample;

/* A copy, to the sampler. Any thread. */
void sample_give(unsigned sampler, const SampleHead *head, const SampleFrame *frames);
/* By the owner: all that wait, newest first, to be freed by him one by one. *lost: how many there was no room for since
 * samples_reset. */
Sample *samples_take(unsigned sampler, uint64_t *lost);
/* The same from the beginning on. */
must_check Sample *samples_reset(unsigned sampler);
void sample_free(Sample *s);
void samples_free(Sample *newest);
/* Units of long work (base/long_work.h) that it is to tell or to free one. */
static inline int64_t sample_units(const Sample *s) { return 200 + 50 * (int64_t)s->head.count; }

#endif
