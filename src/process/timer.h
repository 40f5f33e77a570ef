/*
 * Timers: a wheel of one-millisecond ticks (process/wheel.h) for each scheduler.
 *
 * A timer lives in the wheel of the scheduler that its setter ran on when it was begun (other threads use wheel 0),
 * under that wheel's lock (TIMER_WHEEL); setting and cancelling are constant time, by any thread: the setter may have
 * given his scheduler away meanwhile (base/long_work.h), so whoever sets one that is due before all others calls the
 * wheel's scheduler, unless he is it. A timer is IN the wheel, or it has FIRED: then nobody can cancel it any more and
 * its signal is on its way. The wheel's scheduler fires what is due between slices, a part at a time, without the lock;
 * and moves what is due soon to where it is found, as small a part at a time, ahead of need.
 * A timer never fires early: the time is rounded up to the next tick. Those of one wheel and tick fire in the order in
 * which they were set, as on the stock runtime.
 *
 * None fires late because its scheduler sleeps: who sets one writes `due`, then calls; the scheduler resets its event,
 * then reads `due`, then sleeps (process/run_queue.h). A call that the reset forgets comes before it, with what was
 * written before (sys/thread.h); one that it does not forget ends the sleep. test/model/m_timers.c tries all
 * executions.
 *
 * Two kinds: those that call an actor, which owns them (a process its receive's timeout, p->receive_timer; a port that
 * of its driver), and those of erlang:start_timer and send_after, found by their reference (reference_wheel says in
 * which wheel). One for a pid goes when that process ends, not when its setter does; one for a name stays. Source:
 * erlang(3) start_timer/4, cancel_timer/2.
 */
#ifndef VIV_PROCESS_TIMER_H
#define VIV_PROCESS_TIMER_H

#include "process/clock.h"
#include "process/message.h"

void timers_init(unsigned wheels);
/* Of all messages that timers are to send, without locks: by one who is alone, as the program ends. `to` is a pid or a
 * name. */
void timers_each_alone(void (*each)(Term to, Term message, int64_t milliseconds_left, void *data), void *data);

/* Fires what is due in the scheduler's own wheel; returns the time (clock_monotonic) when it wants to be called again,
 * -1 when there are no timers. Cheap when nothing is due. */
int64_t timers_run(unsigned wheel);
int64_t timers_next(unsigned wheel);
size_t timers_count(void);

/* `message` is sent to `destination` (pid or registered name) at `milliseconds` of monotonic time; the wheel owns it
 * from now. Build the reference with reference_with_wheel(area, key, wheel): `wheel` is timer_wheel_here, of now or of
 * before. By a thread that is online. */
unsigned timer_wheel_here(void);
void timer_send_at(unsigned wheel, uint64_t key, int64_t milliseconds, Term destination, KeptMessage message);
/* p is exiting: frees the timers that are for it, and lowers *reductions. False: there are more. */
bool timers_end_for(Process *p, int64_t *reductions);
/* Milliseconds left, rounded up; -1 when there is no such timer. `cancel` takes it away. */
int64_t timer_look(Term reference, bool cancel);

/* A timer that calls: at `milliseconds` of monotonic time the actor gets a signal, and `handle` runs there. It is the
 * actor's, by whom all of these are called: `handle` gets it back by timer_of_call, and frees it. Cancelling frees it
 * where that is true; where it is not its signal is on its way, and `handle` will free it. */
typedef struct Timer Timer;
Timer *timer_call_at(Term actor, int64_t milliseconds, void handle(Process *, CallSignal *));
Timer *timer_of_call(CallSignal *call);
void timer_call_free(Timer *timer);
must_check bool timer_call_cancel(Timer *timer);
/* Milliseconds left; 0: it is due. */
int64_t timer_call_left(const Timer *timer);

#endif
