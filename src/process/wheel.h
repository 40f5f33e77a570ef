/*
 * A wheel: items that are due at some tick. They are put in and taken out at any time, in constant time, and those of
 * one tick come out in the order in which they were put in.
 *
 * A slot of level 0 holds one tick, a slot of a level above as many ticks as half the slots of the level below it hold.
 * `now` is the tick that it has come to. The slot that it is in is the *present* one of its level, the one behind that
 * the *next*. Each level covers the present and the next slot of the level above, and an item is on the lowest level
 * that covers its tick, but for what follows.
 *
 * Nothing is done to many items at once. While a slot is the next of its level, what is in it moves down, item by item,
 * counted: there is as much time for that as the slot is long. When it becomes the present one it is empty; `now` does
 * not pass into it before. A slot that moves down is a queue: as long as something is in it, what is put in for its
 * ticks goes to its end, and comes down to the end of its slot below. So the order of a tick's items is kept.
 *
 * Who uses it has it for himself, or under a lock. The items are his.
 */
#ifndef VIV_PROCESS_WHEEL_H
#define VIV_PROCESS_WHEEL_H

#include "base/defs.h"

#define WHEEL_NEAR_BITS 8
#define WHEEL_FAR_BITS 6
#define WHEEL_LEVELS 7 /* up to 2^44 ticks from now */
#define WHEEL_NEVER INT64_MAX

typedef struct WheelItem WheelItem;
typedef struct {
    WheelItem *first, **last; /* `last` is meaningful while there is a first */
} WheelSlot;

struct WheelItem {
    int64_t at;
    WheelItem *next, **link;
    WheelSlot *slot;
    uint32_t level;
};

typedef struct {
    int64_t now;
    size_t count, level_count[WHEEL_LEVELS];
    WheelSlot near[2 << WHEEL_NEAR_BITS];
    WheelSlot far[WHEEL_LEVELS - 1][2 << WHEEL_FAR_BITS];
} Wheel;

/* An empty one, all zero or used before. */
void wheel_set(Wheel *wheel, int64_t now);
/* item->at is later than `now`, by less than 2^44. Gives the tick at which the wheel must be looked at for its sake. */
int64_t wheel_put(Wheel *wheel, WheelItem *item);
void wheel_remove(Wheel *wheel, WheelItem *item);
/* The next item that is due at `to` or before, taken out; NULL: there is none, or *work, which counts what is done, is
 * used up, and it must be looked at again soon. Each tick's items are due when `now` has come there. */
WheelItem *wheel_take(Wheel *wheel, int64_t to, unsigned *work);
/* The first tick at which something has to be done: an item is due, or a slot is to move down. `now` at the earliest;
 * WHEEL_NEVER: it is empty. */
int64_t wheel_due(const Wheel *wheel);

#define WHEEL_WORK_TO_TAKE 2 /* to move an item down: 1 */

#endif
