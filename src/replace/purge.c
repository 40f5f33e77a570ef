#include "replace/purge.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/suspend.h"
#include "sys/thread.h"

typedef struct Caller {
    struct Caller *next;
    Term pid;
} Caller;

static Mutex lock = MUTEX_INITIALIZER(LOCK_PURGE);
static ModuleInstance *instance;
static Caller *callers;

const ModuleInstance *purge_instance(void) { return __atomic_load_n(&instance, __ATOMIC_ACQUIRE); }

static void set_address(FunEntry *entry, const Word *address) {
    __atomic_store_n(&entry->address, address, __ATOMIC_RELEASE);
}

static bool is_pending(const FunEntry *entry) {
    return __atomic_load_n(&entry->address, __ATOMIC_RELAXED) == fun_pending_address;
}

void purge_begin(ModuleInstance *m) {
    mutex_lock(&lock);
    require(instance == NULL);
    /* Entries of another instance with the same md5 lead to that one's code. */
    for (uint32_t i = 0; i < m->fun_count; i++)
        if (m->funs[i].entry->address == m->funs[i].address)
            set_address(m->funs[i].entry, fun_pending_address);
    m->is_purged = true;
    __atomic_store_n(&instance, m, __ATOMIC_RELEASE);
    mutex_unlock(&lock);
}

static void end(bool keep) {
    ModuleInstance *m = instance;
    mutex_lock(&lock);
    require(m != NULL);
    for (uint32_t i = 0; i < m->fun_count; i++)
        if (is_pending(m->funs[i].entry))
            set_address(m->funs[i].entry, keep ? m->funs[i].address : fun_error_address);
    m->is_purged = false;
    __atomic_store_n(&instance, NULL, __ATOMIC_RELEASE);
    Caller *waiting = callers;
    callers = NULL;
    mutex_unlock(&lock);
    race_window("a purge is over, callers still wait");
    for (Caller *next; waiting != NULL; waiting = next) {
        next = waiting->next;
        suspend_let_go(waiting->pid);
        mem_free(ALLOC_MODULE, waiting);
    }
}

void purge_abort(void) { end(true); }

ModuleInstance *purge_complete(void) {
    ModuleInstance *m = instance;
    end(false);
    return m;
}

bool purge_wait(Process *p, const FunEntry *entry) {
    mutex_lock(&lock);
    bool pending = is_pending(entry);
    if (pending) {
        Caller *caller = mem_alloc(ALLOC_MODULE, sizeof *caller);
        *caller = (Caller){callers, p->pid};
        callers = caller;
        suspend_oneself(p);
    }
    mutex_unlock(&lock);
    return pending;
}
