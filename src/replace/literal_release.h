/*
 * Literal areas that are to go: handed in by who owned them, released together with all that wait by then.
 *
 * The stock process erts_literal_area_collector does it (bif/code/literal_release.c makes its steps, in the phases that
 * heap/literal.h describes): it takes the queue, a *batch*, asks every process that it may concern (replace/asked.h)
 * by a system task to let go of it, and when all have, it is freed. One round, however many areas there are.
 * Without an OTP root there is no such process: then the areas stay.
 *
 * No area waits for a dirty call that does not refer to it. While a process is in one, the question is answered through
 * its gate (process/dirty_gate.h), by whoever handles its signals: he looks for all that refers to the batch.
 *
 *   - Messages that no receive has looked at the call cannot see: they are copied without literals, there and then.
 *   - What the call holds in C variables it has from its arguments, which stay in p->saved, and the heap that they lead
 *     to, where nothing changes while the gate is open. Its own area has what it builds, which refers to no literals
 *     but those; copies of terms from elsewhere have none (docs/LITERALS.md). So when the look finds nothing, the call
 *     has nothing. (What other processes sent before has arrived, as with any process that is asked.)
 *   - An area that something else refers to (arguments, heap, stack, dictionary) is *held*: the C code may read it at
 *     any moment. It stays marked, is not freed with its batch, and goes along with the next. There is a next one, at
 *     the latest when the call is over (literal_holder_leaves); by then the process has let go, for the question has
 *     become a task that it comes to before it runs any code again.
 *
 * A process that was taken apart in its call (process/dirty_end.h) has left a shell: nobody asks it. When all processes
 * have answered, the collector looks at the shells in the same way (literal_release_look_at_shells).
 *
 * The queue, the batch and what is held are under the lock LITERAL_RELEASE. The areas of the batch are read without it
 * by those who are asked, as it does not change until all have answered. Handing in: any thread that may look processes
 * up.
 */
#ifndef VIV_REPLACE_LITERAL_RELEASE_H
#define VIV_REPLACE_LITERAL_RELEASE_H

#include "heap/literal_copy.h"
#include "process/system_task.h"

/* Nothing leads to the area any more, since before the last thread progress or from now on: only those who have a
 * reference already do. The area is not the caller's any more. */
void literal_release(LiteralArea *la);

/* Many of them. */
typedef struct {
    LiteralArea *first, *last; /* linked by `next`, in the order in which they came */
    size_t count;
} LiteralAreas;
void literal_areas_add(LiteralAreas *to, LiteralArea *la);
void literal_areas_move(LiteralAreas *to, LiteralAreas *from);
/* In no time, however many there are; they are the caller's no more. */
void literal_release_all(LiteralAreas *areas);

/* For the collector. Takes all that waits, and marks it: the range that covers it; 0 when nothing waits. It is the
 * batch until literal_released, which comes after the last phase and frees what is not held. Both may take long, and
 * are called with no lock and nothing that thread progress keeps good. */
LiteralRange literal_release_take(void);
/* Of the batch. */
Birth literal_release_oldest(void);
void literal_release_look_at_shells(void);
void literal_released(void);

/* By its owner, with the gate shut, when the dirty call of a process with FLAG_HOLDS_LITERALS is over. Any thread that
 * may look processes up. */
void literal_holder_leaves(Process *p);

/* Lets go of the literals that are leaving. The argument is how: `init`: says `ok` when there are none, `need_gc` when
 * there are some; anything else: copies them, with a collection, and says `ok`. */
extern const SystemTaskKind system_task_copy_literals;

/* Does p refer to these literals? By its owner, between slices. The thread may go offline for thread progress
 * meanwhile (base/long_work.h). */
bool process_refers_to_literals(Process *p, LiteralSet set);
/* Has p to be asked for the batch (replace/asked.h)? It rests; one that has much does not say. `none` is NULL. */
bool literal_release_concerns(Process *p, const void *none);
/* Calls `each` for every area that is waiting, or being released, whose owner is that module. */
void literal_release_each(Term owner, void (*each)(const LiteralArea *, void *), void *data);

#endif
