#include "distribution/ties.h"

#include "alloc/alloc.h"
#include "process/reference.h"

#include <string.h>

static void add(Ties *ties, KeyTable *table, Tie *tie, uint64_t key, TieKind kind) {
    tie->node.key = key;
    tie->kind = kind;
    key_table_add(table, &tie->node);
    tie_order_append(&ties->order, tie);
}

static void take_out(Ties *ties, KeyTable *table, Tie *tie) {
    key_table_remove(table, tie->node.key);
    tie_order_remove(&ties->order, tie);
}

/* --- links -------------------------------------------------------------------------------------------------------- */

static LinkTies *links_of(Ties *ties, Term from) { return (LinkTies *)key_table_find(&ties->links, from); }

static LinkTie *link_find(Ties *ties, Term from, Far *far) {
    const LinkTies *of = links_of(ties, from);
    return of == NULL ? NULL : (LinkTie *)key_table_find(&of->by_far, (uint64_t)far);
}

static LinkTies *links_put(Ties *ties, Term from) {
    LinkTies *of = links_of(ties, from);
    if (of != NULL)
        return of;
    of = mem_calloc(ALLOC_LINK, sizeof *of);
    of->node.key = from;
    key_table_add(&ties->links, &of->node);
    return of;
}

static LinkTie *link_put(Ties *ties, Term from, Far *far) {
    LinkTies *of = links_put(ties, from);
    LinkTie *tie = (LinkTie *)key_table_find(&of->by_far, (uint64_t)far);
    if (tie != NULL)
        return tie;
    tie = mem_calloc(ALLOC_LINK, sizeof *tie);
    tie->of = of;
    far_retain(far);
    add(ties, &of->by_far, &tie->tie, (uint64_t)far, TIE_LINK);
    return tie;
}

void tie_link_take(Ties *ties, LinkTie *tie, Term *from, Far **far) {
    LinkTies *of = tie->of;
    *from = of->node.key;
    *far = (Far *)tie->tie.node.key;
    take_out(ties, &of->by_far, &tie->tie);
    mem_free(ALLOC_LINK, tie);
    if (of->by_far.count == 0) {
        key_table_remove(&ties->links, of->node.key);
        mem_free(ALLOC_LINK, of);
    }
}

static void link_drop(Ties *ties, LinkTie *tie) {
    Term from;
    Far *far;
    tie_link_take(ties, tie, &from, &far);
    far_release(far);
}

static void drop_if_done(Ties *ties, LinkTie *tie) {
    if (!link_tie_is_linked(tie) && tie->unlinking == 0 && tie->unanswered == 0)
        link_drop(ties, tie);
}

static LinkTie *link_put_of(Ties *ties, Term from, Term pid) {
    Far *far = far_put(pid);
    LinkTie *tie = link_put(ties, from, far);
    far_release(far);
    return tie;
}

/* It waits for no acknowledgement any more. One that is made anew is as one that is new. */
void tie_link(Ties *ties, Term from, Term pid) {
    LinkTie *tie = link_put_of(ties, from, pid);
    if (!link_tie_is_linked(tie)) {
        tie_order_remove(&ties->order, &tie->tie);
        tie_order_append(&ties->order, &tie->tie);
    }
    tie->is_ordered = true;
    tie->is_doubtful = false;
    tie->unlinking = 0;
}

void tie_unlink(Ties *ties, Term from, Term pid, uint64_t id) {
    LinkTie *tie = link_put_of(ties, from, pid);
    tie->is_ordered = false;
    tie->is_doubtful = tie->has_come = tie->has_come && tie->unanswered > 0;
    tie->unlinking = id;
}

void tie_acknowledge(Ties *ties, Term from, Term pid) {
    Far *far = far_find(pid);
    LinkTie *tie = far == NULL ? NULL : link_find(ties, from, far);
    if (tie != NULL && tie->unanswered > 0) {
        tie->unanswered--;
        tie->is_ordered = false;
        if (tie->unanswered == 0 && tie->is_doubtful)
            tie->is_doubtful = tie->has_come = false;
        drop_if_done(ties, tie);
    }
    if (far != NULL)
        far_release(far);
}

void tie_linked(Ties *ties, Term from, Far *far) {
    LinkTie *tie = link_put(ties, from, far);
    bool waits = tie->unlinking != 0; /* for an acknowledgement */
    tie->has_come = !waits || tie->unanswered > 0;
    tie->is_doubtful = waits && tie->unanswered > 0;
}

void tie_linked_to(Ties *ties, Term from, Term pid) {
    Far *far = far_put(pid);
    tie_linked(ties, from, far);
    far_release(far);
}

void tie_unlinked(Ties *ties, Term from, Far *far) {
    LinkTie *tie = link_put(ties, from, far);
    tie->unanswered++;
    tie->has_come = tie->is_doubtful = false;
}

void tie_acknowledged(Ties *ties, Term from, Far *far, uint64_t id) {
    LinkTie *tie = link_find(ties, from, far);
    if (tie == NULL || tie->unlinking != id)
        return;
    tie->unlinking = 0;
    drop_if_done(ties, tie);
}

void tie_broken(Ties *ties, Term from, Far *far) {
    LinkTie *tie = link_find(ties, from, far);
    if (tie == NULL)
        return;
    tie->is_ordered = tie->has_come = tie->is_doubtful = false;
    drop_if_done(ties, tie);
}

void tie_link_gone(Ties *ties, Term from, Term pid) {
    Far *far = far_find(pid);
    LinkTie *tie = far == NULL ? NULL : link_find(ties, from, far);
    if (tie != NULL)
        link_drop(ties, tie);
    if (far != NULL)
        far_release(far);
}

