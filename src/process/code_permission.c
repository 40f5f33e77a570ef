#include "process/code_permission.h"

#include "alloc/alloc.h"
#include "am.h"
#include "process/request.h"
#include "sys/thread.h"

/*
 * One that waits, or was handed the permission and has not taken it: the guard of its process's request. All of it is
 * under the lock, besides the memory, which is the process's. That of a client stands in the queue only, and belongs
 * to it.
 */
typedef enum { IN_QUEUE, HANDED, PUT_OFF } WaiterState;
typedef struct Waiter {
    RequestGuard guard; /* must be first */
    struct Waiter *before, *after; /* IN_QUEUE */
    WaiterState state;
    Term pid;
    uint64_t request;
    CodePermissionClient *client; /* NULL: a process waits */
} Waiter;

static Mutex lock = MUTEX_INITIALIZER(LOCK_CODE_MODIFICATION);
static bool is_taken; /* or handed to a waiter */
static Waiter *first, *last;
static ProgressNode progress;

static void enqueue(Waiter *w, Waiter *before, Waiter *after) {
    w->state = IN_QUEUE;
    w->before = before;
    w->after = after;
    *(before != NULL ? &before->after : &first) = w;
    *(after != NULL ? &after->before : &last) = w;
}

static void dequeue(Waiter *w) {
    *(w->before != NULL ? &w->before->after : &first) = w->after;
    *(w->after != NULL ? &w->after->before : &last) = w->before;
}

static void run_client(ProgressNode *node) {
    CodePermissionClient *client = container_of(node, CodePermissionClient, progress);
    thread_progress_enter(); /* the thread may be going to sleep */
    client->run(client);
    thread_progress_leave();
}

static void run_client_soon(CodePermissionClient *client) {
    client->progress.run = run_client;
    thread_progress_later(&client->progress);
}

void code_permission_take_for(CodePermissionClient *client, void (*run)(CodePermissionClient *client)) {
    client->run = run;
    mutex_lock(&lock);
    bool got = !is_taken;
    is_taken = true;
    if (!got) {
        Waiter *w = mem_calloc(ALLOC_MISC, sizeof *w);
        w->client = client;
        enqueue(w, last, NULL);
    }
    mutex_unlock(&lock);
    if (got)
        run_client_soon(client);
}

void code_permission_release(void) {
    mutex_lock(&lock);
    Waiter *w = first;
    if (w == NULL) {
        is_taken = false;
        mutex_unlock(&lock);
        return;
    }
    dequeue(w);
    w->state = HANDED;
    CodePermissionClient *client = w->client;
    Term pid = w->pid;
    uint64_t request = w->request;
    mutex_unlock(&lock); /* from here on it may go away, with its process */
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
    mem_free(ALLOC_MISC, w);
    if (handed)
        code_permission_release();
}

static void waiter_put_off(RequestGuard *guard) {
    Waiter *w = (Waiter *)guard;
    mutex_lock(&lock);
    w->state = PUT_OFF;
    mutex_unlock(&lock);
    code_permission_release();
}

static const RequestGuardType waiter_type = {waiter_lost, waiter_put_off};

static Waiter *waiter_of(const Process *p) {
    RequestGuard *guard = p->request != NULL ? p->request->guard : NULL;
    return guard != NULL && guard->type == &waiter_type ? (Waiter *)guard : NULL;
}

static Waiter *waiter_create(Process *p) {
    Waiter *w = mem_calloc(ALLOC_MISC, sizeof *w);
    w->guard.type = &waiter_type;
    w->pid = p->pid;
    w->request = request_begin(p);
    p->request->guard = &w->guard;
    return w;
}

/* For one that does not stand in the queue. True: the permission is the caller's. */
static bool take_or_enqueue(Process *p, Waiter *w) {
    mutex_lock(&lock);
    bool got = !is_taken;
    is_taken = true;
    if (!got && w != NULL)
        enqueue(w, NULL, first);
    else if (!got)
        enqueue(waiter_create(p), last, NULL);
    mutex_unlock(&lock);
    return got;
}

static void end_request(Process *p, Waiter *w) {
    request_end(p);
    mem_free(ALLOC_MISC, w);
}

bool code_permission_take(Process *p) {
    Waiter *w = waiter_of(p);
    bool handed = w != NULL && p->request->is_answered;
    bool asks = w == NULL || (!handed && w->state == PUT_OFF);
    if (handed || (asks && take_or_enqueue(p, w))) {
        if (w != NULL)
            end_request(p, w);
        return true;
    }
    request_wait(p);
    return false;
}

bool code_permission_reserve(Process *p) {
    if (!code_permission_take(p))
        return false;
    Waiter *w = waiter_create(p);
    w->state = HANDED; /* by ourselves: nobody else knows it */
    p->request->is_answered = true;
    p->request->answer = am_true;
    return true;
}

bool code_permission_take_reserved(Process *p) {
    Waiter *w = waiter_of(p);
    if (w == NULL || !p->request->is_answered)
        return false;
    end_request(p, w);
    return true;
}

bool (*code_permission_kept)(void);

static void release_now(ProgressNode *node) {
    if (code_permission_kept == NULL || !code_permission_kept())
        code_permission_release();
}

void code_permission_release_later(void) {
    progress.run = release_now;
    thread_progress_later(&progress);
}
