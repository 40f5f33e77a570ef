/*
 * Processes that rest: what may be known of them without asking, and done to them without waking them.
 *
 * A process rests while none of RUNNING, QUEUED and the DIRTY bits is set in its state. Nothing of it changes then, and
 * no thread has it. To ask it something it must be sent a signal, wake, and run: microseconds, and a place in a run
 * queue. Who only wants to look *owns* it instead: he sets RUNNING, by compare and swap on a state in which it rests,
 * looks, and clears RUNNING again as a scheduler does (process/run_queue.c). Whoever pushes a signal meanwhile finds
 * RUNNING, and leaves the rest to the owner, who puts the process into a run queue if he finds signals when he leaves.
 * So a look loses no wake-up; it delays one by as long as it takes. (Who is woken with no signal, for what he does
 * whenever he runs, may be left asleep, as one who is about to leave may.) test/model/m_rest.c tries all executions.
 *
 * Who would send it a signal that it need not hear of, for it only notes something (a monitor, process/monitor.h), may
 * own it and do in its place what the signal would. If there are signals he sends his own behind them: those that he,
 * or another whom he has heard of since, has sent before are among them, or were handled. What was handled is all that
 * was taken, for it rests. One that is traced, or is to take up what was ordered for all, or has messages to tell of
 * before it handles a signal, is sent the signal, too. So nobody can tell which of the two it was, but by the time.
 *
 * After a look a *bound* is left beside the process's slot (process/bounds.h): the newest that was born at that
 * time. While the process goes on resting it refers to nothing that was born later, for what it refers to was born
 * before it came to rest, as who looks has seen. STATE_HAS_BOUND says that there may be such a bound: whoever sets
 * QUEUED clears it by the same compare and swap and makes the bound BIRTH_NEVER, before he puts the process into a
 * queue. So it costs those who wake processes one test of a word that they have in hand, and schedulers nothing.
 *
 * The bounds are read by who asks whom something concerns (replace/asked.h), without looking at the processes at all.
 * He may read a bound though its process has been woken already, or has signals. What makes that right is thread
 * progress; a *section* is the time between two quiescent points of a thread that is online, or between its coming
 * online and going offline. All that was stored in sections which ended before a progress is seen after it.
 *
 *   - Running. He reads a bound, after a progress that he has waited for. Then the process has not run since that
 *     bound was left; or it was woken in a section that goes on beyond the progress, and whoever wakes or runs it has
 *     seen what he did before he waited. (Otherwise he would have read BIRTH_NEVER.)
 *   - Signals. A signal was pushed in a section that ended before a first progress. After three more, the process has
 *     handled it, or he reads BIRTH_NEVER. Let A be who pushed onto the list when it was empty, that signal or an
 *     earlier one: his section ends before the second progress. He sets QUEUED and makes the bound BIRTH_NEVER, or
 *     finds a bit set by B, in a section that begins before A's ends, and so ends before the third. B has woken it: he
 *     makes the bound BIRTH_NEVER. Or he is a scheduler: that was done before he got it. Or he looks: the bound was
 *     made BIRTH_NEVER when he began to. He leaves none if he sees signals; if he sees none, he saw none before A came,
 *     in a section that ends before the second progress, and finds them as he leaves: he sets QUEUED, or finds a bit
 *     set by C, whose section ends before the fourth: one who wakes it, or one who looks, finds the signals, and
 *     leaves no bound. Later bounds are left with no signal there, so after it was handled.
 */
#ifndef VIV_PROCESS_REST_H
#define VIV_PROCESS_REST_H

#include "process/process.h"

/* Of the second case above. */
#define REST_PROGRESSES 4

/* By the owner: does it have to be asked? May not change it. Others wait for p as long as it takes. It may take the
 * thread offline for thread progress (base/long_work.h). */
typedef bool RestLook(Process *p, const void *data);

/* True: p rests, no signal has come to it, and `look` said false. Otherwise it has to be asked. Any thread that may
 * look pids up, outside of open sections. */
must_check bool rest_look(Process *p, RestLook *look, const void *data);

/* By the owner: what the handler of a signal would do; what it allots is p's. Counts no long work, sends and builds
 * nothing. */
typedef void RestDeed(Process *p, const void *data);

/* True: p rested, nothing had come to it, and the deed was done. Otherwise it is to be sent the signal. It leaves no
 * bound. Any thread that may look pids up, outside of open sections. */
must_check bool rest_do(Process *p, RestDeed *deed, const void *data);

#endif