/* --- who monitors the node ---------------------------------------------------------------------------------------- */

void tie_node(Ties *ties, Term pid) {
    if (key_table_find(&ties->nodes, pid) == NULL)
        add(ties, &ties->nodes, mem_alloc(ALLOC_LINK, sizeof(Tie)), pid, TIE_NODE);
}

void tie_node_gone(Ties *ties, Term pid) {
    Tie *tie = (Tie *)key_table_find(&ties->nodes, pid);
    if (tie == NULL)
        return;
    take_out(ties, &ties->nodes, tie);
    mem_free(ALLOC_LINK, tie);
}

/* --- monitors of ours, and requests to spawn ---------------------------------------------------------------------- */

void tie_monitor(Ties *ties, TieKind kind, uint64_t key, Term from, bool is_alias_reference, Term pid, Term name) {
    MonitorTie *tie = mem_alloc(ALLOC_LINK, sizeof *tie);
    tie->from = from;
    tie->is_alias_reference = is_alias_reference;
    tie->far = is_value(pid) ? actor_key(pid) : 0;
    tie->name = name;
    add(ties, &ties->monitors, &tie->tie, key, kind);
}

MonitorTie *tie_monitor_find(const Ties *ties, TieKind kind, uint64_t key, Term from) {
    MonitorTie *tie = (MonitorTie *)key_table_find(&ties->monitors, key);
    return tie != NULL && tie->tie.kind == kind && tie->from == from ? tie : NULL;
}

void tie_spawned(MonitorTie *request, Term pid) {
    request->tie.kind = TIE_MONITOR;
    request->far = actor_key(pid);
}

void tie_monitor_drop(Ties *ties, uint64_t key) {
    MonitorTie *tie = (MonitorTie *)key_table_find(&ties->monitors, key);
    if (tie == NULL)
        return;
    take_out(ties, &ties->monitors, &tie->tie);
    if (tie->far != 0)
        actor_key_release(tie->far);
    mem_free(ALLOC_LINK, tie);
}

/* --- what is watched from there ----------------------------------------------------------------------------------- */

static uint64_t reference_number(const uint32_t *numbers, uint32_t count) {
    uint64_t low = numbers[0], high = count > 1 ? numbers[1] : 0;
    return low << 32 ^ high ^ (count > 2 ? (uint64_t)numbers[2] << 50 : 0);
}

static bool has_reference(const WatchTie *tie, const uint32_t *numbers, uint32_t count) {
    return tie->count == count && memcmp(tie->numbers, numbers, count * sizeof *numbers) == 0;
}

static void add_by_reference(Ties *ties, WatchTie *tie) {
    tie->by_reference.key = reference_number(tie->numbers, tie->count);
    KeyNode *first = key_table_find(&ties->watches_by_reference, tie->by_reference.key);
    if (first == NULL) {
        key_table_add(&ties->watches_by_reference, &tie->by_reference);
        return;
    }
    WatchTie *head = container_of(first, WatchTie, by_reference);
    tie->before = head;
    tie->same = head->same;
    head->same = tie;
    if (tie->same != NULL)
        tie->same->before = tie;
}

static void remove_by_reference(Ties *ties, WatchTie *tie) {
    WatchTie *next = tie->same;
    if (next != NULL)
        next->before = tie->before;
    if (tie->before != NULL) {
        tie->before->same = next;
        return;
    }
    key_table_remove(&ties->watches_by_reference, tie->by_reference.key);
    if (next != NULL)
        key_table_add(&ties->watches_by_reference, &next->by_reference);
}

WatchTie *tie_watch(Ties *ties, struct Channel *channel, Term external_pid, Term reference, Term pid, Term name,
                    const NativeWatch *functions) {
    WatchTie *tie = mem_calloc(ALLOC_LINK, sizeof *tie);
    tie->watch = *functions;
    atomic_init(&tie->holders, 2);
    tie->channel = channel;
    tie->pid = pid;
    tie->name = name;
    tie->from = far_put(external_pid);
    const uint32_t *numbers = ident_ref_numbers(reference, &tie->count);
    memcpy(tie->numbers, numbers, tie->count * sizeof *numbers);
    tie->node.key = reference_next();
    key_table_add(&ties->watches, &tie->node);
    add_by_reference(ties, tie);
    return tie;
}

static WatchTie *take_watch(Ties *ties, WatchTie *tie) {
    key_table_remove(&ties->watches, tie->node.key);
    remove_by_reference(ties, tie);
    return tie;
}

WatchTie *tie_watch_take(Ties *ties, Term reference) {
    uint32_t count;
    const uint32_t *numbers = ident_ref_numbers(reference, &count);
    KeyNode *first = key_table_find(&ties->watches_by_reference, reference_number(numbers, count));
    WatchTie *tie = first == NULL ? NULL : container_of(first, WatchTie, by_reference);
    while (tie != NULL && !has_reference(tie, numbers, count))
        tie = tie->same;
    return tie == NULL ? NULL : take_watch(ties, tie);
}

WatchTie *tie_watch_take_key(Ties *ties, uint64_t key) {
    KeyNode *node = key_table_find(&ties->watches, key);
    return node == NULL ? NULL : take_watch(ties, container_of(node, WatchTie, node));
}

WatchTie *tie_watch_take_any(Ties *ties) {
    KeyNode *node = key_table_take_any(&ties->watches);
    if (node == NULL)
        return NULL;
    WatchTie *tie = container_of(node, WatchTie, node);
    remove_by_reference(ties, tie);
    return tie;
}
