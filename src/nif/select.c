#include "nif/select.h"

#include <errno.h>
#include <sys/resource.h>

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "nif/resource.h"
#include "process/message.h"
#include "sys/fd_poll.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"

enum { READ, WRITE, PROBLEM, DIRECTIONS };
static const struct {
    int flag, cancelled;
    unsigned event;
    Term what;
} directions[DIRECTIONS] = {
    [READ] = {ERL_NIF_SELECT_READ, ERL_NIF_SELECT_READ_CANCELLED, FD_READ, am_ready_input},
    [WRITE] = {ERL_NIF_SELECT_WRITE, ERL_NIF_SELECT_WRITE_CANCELLED, FD_WRITE, am_ready_output},
    [PROBLEM] = {ERL_NIF_SELECT_ERROR, ERL_NIF_SELECT_ERROR_CANCELLED, FD_PROBLEM, am_ready_error},
};

#define ALL_FLAGS (ERL_NIF_SELECT_READ | ERL_NIF_SELECT_WRITE | ERL_NIF_SELECT_ERROR)
#define ERROR_RESULT(bit) (INT_MIN | (bit))

typedef struct {
    KeptMessage message; /* none: not waited for */
    Term pid;
} Wait;

typedef struct {
    uint32_t key;          /* of the last arming */
    NifResource *resource; /* who uses it, retained; NULL: nobody */
    Wait waits[DIRECTIONS];
} Entry;

/* Entries are made in blocks, never moved or freed. A block is published by a compare and swap. */
#define BLOCK_ENTRIES 256
#define BLOCKS 4096
#define PARTS 16
static _Atomic(Entry *) blocks[BLOCKS];
#define PART MUTEX_INITIALIZER(LOCK_NIF_SELECT)
static Mutex parts[PARTS] = {PART, PART, PART, PART, PART, PART, PART, PART,
                             PART, PART, PART, PART, PART, PART, PART, PART};

static Entry *entry_of(int fd) {
    if (fd < 0 || fd >= BLOCKS * BLOCK_ENTRIES)
        return NULL;
    _Atomic(Entry *) *place = &blocks[fd / BLOCK_ENTRIES];
    Entry *block = atomic_load_explicit(place, memory_order_acquire);
    if (block == NULL) {
        Entry *fresh = mem_calloc(ALLOC_NIF, BLOCK_ENTRIES * sizeof *fresh);
        if (atomic_compare_exchange_strong(place, &block, fresh))
            block = fresh;
        else
            mem_free(ALLOC_NIF, fresh);
    }
    return &block[fd % BLOCK_ENTRIES];
}

static Mutex *lock_of(int fd) { return &parts[fd % PARTS]; }

/* What is done when the lock is no longer held. */
typedef struct {
    NifResource *released;
    Wait dropped[DIRECTIONS];
} Rest;

static void do_rest(Rest *rest) {
    for (int d = 0; d < DIRECTIONS; d++)
        kept_message_free(&rest->dropped[d].message);
    if (rest->released != NULL)
        refc_binary_release(nif_resource_binary(rest->released));
}

static unsigned events_waited_for(const Entry *e) {
    unsigned events = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        events |= kept_message_is(&e->waits[d].message) ? directions[d].event : 0;
    return events;
}

/* Under the lock: the descriptor is looked at for all that is waited for, or for nothing. */
static int arm(int fd, Entry *e) {
    e->key++;
    return fd_poll_arm(fd, events_waited_for(e), (uint64_t)e->key << 32 | (uint32_t)fd);
}

/* Takes those waits out that `flags` name; which there were, as enif_select says it. */
static int take_waits(Entry *e, int flags, Rest *rest) {
    int taken = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (!(flags & directions[d].flag) || !kept_message_is(&e->waits[d].message))
            continue;
        taken |= directions[d].cancelled;
        rest->dropped[d] = e->waits[d];
        e->waits[d].message = KEPT_MESSAGE_NONE;
    }
    return taken;
}

static void send_waits(Rest *ready) {
    race_window("events were taken, and are not yet sent");
    visitor_enter();
    for (int d = 0; d < DIRECTIONS; d++)
        kept_message_send(&ready->dropped[d].message, ready->dropped[d].pid);
    visitor_leave();
}

void nif_select_ready(uint64_t key, unsigned events) {
    int fd = (int)(uint32_t)key, flags = 0;
    Entry *e = entry_of(fd);
    Rest ready = {0};
    for (int d = 0; d < DIRECTIONS; d++) /* a problem is told to all who wait */
        flags |= events & (directions[d].event | FD_PROBLEM) ? directions[d].flag : 0;
    mutex_lock(lock_of(fd));
    if (e->key == key >> 32) {
        take_waits(e, flags, &ready);
        if (events_waited_for(e) != 0)
            arm(fd, e);
    }
    mutex_unlock(lock_of(fd));
    send_waits(&ready);
    do_rest(&ready);
}

/* --- the interface ---------------------------------------------------------------------------------------------- */

static Term resource_term(Area *area, NifResource *r) {
    RefcBinary *binary = nif_resource_binary(r);
    refc_binary_retain(binary);
    return magic_ref_make(area, binary->magic_numbers, binary);
}

/* {select, Object, Reference, ready_input} and the like. */
static KeptMessage event_message(NifResource *r, Term reference, Term what) {
    FragmentArea built;
    fragment_area_init(&built, 5 + MAGIC_REF_WORDS);
    Term message = area_tuple4(&built.area, am_select, resource_term(&built.area, r), reference, what);
    KeptMessage kept = kept_message_make(message, NON_VALUE, NIL);
    fragment_area_drop(&built);
    return kept;
}

