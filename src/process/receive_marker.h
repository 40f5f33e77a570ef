/*
 * Places in the message queue that are kept beside the receive's own (`save`): where receives for fresh references may
 * begin, and where the next priority message goes. All by the owner of the process, as its queue.
 *
 * Markers (recv_marker_* instructions, OTP 24 and later) let a receive for a fresh reference skip the messages that
 * were there before it was made: receive_marker_reserve remembers the end of the queue, _bind says for which reference
 * that was, _use lets the next receive begin there.
 *
 * Priority messages (OTP 28, EEP 76) stand before all ordinary ones, in the order in which they came: each is put
 * behind the last of them. Whether a message is one is seen when its signal is handled, by what the receiver keeps of
 * the alias, the link or the monitor that it comes by (process/signal_handle.h); signals keep their order, and nothing
 * that stands in the queue changes its place. That messages come in the midst of the queue concerns three:
 *
 *   - a receive that has passed the place begins again with the oldest message. What did not match before does not
 *     match now, so nothing is seen but that the queue is walked once more. No receive is in the midst of a message
 *     then: signals are handled when it wants another one, or between slices.
 *   - a receive that begins at a marker: the reference may stand in a priority message before it. So _use looks through
 *     those for the reference, and begins at the first that holds it; who gives many of them the time to pile up pays.
 *   - messages that were not told (Process.untold): they have been by then, as any other kind of signal sees to it.
 *
 * Who never got a priority message, nor has markers, pays nothing.
 */
#ifndef VIV_PROCESS_RECEIVE_MARKER_H
#define VIV_PROCESS_RECEIVE_MARKER_H

#include "process/message.h"

#define MARKERS_MAX 8
typedef struct Markers {
    struct {
        uint64_t id, key; /* id 0: free; key 0: not bound yet */
        Message **position;
    } marker[MARKERS_MAX];
    uint64_t next_id;
    Message **priority_end; /* where the next priority message goes; NULL: there has been none */
} Markers;

Term receive_marker_reserve(Process *p);
void receive_marker_bind(Process *p, Term marker, Term reference);
void receive_marker_clear(Process *p, Term reference);
void receive_marker_use(Process *p, Term reference);
/* For tests: the numbers of the next markers follow this one, of which only what a small integer holds counts. */
void receive_markers_count_from(Process *p, uint64_t number);

/* Puts m, which is nobody else's, behind the last priority message. Counts nothing. */
void receive_put_priority(Process *p, Message *m);
/* A message was taken out of the queue of one that has Markers: what lay in it lies in `to` now. */
static inline void receive_markers_moved(Process *p, Message **from, Message **to) {
    Markers *all = p->markers;
    for (int i = 0; i < MARKERS_MAX; i++)
        if (all->marker[i].position == from)
            all->marker[i].position = to;
    if (all->priority_end == from)
        all->priority_end = to;
}

#endif
