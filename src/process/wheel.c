#include "process/wheel.h"

/* Of the ticks of a slot. */
static inline unsigned shift_of(unsigned level) {
    return level == 0 ? 0 : WHEEL_NEAR_BITS + (level - 1) * WHEEL_FAR_BITS;
}
static inline int64_t index_of(unsigned level, int64_t at) { return at >> shift_of(level); }
static inline int64_t start_of(unsigned level, int64_t index) { return index * ((int64_t)1 << shift_of(level)); }

static inline WheelSlot *slot_at(const Wheel *w, unsigned level, int64_t index) {
    if (level == 0)
        return (WheelSlot *)&w->near[index & ((2 << WHEEL_NEAR_BITS) - 1)];
    return (WheelSlot *)&w->far[level - 1][index & ((2 << WHEEL_FAR_BITS) - 1)];
}

static inline WheelSlot *next_slot(const Wheel *w, unsigned level) {
    return slot_at(w, level, index_of(level, w->now) + 1);
}

void wheel_set(Wheel *w, int64_t now) { w->now = now; }

/* Behind the last slot that the level covers. */
static inline int64_t end_of(const Wheel *w, unsigned level) {
    return start_of(level + 1, index_of(level + 1, w->now) + 2) >> shift_of(level);
}

/* The level for that tick; it comes from the one that is given, or from outside, WHEEL_LEVELS. */
static unsigned level_for(const Wheel *w, int64_t at, unsigned from) {
    unsigned level = 0;
    while (level < WHEEL_LEVELS - 1 && index_of(level, at) >= end_of(w, level))
        level++;
    for (unsigned up = level + 1; up < from && index_of(up, at) != index_of(up, w->now); up++)
        if (next_slot(w, up)->first != NULL)
            level = up;
    return level;
}

static void put_in(Wheel *w, WheelItem *item, unsigned from) {
    item->level = level_for(w, item->at, from);
    w->level_count[item->level]++;
    WheelSlot *slot = item->slot = slot_at(w, item->level, index_of(item->level, item->at));
    item->next = NULL;
    item->link = slot->first == NULL ? &slot->first : slot->last;
    *item->link = item;
    slot->last = &item->next;
}

static void take_out(Wheel *w, WheelItem *item) {
    w->level_count[item->level]--;
    *item->link = item->next;
    if (item->next != NULL)
        item->next->link = item->link;
    else
        item->slot->last = item->link;
}

int64_t wheel_put(Wheel *w, WheelItem *item) {
    w->count++;
    put_in(w, item, WHEEL_LEVELS);
    if (item->level == 0)
        return item->at;
    int64_t moves_at = start_of(item->level, index_of(item->level, item->at) - 1);
    return moves_at > w->now ? moves_at : w->now;
}

void wheel_remove(Wheel *w, WheelItem *item) {
    w->count--;
    take_out(w, item);
}

/* The lowest level with something to move down, or 0. */
static unsigned level_to_move(const Wheel *w) {
    for (unsigned level = 1; level < WHEEL_LEVELS; level++)
        if (w->level_count[level] > 0 && next_slot(w, level)->first != NULL)
            return level;
    return 0;
}

/* False: there is more to move. */
static bool move_down(Wheel *w, unsigned *work) {
    for (unsigned level; (level = level_to_move(w)) != 0; --*work) {
        if (*work == 0)
            return false;
        WheelItem *item = next_slot(w, level)->first;
        take_out(w, item);
        put_in(w, item, level);
    }
    return true;
}

/* The first slot of the level from `index` on, up to `end`, that holds something; `end` when none does. */
static int64_t first_full(const Wheel *w, unsigned level, int64_t index, int64_t end) {
    if (w->level_count[level] == 0)
        return end;
    while (index < end && slot_at(w, level, index)->first == NULL)
        index++;
    return index;
}

/* The first tick of an item that is on level 0, before `end`; `end` when there is none. */
static int64_t first_item(const Wheel *w, int64_t end) { return first_full(w, 0, w->now, end); }

int64_t wheel_due(const Wheel *w) {
    if (w->count == 0)
        return WHEEL_NEVER;
    if (level_to_move(w) != 0)
        return w->now;
    int64_t end = end_of(w, 0), due = first_item(w, end);
    if (due == end)
        due = WHEEL_NEVER;
    for (unsigned level = 1; level < WHEEL_LEVELS; level++) {
        int64_t behind = end_of(w, level);
        int64_t index = first_full(w, level, index_of(level, w->now) + 2, behind);
        if (index < behind && start_of(level, index - 1) < due)
            due = start_of(level, index - 1);
    }
    return due;
}

/* On to the next tick with an item, `to` at most. While something is to move down `now` stays in the present slots:
 * what moves is due later. False: there is no such item yet. */
static bool go_on(Wheel *w, int64_t to, unsigned *work) {
    do {
        bool moves = level_to_move(w) != 0;
        int64_t end = moves ? start_of(1, index_of(1, w->now) + 1) : WHEEL_NEVER;
        int64_t due = moves ? first_item(w, end) : wheel_due(w);
        if (due <= to && due < end) {
            w->now = due;
        } else if (!moves) {
            w->now = to > w->now ? to : w->now;
            return false;
        } else if (!move_down(w, work)) {
            return false;
        }
    } while (slot_at(w, 0, w->now)->first == NULL);
    return true;
}

WheelItem *wheel_take(Wheel *w, int64_t to, unsigned *work) {
    if (*work < WHEEL_WORK_TO_TAKE || (slot_at(w, 0, w->now)->first == NULL && !go_on(w, to, work)))
        return NULL;
    WheelItem *item = slot_at(w, 0, w->now)->first;
    *work -= *work < WHEEL_WORK_TO_TAKE ? *work : WHEEL_WORK_TO_TAKE;
    wheel_remove(w, item);
    return item;
}
