#include "process/permission.h"

#include "alloc/alloc.h"
#include "am.h"
#include "base/race_window.h"
#include "process/request.h"
#include "process/waiting_bif.h"
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
    Term pid;
    uint64_t request;
    PermissionClient *client; /* NULL: a process waits */
} Waiter;

static Mutex lock = MUTEX_INITIALIZER(LOCK_PERMISSIONS);
/* What the BIF has that this thread is in. */
static __thread Permission *held;

static void enqueue(Waiter *w, Waiter *before, Waiter *after) {
    w->state = IN_QUEUE;
    w->before = before;
    w->after = after;
    *(before != NULL ? &before->after : &w->permission->first) = w;
    *(after != NULL ? &after->before : &w->permission->last) = w;
}

static void dequeue(Waiter *w) {
    *(w->before != NULL ? &w->before->after : &w->permission->first) = w->after;
    *(w->after != NULL ? &w->after->before : &w->permission->last) = w->before;
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
    permission->is_taken = true;
    if (!got) {
        Waiter *w = mem_calloc(ALLOC_MISC, sizeof *w);
        w->permission = permission;
        w->client = client;
        enqueue(w, permission->last, NULL);
    }
    mutex_unlock(&lock);
    if (got)
        run_client_soon(client);
}

void permission_pass_on(Permission *permission) {
    require(held == permission);
    held = NULL;
}

bool permission_is_held(void) { return held != NULL; }

void permission_give_back(void) {
    if (unlikely(held != NULL))
        permission_release(held);
}

void permission_release(Permission *permission) {
    if (held == permission)
        held = NULL;
    mutex_lock(&lock);
    require(permission->is_taken);
    Waiter *w = permission->first;
    if (w == NULL) {
        permission->is_taken = false;
        mutex_unlock(&lock);
        return;
    }
    dequeue(w);
    w->state = HANDED;
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
    if (w->state == IN_QUEUE)
        dequeue(w);
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

/* For one that does not stand in the queue. True: the permission is the caller's. */
static bool take_or_enqueue(Permission *permission, Process *p, Waiter *w) {
    mutex_lock(&lock);
    bool got = !permission->is_taken;
    permission->is_taken = true;
    if (!got && w != NULL)
        enqueue(w, NULL, permission->first);
    else if (!got)
        enqueue(waiter_create(permission, p), permission->last, NULL);
    mutex_unlock(&lock);
    return got;
}

static bool is_put_off(const Waiter *w) {
    mutex_lock(&lock);
    bool is = w->state == PUT_OFF;
    mutex_unlock(&lock);
    return is;
}

bool permission_take(Permission *permission, Process *p) {
    require(held == NULL && waiting_bif_may(p));
    Waiter *w = waiter_of(p);
    bool handed = w != NULL && p->request->is_answered;
    bool asks = w == NULL || (!handed && is_put_off(w));
    require(w == NULL || w->permission == permission);
    race_window("a waiter was asked after, and has not acted");
    if (handed || (asks && take_or_enqueue(permission, p, w))) {
        if (w != NULL) {
            request_end(p);
            mem_free(ALLOC_MISC, w);
        }
        held = permission;
        return true;
    }
    request_wait(p);
    return false;
}
