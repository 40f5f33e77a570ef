#include "process/fd_table.h"

#include <sys/resource.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/visitor.h"
#include "process/report.h"
#include "sys/fd_poll.h"

#define BLOCK_ENTRIES 256
#define BLOCKS 4096
#define PARTS 16
static _Atomic(FdEntry *) blocks[BLOCKS]; /* one is published by a compare and swap */
#define PART MUTEX_INITIALIZER(LOCK_FD_TABLE)
static Mutex parts[PARTS] = {PART, PART, PART, PART, PART, PART, PART, PART,
                             PART, PART, PART, PART, PART, PART, PART, PART};

/* The bit above is that of process/fd_wait.c. */
#define OF_PORTS ((uint64_t)1 << 30)
#define FD_MASK (OF_PORTS - 1)

static Mutex *lock_of(int fd) { return &parts[fd % PARTS]; }
void fd_entry_lock(int fd) { mutex_lock(lock_of(fd)); }
void fd_entry_unlock(int fd) { mutex_unlock(lock_of(fd)); }

int fd_table_end(void) {
    struct rlimit limit;
    bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < BLOCKS * BLOCK_ENTRIES;
    return is_known ? (int)limit.rlim_cur : BLOCKS * BLOCK_ENTRIES;
}

static FdEntry *block_create(void) {
    ALLOC_FOR_ALL;
    return mem_calloc(ALLOC_PORT, BLOCK_ENTRIES * sizeof(FdEntry));
}

FdEntry *fd_entry(int fd) {
    if (fd < 0 || fd >= BLOCKS * BLOCK_ENTRIES)
        return NULL;
    _Atomic(FdEntry *) *place = &blocks[fd / BLOCK_ENTRIES];
    FdEntry *block = atomic_load_explicit(place, memory_order_acquire);
    if (block == NULL) {
        if (fd >= fd_table_end())
            return NULL;
        FdEntry *fresh = block_create();
        if (atomic_compare_exchange_strong(place, &block, fresh))
            block = fresh;
        else
            mem_free(ALLOC_PORT, fresh);
    }
    return &block[fd % BLOCK_ENTRIES];
}

int fd_entry_arm(int fd, FdEntry *e, unsigned events) {
    e->key++;
    return fd_poll_arm(fd, events,
                       (uint64_t)e->key << 32 | (e->user->kind == FD_OF_PORTS ? OF_PORTS : 0) | (uint32_t)fd);
}

bool fd_entry_give_up(int fd, FdEntry *e) {
    e->user = NULL;
    e->key++;
    return fd_poll_forget(fd);
}

FdKind fd_kind_of_key(uint64_t key) { return key & OF_PORTS ? FD_OF_PORTS : FD_OF_LIBRARIES; }
int fd_of_key(uint64_t key) { return (int)(key & FD_MASK); }

/* --- errors ------------------------------------------------------------------------------------------------------ */

void fd_loss_init(FdLoss *loss) {
    loss->is = false;
    loss->finish = NULL;
}

void fd_entry_steal(int fd, FdEntry *e, FdLoss *loss) {
    loss->is = true;
    text_init(&loss->from);
    e->user->lose(fd, e, loss);
}

/* Threads of libraries come here, too. */
static void report(Text *text) {
    visitor_enter();
    report_of_runtime(text_cstring(text));
    visitor_leave();
}

void fd_loss_finish(FdLoss *loss, int fd, const char *by) {
    if (!loss->is)
        return;
    if (loss->finish != NULL)
        loss->finish(loss->rest);
    TEXT(text);
    text_string(&text, by);
    text_format(&text, " stealing control of fd=%d from ", fd);
    text_bytes(&text, loss->from.bytes, loss->from.size);
    text_byte(&text, '\n');
    report(&text);
    text_release(&loss->from);
}

void fd_report_too_large(int fd, const char *by) {
    TEXT(text);
    text_string(&text, by);
    text_format(&text, " failed: fd=%d is larger than the largest allowed fd=%d\n", fd, fd_table_end() - 1);
    report(&text);
}

void fd_report_bad(int fd, bool input, bool output, const char *who) {
    const char *what = input && output ? "input/output" : output ? "output" : "input";
    TEXT(text);
    text_format(&text, "Bad %s fd in erts_poll()! fd=%d, ", what, fd);
    text_string(&text, who);
    text_byte(&text, '\n');
    report(&text);
}
