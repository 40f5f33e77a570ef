#include "process/permission.h"

#include "alloc/alloc.h"
#include "am.h"
#include "base/race_window.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "sys/thread.h"

/*
 * One that waits, or was handed the permission and has not taken it: the guard of its process's request. All of it is
 * under the lock, besides the memory, which is the process's. That of a client stands in the queue only, and belongs
 * to it.
 */
typedef enum { IN_QUEUE, HANDED, PUT_OFF } WaiterState;
typedef struct PermissionWaiter {
    RequestGuard guard; /* must be first */
    Permission *permission;
    struct PermissionWaiter *before, *after; /* IN_QUEUE */
    WaiterState state;
    Priority priority; /* which it lends */
    Term pid;
    uint64_t request;
    PermissionClient *client; /* NULL: a process waits */
} Waiter;

static Mutex lock = MUTEX_INITIALIZER(LOCK_PERMISSIONS);
static Permission *taken; /* under it: few */
/* What the BIF has that this thread is in. */
static __thread Permission *held;

static void enqueue(Waiter *w, Waiter *before, Waiter *after) {
    w->state = IN_QUEUE;
    w->before = before;
    w->after = after;
    *(before != NULL ? &before->after : &w->permission->first) = w;
    *(after != NULL ? &after->before : &w->permission->last) = w;
    w->permission->waiting[w->priority]++;
}

static void dequeue(Waiter *w) {
    *(w->before != NULL ? &w->before->after : &w->permission->first) = w->after;
    *(w->after != NULL ? &w->after->before : &w->permission->last) = w->before;
    w->permission->waiting[w->priority]--;
}

static Priority most_urgent(const Permission *permission) {
    Priority priority = PRIORITY_MAX;
    while (priority < PRIORITY_LOW && permission->waiting[priority] == 0)
        priority++;
    return priority;
}

/* What all that wait for anything that it has lend it. True: that has become more. */
static bool settle(Term pid) {
    Process *p = pid != 0 ? process_find(pid) : NULL;
    Priority lent = PRIORITY_LOW;
    for (const Permission *t = taken; t != NULL; t = t->next_taken)
        if (t->holder == pid && most_urgent(t) < lent)
            lent = most_urgent(t);
    return p != NULL && process_lend_priority(p, lent);
}

static Waiter *waiter_with(Term pid) {
    for (const Permission *t = taken; t != NULL; t = t->next_taken)
        for (Waiter *w = t->first; w != NULL; w = w->after)
            if (w->pid == pid)
                return w;
    return NULL;
}

/* One has come into the queue: its holder runs at that priority at least, and for whom that waits. */
static void lend(const Permission *permission, Priority priority) {
    while (settle(permission->holder)) {
        Waiter *w = waiter_with(permission->holder);
        if (w == NULL || w->priority <= priority)
            return;
        permission = w->permission;
        w->permission->waiting[w->priority]--;
        w->priority = priority;
        w->permission->waiting[priority]++;
    }
}

static void set_taken(Permission *permission, Term holder) {
    permission->is_taken = true;
    permission->holder = holder;
    permission->next_taken = taken;
    taken = permission;
}

static void set_free(Permission *permission) {
    Permission **at = &taken;
    while (*at != permission)
        at = &(*at)->next_taken;
    *at = permission->next_taken;
    permission->is_taken = false;
}

static void set_holder(Permission *permission, Term holder) {
    Term before = permission->holder;
    permission->holder = holder;
    settle(before);
    settle(holder);
}

static void run_client(ProgressNode *node) {
    PermissionClient *client = container_of(node, PermissionClient, progress);
    thread_progress_enter(); /* the thread may be going to sleep */
    client->run(client);
    thread_progress_leave();
}

static void run_client_soon(PermissionClient *client) {
    client->progress.run = run_client;
    thread_progress_later(&client->progress);
}

void permission_take_for(Permission *permission, PermissionClient *client, void (*run)(PermissionClient *client)) {
    client->run = run;
    mutex_lock(&lock);
    bool got = !permission->is_taken;
    if (got) {
        set_taken(permission, 0);
    } else {
        Waiter *w = mem_calloc(ALLOC_MISC, sizeof *w);
        w->permission = permission;
        w->client = client;
        w->priority = PRIORITY_MAX;
        enqueue(w, permission->last, NULL);
        lend(permission, PRIORITY_MAX);
    }
    mutex_unlock(&lock);
    if (got)
        run_client_soon(client);
}

void permission_keep(Permission *permission) {
    require(held == permission);
    held = NULL;
}

void permission_pass_on(Permission *permission) {
    permission_keep(permission);
    mutex_lock(&lock);
    set_holder(permission, 0);
    mutex_unlock(&lock);
}

bool permission_is_held(void) { return held != NULL; }

void permission_give_back(void) {
    if (unlikely(held != NULL))
        permission_release(held);
}

/* Who is handed it: if nobody waits for it, one who waits for another that is alike. */
static Waiter *first_of(const Permission *permission) {
    Waiter *w = permission->first;
    for (unsigned i = 0; i < permission->alike_count && w == NULL; i++)
        w = permission->alike[i].first;
    return w;
}

