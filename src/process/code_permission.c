#include "process/code_permission.h"

#include "alloc/alloc.h"
#include "am.h"
#include "base/thread_progress.h"
#include "process/request.h"
#include "sys/thread.h"

typedef struct Waiter {
    struct Waiter *next;
    Term pid;
    uint64_t request;
} Waiter;

static Mutex lock = MUTEX_INITIALIZER(LOCK_CODE_MODIFICATION);
static bool is_taken;
static Waiter *waiters;
static ProgressNode progress;

bool code_permission_take(Process *p) {
    Term answer;
    if (request_answer(p, &answer) == REQUEST_PENDING) {
        request_wait(p);
        return false;
    }
    mutex_lock(&lock);
    bool got = !is_taken;
    is_taken = true;
    if (!got) {
        Waiter *w = mem_alloc(ALLOC_MISC, sizeof *w);
        *w = (Waiter){.next = waiters, .pid = p->pid, .request = request_begin(p)};
        waiters = w;
    }
    mutex_unlock(&lock);
    if (!got)
        request_wait(p);
    return got;
}

/* All of them try again: handing the permission to one would lose it if that one is killed. */
void code_permission_release(void) {
    mutex_lock(&lock);
    Waiter *w = waiters;
    waiters = NULL;
    is_taken = false;
    mutex_unlock(&lock);
    for (Waiter *next; w != NULL; w = next) {
        next = w->next;
        request_reply(w->pid, w->request, am_true);
        mem_free(ALLOC_MISC, w);
    }
}

static void release_now(ProgressNode *node) { code_permission_release(); }

void code_permission_release_later(void) {
    progress.run = release_now;
    thread_progress_later(&progress);
}
