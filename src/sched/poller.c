#include "sched/poller.h"

#include "base/race_window.h"
#include "nif/select.h"
#include "port/child_end.h"
#include "port/select.h"
#include "process/fd_table.h"
#include "process/fd_wait.h"
#include "see/door.h"
#include "sys/event_polling.h"

enum { VACANT, LOOKING, WAITING };
static _Atomic uint32_t held;
static _Atomic uint32_t looks;
static _Atomic bool watch_sleeps;
static SysEvent watch;

bool poller_is_vacant(void) { return atomic_load_explicit(&held, memory_order_relaxed) == VACANT; }
uint32_t poller_looks(void) { return atomic_load_explicit(&looks, memory_order_relaxed); }

static bool take_role(uint32_t as) {
    uint32_t vacant = VACANT;
    if (!poller_is_vacant() || !atomic_compare_exchange_strong(&held, &vacant, as))
        return false;
    atomic_store_explicit(&looks, poller_looks() + 1, memory_order_relaxed);
    return true;
}

static void give_role_back(void) {
    atomic_store(&held, VACANT);
    if (unlikely(atomic_load(&watch_sleeps)))
        event_wake(&watch);
}

void poller_sleep(SysEvent *e, int64_t until, PollerFound *found) {
    if (!take_role(WAITING)) {
        (void)event_wait(e, until);
        return;
    }
    race_window("a scheduler is to wait for descriptors");
    found->count = event_wait_polling(e, until, found->events, POLLER_MOST);
    give_role_back();
}

static void hand_out(const FdEvent *event) {
    if (child_is_key(event->key))
        child_ready(event->key);
    else if (fd_wait_is_key(event->key))
        fd_wait_ready(event->key);
    else if (see_door_is_key(event->key))
        see_door_ready();
    else if (fd_kind_of_key(event->key) == FD_OF_PORTS)
        port_select_ready(event->key, event->events);
    else
        nif_select_ready(event->key, event->events);
}

void poller_hand_out(PollerFound *found) {
    for (int i = 0; i < found->count; i++)
        hand_out(&found->events[i]);
    found->count = 0;
}

bool poller_look(void) {
    PollerFound found;
    if (!take_role(LOOKING))
        return false;
    found.count = fd_poll_wait(found.events, POLLER_MOST, 0);
    give_role_back();
    bool any = found.count > 0;
    poller_hand_out(&found);
    return any;
}

void poller_watch_sleep(void) {
    event_reset(&watch);
    atomic_store(&watch_sleeps, true);
    if (atomic_load(&held) == WAITING)
        (void)event_wait(&watch, -1);
    atomic_store(&watch_sleeps, false);
}
