/*
 * Who is asked whether he refers to what is to go: code that is purged, areas of literals.
 *
 * The stock processes erts_code_purger and erts_literal_area_collector ask each process that processes/0 tells them of.
 * To these two, when they have begun, it tells only of those who may say yes (asked_list); so what they do costs what
 * it concerns, however many sleep beside it. All others would answer no, now and at any time later: for nobody can come
 * to refer to what is to go who does not, which is what was waited for before (replace/purge.h, heap/literal.h).
 *
 * Not asked is who rests, and
 *   - whose bound (process/rest.h) is older than all that is to go: he has not run since before it was made. That is
 *     known from the bounds alone, of whole blocks of the process table at a time (process/bounds.h);
 *   - or who was looked at, and refers to nothing of it. That leaves a bound, so he is passed over the next time,
 *     unless he has run, or what is to go then is older than that look.
 *   - who ends, and has let go of all that he refers to (STATE_LET_GO).
 * Everybody else is asked, by the system tasks that the stock processes send: who runs or stands in a queue, who is in
 * a dirty call, who was looked at and does refer to it, and who has too much to look at. And who was told to end and
 * has not begun to, though processes/0 does not name him to others: his reason may be a literal, and he may be in a
 * call with others. He answers when he has ended (process/system_task.c).
 *
 * That it is right. Code: nobody enters it since a thread progress, which was waited for (replace/purge.h); so one who
 * was woken since, though the bound that was read did not say so, cannot (process/rest.h, first case), and before
 * that he did not refer to it. Literals: nothing that was sent since a thread progress refers to them; whoever was
 * sent a reference before that has handled the signal, or his bound says that he may refer to anything, after
 * REST_PROGRESSES (second case, heap/literal.h); one who is looked at has no signals, so he has handled it.
 *
 * The work is done in rounds, of which the two processes do one a time slice, and wait for thread progress between two:
 * so those who wait in the same run queue run meanwhile, also less urgent ones, and nobody who waits for the end waits
 * for less urgent ones. One place for each of the two; it belongs to its process.
 */
#ifndef VIV_REPLACE_ASKED_H
#define VIV_REPLACE_ASKED_H

#include "base/birth.h"
#include "process/rest.h"

typedef struct {
    Birth born;     /* the oldest of what is to go */
    RestLook *look; /* does it refer to that? */
    const void *data; /* stays good until asked_end */
} AskedAbout;

/* By p, one of the two. After the progress that it says above. */
void asked_begin(Process *p, const AskedAbout *about);
/* One round, which lowers p's reductions. False: there is more to do in the next slice. No section is open. */
must_check bool asked_go_on(Process *p);
/* Whom p is to ask: a list of pids, once for each time that it has begun and gone on to the end. NON_VALUE: p asks for
 * something else, or is another process. */
Term asked_list(Process *p);
/* It will not ask. */
void asked_end(Process *p);

#endif
