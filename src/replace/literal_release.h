/*
 * Literal areas that are to go: handed in by who owned them, released one at a time.
 *
 * The stock process erts_literal_area_collector does it (bif/code/literal_release.c makes its steps, in the phases that
 * heap/literal.h describes): it takes the oldest of the queue, asks every process by a system task to let go of it, and
 * when all have, the area is freed. A process that does not answer, as it is in a long call on a dirty thread, delays
 * the areas in the queue and nobody else. Without an OTP root there is no such process: then the areas stay.
 *
 * The queue is under the lock LITERAL_RELEASE. Handing in: any thread that may look processes up.
 */
#ifndef VIV_REPLACE_LITERAL_RELEASE_H
#define VIV_REPLACE_LITERAL_RELEASE_H

#include "heap/literal.h"
#include "process/system_task.h"

/* Nothing leads to the area any more, since before the last thread progress or from now on: only those who have a
 * reference already do. The area is not the caller's any more. */
void literal_release(LiteralArea *la);

/* For the collector. The next of the queue, or NULL; it stays the one that is being released until literal_released. */
LiteralArea *literal_release_take(void);
/* After the last phase: frees it. */
void literal_released(void);

/* Lets go of the literals that are leaving. The argument is how: `init`: says `ok` when there are none, `need_gc` when
 * there are some; anything else: copies them, with a collection, and says `ok`. */
extern const SystemTaskKind system_task_copy_literals;

/* Does p refer to these literals? By its owner, between slices. The thread may go offline for thread progress
 * meanwhile (base/long_work.h). */
bool process_refers_to_literals(Process *p, LiteralRange range);
/* Calls `each` for every area that is waiting, or being released, whose owner is that module. */
void literal_release_each(Term owner, void (*each)(const LiteralArea *, void *), void *data);

#endif
