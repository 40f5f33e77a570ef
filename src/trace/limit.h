/*
 * What a session may take of the node (the option `limit`): events a second, bytes that wait for the tracer, a share of
 * the schedulers' time, and how much of each term is copied. An event is refused before anything is built for it.
 *
 * Each scheduler has a LimitBucket, which only its thread writes: events and bytes that it may still tell. When it has
 * none left it takes some from the pools, which all share; it does not ask again before the coarse clock of the machine
 * has moved on (some milliseconds), nor in the same slice of a process. So a refused event reads some words, or that
 * clock, and what schedulers share is written once for many events, or once for each tick of the clock. Events that a
 * scheduler has taken are good for one tick; it gives back what it has not used. So what is told in t seconds is at
 * most burst + t * events. Bytes stay with the bucket: together with those that wait they are never more than the
 * limit. All other threads share the last bucket, under a lock.
 *
 * `paid_until` is when the pool of events would be full again if nobody took any more, less the time in which it fills:
 * a time that moves on by what events cost, and is never further back than a burst.
 *
 * A share of a scheduler's time is spent where there is some; what is not spent is saved, up to a share of a tenth of a
 * second, which a session begins with. The whole is no bound.
 *
 * What was refused is counted where it was, and said to the tracer by whoever exchanges `said`.
 *
 * Whoever uses a limit may look at the session that it belongs to, and is freed with.
 */
#ifndef VIV_TRACE_LIMIT_H
#define VIV_TRACE_LIMIT_H

#include <stdatomic.h>

#include "process/tracer.h"
#include "sys/clock.h"

/* As docs/TRACING.md says; 0: not bounded. */
typedef struct {
    int64_t events, burst, bytes, share, depth, size;
} LimitOptions;
#define LIMIT_EVENTS_MAX 1000000000
#define LIMIT_BYTES_MAX ((int64_t)1 << 48)
#define LIMIT_SHARE_MAX 1000
#define LIMIT_DEPTH_MAX 64
#define LIMIT_SIZE_MAX ((int64_t)1 << 40)
#define LIMIT_EVENT_MAX UINT32_MAX /* bytes */

typedef enum { REFUSED_BY_EVENTS, REFUSED_BY_BYTES, REFUSED_BY_SHARE, REFUSALS } Refusal;

typedef struct TraceLimit TraceLimit;
TraceLimit *limit_create(const LimitOptions *options);
void limit_free(TraceLimit *limit); /* NULL is none */
const LimitOptions *limit_options(const TraceLimit *limit);

/* By the thread that runs what is traced. Refused events are counted. */
/* Is there time for another event? *began is for limit_leave. */
bool limit_enter(TraceLimit *limit, TracerTopic topic, int64_t *began);
void limit_leave(TraceLimit *limit, int64_t began);
/* May so many events be told? They are paid for then. */
bool limit_admits(TraceLimit *limit, TracerTopic topic, unsigned events);
/* Is it certain, without a look at anything that costs, that none may? Counted then; otherwise ask as above. */
bool limit_refuses_at_once(TraceLimit *limit, TracerTopic topic);
/* May a message of so many bytes be built? They are paid for then, until limit_give_back. Nothing is counted: it may be
 * tried again. */
bool limit_admits_bytes(TraceLimit *limit, size_t bytes);
/* It may not, and the event is not told: once for each. */
void limit_refuse_bytes(TraceLimit *limit, TracerTopic topic);
/* Any thread: the message was received, or not sent. */
void limit_give_back(TraceLimit *limit, size_t bytes);

/* Of refusals of which nothing was said. `bucket`: the caller's own, or any, below limit_buckets. False: there are
 * none; otherwise the caller is to say it. */
unsigned limit_buckets(const TraceLimit *limit);
unsigned limit_bucket_here(const TraceLimit *limit);
bool limit_has_unsaid(const TraceLimit *limit, unsigned bucket);
bool limit_take_unsaid(TraceLimit *limit, unsigned bucket, uint64_t counts[REFUSALS]);
void limit_put_unsaid(TraceLimit *limit, unsigned bucket, const uint64_t counts[REFUSALS]); /* it could not be said */

/* Any thread, while they are written. */
uint64_t limit_refused(const TraceLimit *limit, TracerTopic topic);
int64_t limit_waiting(const TraceLimit *limit); /* bytes */

#endif