void permission_release(Permission *permission) {
    if (held == permission)
        held = NULL;
    mutex_lock(&lock);
    require(permission->is_taken);
    Waiter *w = first_of(permission);
    if (w == NULL) {
        set_holder(permission, 0);
        set_free(permission);
        mutex_unlock(&lock);
        return;
    }
    dequeue(w);
    settle(w->permission->holder);
    w->permission = permission;
    w->state = HANDED;
    set_holder(permission, w->client != NULL ? 0 : w->pid);
    PermissionClient *client = w->client;
    Term pid = w->pid;
    uint64_t request = w->request;
    mutex_unlock(&lock); /* from here on it may go away, with its process */
    race_window("a permission is handed on, nobody told");
    if (client == NULL) {
        request_reply(pid, request, am_true);
        return;
    }
    mem_free(ALLOC_MISC, w);
    run_client_soon(client);
}

static void waiter_lost(RequestGuard *guard) {
    Waiter *w = (Waiter *)guard;
    mutex_lock(&lock);
    bool handed = w->state == HANDED;
    if (w->state == IN_QUEUE) {
        dequeue(w);
        settle(w->permission->holder);
    }
    mutex_unlock(&lock);
    race_window("a waiter is lost, what it was handed not yet given back");
    Permission *permission = w->permission;
    mem_free(ALLOC_MISC, w);
    if (handed)
        permission_release(permission);
}

static void waiter_put_off(RequestGuard *guard) {
    Waiter *w = (Waiter *)guard;
    mutex_lock(&lock);
    w->state = PUT_OFF;
    mutex_unlock(&lock);
    permission_release(w->permission);
}

static const RequestGuardType waiter_type = {waiter_lost, waiter_put_off};

static Waiter *waiter_of(const Process *p) {
    RequestGuard *guard = p->request != NULL ? p->request->guard : NULL;
    return guard != NULL && guard->type == &waiter_type ? (Waiter *)guard : NULL;
}

static Waiter *waiter_create(Permission *permission, Process *p) {
    Waiter *w = mem_calloc(ALLOC_MISC, sizeof *w);
    w->guard.type = &waiter_type;
    w->permission = permission;
    w->pid = p->pid;
    w->request = request_begin(p);
    p->request->guard = &w->guard;
    return w;
}

static uint32_t wanted_by(const Permission *permission) {
    uint32_t count = permission->is_taken;
    for (unsigned i = 0; i < PRIORITY_COUNT; i++)
        count += permission->waiting[i];
    return count;
}

static Permission *least_wanted(Permission *permission) {
    Permission *least = permission;
    for (unsigned i = 0; i < permission->alike_count && wanted_by(least) > 0; i++)
        if (wanted_by(&permission->alike[i]) < wanted_by(least))
            least = &permission->alike[i];
    return least;
}

/* For one that does not stand in the queue. The permission, or one that is alike, if it is the caller's; else NULL. */
static Permission *take_or_enqueue(Permission *permission, Process *p, Waiter *w) {
    mutex_lock(&lock);
    permission = least_wanted(permission);
    bool got = !permission->is_taken, stood_first = w != NULL;
    if (got) {
        set_taken(permission, p->pid);
    } else {
        if (!stood_first)
            w = waiter_create(permission, p);
        permission = w->permission;
        w->priority = process_run_priority(p);
        enqueue(w, stood_first ? NULL : permission->last, stood_first ? permission->first : NULL);
        lend(permission, w->priority);
    }
    mutex_unlock(&lock);
    return got ? permission : NULL;
}

/* While it stands in the queue another thread may be handing it one that is alike. */
static WaiterState state_of(const Waiter *w, const Permission *asked) {
    mutex_lock(&lock);
    require(w->permission == asked || w->permission->alike != NULL);
    WaiterState state = w->state;
    mutex_unlock(&lock);
    return state;
}

bool permission_take(Permission *permission, Process *p) {
    require(held == NULL && request_may(p));
    Waiter *w = waiter_of(p);
    bool handed = w != NULL && p->request->is_answered;
    bool asks = w == NULL || (state_of(w, permission) == PUT_OFF && !handed);
    race_window("a waiter was asked after, and has not acted");
    Permission *got = handed ? w->permission : asks ? take_or_enqueue(permission, p, w) : NULL;
    if (got == NULL) {
        request_wait(p);
        return false;
    }
    if (w != NULL) {
        request_end(p);
        mem_free(ALLOC_MISC, w);
    }
    held = got;
    return true;
}

/* By who asks first, before anybody waits. */
static void set_alike(Permission *permissions, unsigned count) {
    mutex_lock(&lock);
    for (unsigned i = 0; i < count && permissions[i].alike == NULL; i++) {
        permissions[i].alike = permissions;
        permissions[i].alike_count = count;
    }
    mutex_unlock(&lock);
}

bool permission_take_one_of(Permission *permissions, unsigned count, Process *p) {
    set_alike(permissions, count);
    return permission_take(permissions, p);
}
