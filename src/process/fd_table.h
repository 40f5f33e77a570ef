/*
 * Who waits for which descriptor: ports (port/select.h) and native libraries (nif/select.h), in one table.
 *
 * There is an entry for each descriptor that was ever selected, made when that first happens, never moved or freed. It
 * has one user at a time. Whoever selects a descriptor of another's, of either kind, takes it away from him: he is made
 * to lose it, and it is reported, as it is an error of a driver's or a library's (report_stolen). What a user knows of
 * its descriptor hangs on the entry, a place for each kind.
 *
 * All of an entry is under the lock of its part of the table (LOCK_FD_TABLE): who selects, and who waits
 * (sched/poller.h). An arming has a new key (sys/fd_poll.h); an event with another one comes too late.
 */
#ifndef VIV_PROCESS_FD_TABLE_H
#define VIV_PROCESS_FD_TABLE_H

#include "sys/thread.h"
#include "term/text.h"

typedef enum { FD_OF_LIBRARIES, FD_OF_PORTS, FD_KINDS } FdKind;

/* What is left to do for one who has lost a descriptor, when the lock is no longer held. */
typedef struct {
    bool is;
    Text from; /* who it was, as it is reported */
    void (*finish)(void *rest);
    void *rest;
} FdLoss;

struct FdEntry;
typedef struct {
    FdKind kind;
    /* Under the lock: the user gives it up, and says who he was. */
    void (*lose)(int fd, struct FdEntry *e, FdLoss *loss);
} FdUser;

typedef struct FdEntry {
    uint32_t key;       /* of the last arming */
    const FdUser *user; /* NULL: nobody */
    _Atomic(void *) uses[FD_KINDS]; /* each is set once, without the lock, by a compare and swap */
} FdEntry;

/* The lowest that the system gives to nobody. */
int fd_table_end(void);
/* NULL: no descriptor. */
FdEntry *fd_entry(int fd);
void fd_entry_lock(int fd);
void fd_entry_unlock(int fd);

/* Under the lock. 0, or an error number (sys/fd_poll.h). */
int fd_entry_arm(int fd, FdEntry *e, unsigned events);
/* Under the lock: nobody uses it. Was it still armed, or at least open? */
bool fd_entry_give_up(int fd, FdEntry *e);

/* Of what was armed here. */
FdKind fd_kind_of_key(uint64_t key);
int fd_of_key(uint64_t key);
static inline bool fd_entry_is_current(const FdEntry *e, uint64_t key) { return e->key == key >> 32; }

/* Around what may take it away from another. */
void fd_loss_init(FdLoss *loss);
/* Under the lock, if it is another's. */
void fd_entry_steal(int fd, FdEntry *e, FdLoss *loss);
/* Without the lock: what is left to do, and the report: "`by` stealing control of fd=... from ...". */
void fd_loss_finish(FdLoss *loss, int fd, const char *by);

/* Other errors; `by` as there. */
void fd_report_too_large(int fd, const char *by);
void fd_report_bad(int fd, bool input, bool output, const char *who);

#endif