static void make_messages(KeptMessage messages[DIRECTIONS], NifResource *r, int flags, Term message,
                          ErlNifEnv *message_env) {
    bool is_own = flags & ERL_NIF_SELECT_CUSTOM_MSG;
    for (int d = 0; d < DIRECTIONS; d++)
        messages[d] = !(flags & directions[d].flag) ? KEPT_MESSAGE_NONE
                      : is_own                      ? kept_message_make(message, NON_VALUE, NIL)
                                                    : event_message(r, message, directions[d].what);
    if (is_own && message_env != NULL && message_env->kind == NIF_ENV_INDEPENDENT)
        enif_clear_env(message_env);
}

static bool has_stop(NifResource *r) {
    NifOwner *owner = nif_owner_acquire(r->type);
    bool has = owner->fn.stop != NULL;
    nif_owner_release(owner);
    return has;
}

static void call_stop(NifResource *r, int fd) {
    NifOwner *owner = nif_owner_acquire(r->type);
    NifOwnEnv own;
    nif_own_env_begin(&own, NIF_ENV_CALLBACK, NULL, owner->library);
    owner->fn.stop(&own.env, r->data, fd, 1);
    nif_own_env_end(&own);
    nif_owner_release(owner);
}

static int stop(int fd, Entry *e, NifResource *r) {
    Rest rest = {0};
    int result = ERL_NIF_SELECT_STOP_CALLED;
    mutex_lock(lock_of(fd));
    if (e->resource == r) {
        result |= take_waits(e, ALL_FLAGS, &rest);
        rest.released = e->resource;
        e->resource = NULL;
        e->key++;
        fd_poll_forget(fd);
    }
    mutex_unlock(lock_of(fd));
    race_window("a descriptor is given up, stop not yet called");
    call_stop(r, fd);
    do_rest(&rest);
    return result;
}

static int cancel(int fd, Entry *e, int flags) {
    Rest rest = {0};
    mutex_lock(lock_of(fd));
    int taken = take_waits(e, flags, &rest);
    if (taken)
        arm(fd, e);
    mutex_unlock(lock_of(fd));
    do_rest(&rest);
    return taken;
}

/* Another object that has left its descriptor open loses it, and what it waited for. */
static void use(Entry *e, NifResource *r, Rest *rest) {
    if (e->resource == r)
        return;
    take_waits(e, ALL_FLAGS, rest);
    rest->released = e->resource;
    refc_binary_retain(nif_resource_binary(r));
    e->resource = r;
}

/* Takes the messages over. */
static int wait_for(int fd, Entry *e, NifResource *r, int flags, Term pid, KeptMessage messages[DIRECTIONS]) {
    Rest before = {0}, replaced = {0}, not_armed = {0};
    mutex_lock(lock_of(fd));
    use(e, r, &before);
    take_waits(e, flags, &replaced);
    for (int d = 0; d < DIRECTIONS; d++)
        if (kept_message_is(&messages[d]))
            e->waits[d] = (Wait){messages[d], pid};
    int error = arm(fd, e);
    bool always_ready = error == EPERM;
    if (error)
        take_waits(e, ALL_FLAGS, &not_armed);
    if (error && !always_ready) {
        not_armed.released = e->resource;
        e->resource = NULL;
    }
    mutex_unlock(lock_of(fd));
    if (always_ready)
        send_waits(&not_armed);
    do_rest(&before);
    do_rest(&replaced);
    do_rest(&not_armed);
    if (!error || always_ready)
        return 0;
    return ERROR_RESULT(error == EBADF ? ERL_NIF_SELECT_INVALID_EVENT : ERL_NIF_SELECT_FAILED);
}

/* NON_VALUE when nobody is named and nobody asks. */
static Term receiver(const ErlNifEnv *env, const ErlNifPid *pid) {
    if (pid != NULL)
        return is_local_pid(pid->pid) ? pid->pid : NON_VALUE;
    return env != NULL && env->process != NULL ? env->process->pid : NON_VALUE;
}

int enif_select_x(ErlNifEnv *env, ErlNifEvent fd, enum ErlNifSelectFlags flags, void *object, const ErlNifPid *pid,
                  ERL_NIF_TERM message, ErlNifEnv *message_env) {
    NifResource *r = nif_resource_of(object);
    Entry *e = entry_of(fd);
    if (e == NULL)
        return ERROR_RESULT(ERL_NIF_SELECT_INVALID_EVENT);
    if (!has_stop(r))
        return ERROR_RESULT(ERL_NIF_SELECT_FAILED);
    if (flags & ERL_NIF_SELECT_STOP)
        return stop(fd, e, r);
    if (flags & ERL_NIF_SELECT_CANCEL)
        return cancel(fd, e, (int)flags);
    Term to = receiver(env, pid);
    if (!is_value(to))
        return ERROR_RESULT(ERL_NIF_SELECT_FAILED);
    KeptMessage messages[DIRECTIONS];
    make_messages(messages, r, (int)flags, message, message_env);
    return wait_for(fd, e, r, (int)flags & ALL_FLAGS, to, messages);
}

int enif_select(ErlNifEnv *env, ErlNifEvent fd, enum ErlNifSelectFlags flags, void *object, const ErlNifPid *pid,
                ERL_NIF_TERM reference) {
    return enif_select_x(env, fd, (enum ErlNifSelectFlags)(flags & ~ERL_NIF_SELECT_CUSTOM_MSG), object, pid, reference,
                         NULL);
}
