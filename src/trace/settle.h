/*
 * Orders that every process has taken up are void: which those are, so that the log of a session does not grow.
 *
 * An order for all costs nothing but its place in the log (trace/orders.h); a process that sleeps takes it up when it
 * next runs. So when a log has become long, all those are woken that have not seen its end; and when it has grown by as
 * much again, one looks how far all have come. That is two walks of the table of processes, or of ports, for each
 * ORDERS_BETWEEN orders; no lock is held, and processes that work go on.
 *
 * What has been seen by all: nobody may take up an older order afterwards.
 *   - Whoever runs at the beginning of the first walk and has not seen epoch E is in the table: the walk finds him so,
 *     or later, when he has.
 *   - A child begins with its parent's epoch. One that such a parent has published behind the first walk's back is in
 *     the table for the second; before it runs, and has children, it takes up all that is there.
 *   - What a match program asks for another process is a signal that carries its sender's epoch, and is older than the
 *     orders after that: nothing is void while such signals are on their way (session.h, trace_follow).
 * A process publishes its epoch (release) when it is through with the orders up to it. A port begins with the epoch
 * that there is when it is in its table already, and has none before.
 */
#ifndef VIV_TRACE_SETTLE_H
#define VIV_TRACE_SETTLE_H

#include "trace/session.h"

/* Any thread that may look at shared structures, no lock held. Long work, and thread progress may pass meanwhile: what
 * the caller has of the session without a count is of no use any more. */
void trace_settle(TraceSession *session, TracedKind kind);
/* Around the time that such a signal takes. */
void trace_settle_put_off(void);
void trace_settle_again(void);

#endif
