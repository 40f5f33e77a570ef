/*
 * The receive side of a process: what the instructions of a receive do, word for word.
 *
 *   loop:  m = receive_peek(p)      next message not yet looked at; fetches new signals when the list is used up
 *          ... match m->term ...
 *          receive_remove(p, m)     it matched: take it out, the position goes back to the start
 *          receive_next(p)          it did not: go on with the one behind it
 *          receive_wait(p)          there was none: may the process sleep? false if something has come meanwhile
 *
 * All run on the process's own thread; nothing collects. receive_peek moves the message's data into the heap (inline
 * words are copied to it, a fragment is adopted) before it returns the message: code takes parts of the term apart
 * while it matches and keeps pointers to them in registers beyond receive_remove, which then only unlinks and frees the
 * Message. From there on m->term is a root of every collection. Where message_queue_data is off_heap, the data stays in
 * a fragment of the message until receive_remove, which makes that part of the heap where it lies; when a collection
 * comes while code matches (p->matched is the current message), it does so first. The current message is *p->save.
 * receive_peek handles the other signals that come in between (links, exits, monitors, ...): it may find that the
 * process must exit, and then returns NULL with fail.reason FAIL_EXITING; or that it is suspended: then it returns NULL
 * whatever has come, and the process leaves its code, and begins at `loop` when it goes on (process_must_stop). Where a
 * receive may begin further on, or must begin again: process/receive_marker.h.
 */
#ifndef VIV_PROCESS_RECEIVE_H
#define VIV_PROCESS_RECEIVE_H

#include "process/message.h"

Message *receive_peek(Process *p);
/* What receive_peek would give if there is nothing to do but to look: nothing to fetch, nothing to move in. Else
 * NULL. */
static inline const Message *receive_seen(const Process *p) {
    const Message *m = (const Message *)*p->save;
    return m != NULL && m->signal.detail == 0 && m->data == NULL ? m : NULL;
}
Term receive_remove(Process *p, Message *m);
static inline void receive_next(Process *p) { p->save = (Message **)&(*p->save)->signal.next; }
bool receive_wait(Process *p);
/* Of one that sleeps until there is a message: other signals are handled as they come. False: there is a message, or it
 * must exit. It may have been suspended. */
bool receive_may_sleep(Process *p);

/* Sets the timer of a `receive ... after`: ms is a small or big integer >= 0, or infinity. False: bad value
 * (timeout_value). Called again while it is set (the loop went round), it leaves it alone, and
 * does not look at `ms`, which is not kept over a wait. */
bool receive_timeout_set(Process *p, Term ms);
/* Of one that is suspended: gives how many milliseconds are left, and they do not pass; -1: there is none, or it is
 * over just now. And they pass again. */
int64_t receive_timeout_hold(Process *p);
void receive_timeout_go_on(Process *p, int64_t milliseconds);
bool receive_timeout_is_over(const Process *p);
void receive_timeout_clear(Process *p); /* after a match, and at the `timeout` instruction, which also rewinds */
/* The next receive begins with the oldest message. */
static inline void receive_rewind(Process *p) { p->save = &p->messages; }

/* Dest ! Message for any kind of destination. Returns the message, or NON_VALUE (badarg; or a trap). */
Term process_send(Process *p, Term destination, Term message);
/* The same as a priority message, if `destination` is an alias that takes such. */
Term process_send_priority(Process *p, Term destination, Term message);

#endif
