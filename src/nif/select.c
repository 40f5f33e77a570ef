#include "nif/select.h"

#include <errno.h>
#include <sched.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/race_window.h"
#include "heap/copy.h"
#include "nif/resource.h"
#include "nif/zero.h"
#include "process/fd_table.h"
#include "process/message.h"
#include "sys/fd_poll.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/print.h"

enum { READ, WRITE, PROBLEM, DIRECTIONS };
static const struct {
    int flag, cancelled;
    unsigned event;
    Term what;
    const char *name;
} directions[DIRECTIONS] = {
    [READ] = {ERL_NIF_SELECT_READ, ERL_NIF_SELECT_READ_CANCELLED, FD_READ, am_ready_input, "in"},
    [WRITE] = {ERL_NIF_SELECT_WRITE, ERL_NIF_SELECT_WRITE_CANCELLED, FD_WRITE, am_ready_output, "out"},
    [PROBLEM] = {ERL_NIF_SELECT_ERROR, ERL_NIF_SELECT_ERROR_CANCELLED, FD_PROBLEM, am_ready_error, "err"},
};

#define ALL_FLAGS (ERL_NIF_SELECT_READ | ERL_NIF_SELECT_WRITE | ERL_NIF_SELECT_ERROR)
#define ERROR_RESULT(bit) (INT_MIN | (bit))

typedef struct {
    KeptMessage message; /* none: not waited for */
    Term pid;
} Wait;

/* What the table has of a descriptor for libraries. */
typedef struct {
    FdEntry *entry;
    _Atomic unsigned sending; /* threads that have taken messages out, which are on their way: raised under the lock */
    NifResource *resource; /* who uses it, retained; NULL: no object */
    Wait waits[DIRECTIONS];
} Use;

static Use *use_create(FdEntry *e) {
    ALLOC_FOR_ALL;
    Use *u = mem_calloc(ALLOC_NIF, sizeof *u);
    u->entry = e;
    return u;
}

/* NULL: no descriptor. */
static Use *use_of(int fd) {
    FdEntry *e = fd_entry(fd);
    if (e == NULL)
        return NULL;
    void *u = atomic_load_explicit(&e->uses[FD_OF_LIBRARIES], memory_order_acquire);
    if (u == NULL) {
        Use *fresh = use_create(e);
        if (atomic_compare_exchange_strong(&e->uses[FD_OF_LIBRARIES], &u, (void *)fresh))
            u = fresh;
        else
            mem_free(ALLOC_NIF, fresh);
    }
    return u;
}

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

static unsigned events_waited_for(const Use *u) {
    unsigned events = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        events |= kept_message_is(&u->waits[d].message) ? directions[d].event : 0;
    return events;
}

/* Under the lock: the descriptor is looked at for all that is waited for, or for nothing. */
static int arm(int fd, Use *u) { return fd_entry_arm(fd, u->entry, events_waited_for(u)); }

/* Takes those waits out that `flags` name; which there were, as enif_select says it. */
static int take_waits(Use *u, int flags, Rest *rest) {
    int taken = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (!(flags & directions[d].flag) || !kept_message_is(&u->waits[d].message))
            continue;
        taken |= directions[d].cancelled;
        rest->dropped[d] = u->waits[d];
        u->waits[d].message = KEPT_MESSAGE_NONE;
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

/* This thread sends, and may find itself here by what it lets go of. */
static _Thread_local bool sends;

/* Who is told that nothing can be cancelled any more finds the message in the queue of its receiver. */
static void wait_until_sent(const Use *u) {
    while (!sends && atomic_load_explicit(&u->sending, memory_order_acquire) != 0)
        sched_yield();
}

/* A message whose receiver is gone may have held the last reference to an object, and who waits until all is sent may
 * hold the lock that the object's destructor takes: so that is called afterwards. */
static void send_taken(Use *u, Rest *ready) {
    refc_binary_hold();
    sends = true;
    send_waits(ready);
    sends = false;
    atomic_fetch_sub_explicit(&u->sending, 1, memory_order_release);
    refc_binary_destroy_held(refc_binary_let_go());
}

void nif_select_ready(uint64_t key, unsigned events) {
    int fd = fd_of_key(key), flags = 0;
    Use *u = use_of(fd);
    bool any = false;
    Rest ready = {0};
    for (int d = 0; d < DIRECTIONS; d++) /* a problem is told to all who wait */
        flags |= events & (directions[d].event | FD_PROBLEM) ? directions[d].flag : 0;
    fd_entry_lock(fd);
    if (fd_entry_is_current(u->entry, key)) {
        any = take_waits(u, flags, &ready) != 0;
        if (any)
            atomic_fetch_add_explicit(&u->sending, 1, memory_order_relaxed);
        if (events_waited_for(u) != 0)
            arm(fd, u);
    }
    fd_entry_unlock(fd);
    if (any)
        send_taken(u, &ready);
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

static void make_messages(KeptMessage messages[DIRECTIONS], NifResource *r, int flags, Term message) {
    bool is_own = flags & ERL_NIF_SELECT_CUSTOM_MSG;
    for (int d = 0; d < DIRECTIONS; d++)
        messages[d] = !(flags & directions[d].flag) ? KEPT_MESSAGE_NONE
                      : is_own                      ? kept_message_make(message, NON_VALUE, NIL)
                                                    : event_message(r, message, directions[d].what);
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

/* --- what is reported -------------------------------------------------------------------------------------------- */

static void put_type(Text *to, const NifResource *r, const char *between) {
    print_atom(to, r->type->module);
    text_string(to, between);
    print_atom(to, r->type->name);
}

/* Under the lock. */
static void put_loser(Text *to, const Use *u) {
    const char *separator = " with ";
    text_string(to, "resource ");
    put_type(to, u->resource, ":");
    for (int d = 0; d < DIRECTIONS; d++) {
        if (!kept_message_is(&u->waits[d].message))
            continue;
        text_format(to, "%s%s-pid ", separator, directions[d].name);
        print_term(to, u->waits[d].pid);
        separator = " and ";
    }
}

static void report_bad(int fd, const NifResource *r, int flags) {
    TEXT(who);
    text_string(&who, "resource={");
    put_type(&who, r, ",");
    text_byte(&who, '}');
    fd_report_bad(fd, flags & ERL_NIF_SELECT_READ, flags & ERL_NIF_SELECT_WRITE, text_cstring(&who));
}

/* --- the interface ----------------------------------------------------------------------------------------------- */

/* Who waits is told by nothing; the object is let go. */
static void finish_loss(void *rest) {
    do_rest(rest);
    mem_free(ALLOC_NIF, rest);
}

static void lose(int fd, FdEntry *e, FdLoss *loss) {
    Use *u = atomic_load(&e->uses[FD_OF_LIBRARIES]);
    Rest *rest = mem_calloc(ALLOC_NIF, sizeof *rest);
    put_loser(&loss->from, u);
    take_waits(u, ALL_FLAGS, rest);
    rest->released = u->resource;
    u->resource = NULL;
    (void)fd_entry_give_up(fd, e);
    loss->rest = rest;
    loss->finish = finish_loss;
}

/* Under the lock: it is somebody else's, who loses it. An object that has left its descriptor open is one. */
static void steal(int fd, Use *u, const NifResource *r, FdLoss *loss) {
    if (u->entry->user != NULL && u->resource != r)
        fd_entry_steal(fd, u->entry, loss);
}

static int stop(int fd, Use *u, NifResource *r, FdLoss *loss) {
    Rest rest = {0};
    int result = ERL_NIF_SELECT_STOP_CALLED;
    fd_entry_lock(fd);
    steal(fd, u, r, loss);
    if (u->resource == r) {
        result |= take_waits(u, ALL_FLAGS, &rest);
        rest.released = u->resource;
        u->resource = NULL;
        (void)fd_entry_give_up(fd, u->entry);
    }
    fd_entry_unlock(fd);
    wait_until_sent(u);
    race_window("a descriptor is given up, stop not yet called");
    call_stop(r, fd);
    do_rest(&rest);
    return result;
}

static int cancel(int fd, Use *u, NifResource *r, int flags, FdLoss *loss) {
    Rest rest = {0};
    fd_entry_lock(fd);
    steal(fd, u, r, loss);
    int taken = take_waits(u, flags, &rest);
    if (taken)
        arm(fd, u);
    fd_entry_unlock(fd);
    wait_until_sent(u);
    do_rest(&rest);
    return taken;
}

static const FdUser user = {FD_OF_LIBRARIES, lose};

static void use(int fd, Use *u, NifResource *r, FdLoss *loss) {
    steal(fd, u, r, loss);
    if (u->resource == r)
        return;
    refc_binary_retain(nif_resource_binary(r));
    u->resource = r;
    u->entry->user = &user;
}

/* Takes the messages over. */
static int wait_for(int fd, Use *u, NifResource *r, int flags, Term pid, KeptMessage messages[DIRECTIONS],
                    FdLoss *loss) {
    Rest replaced = {0}, not_armed = {0};
    fd_entry_lock(fd);
    use(fd, u, r, loss);
    take_waits(u, flags, &replaced);
    for (int d = 0; d < DIRECTIONS; d++)
        if (kept_message_is(&messages[d]))
            u->waits[d] = (Wait){messages[d], pid};
    int error = arm(fd, u);
    bool always_ready = error == EPERM;
    if (error)
        take_waits(u, ALL_FLAGS, &not_armed);
    if (error && !always_ready) {
        not_armed.released = u->resource;
        u->resource = NULL;
        (void)fd_entry_give_up(fd, u->entry);
    }
    fd_entry_unlock(fd);
    if (always_ready)
        send_waits(&not_armed);
    do_rest(&replaced);
    do_rest(&not_armed);
    if (!error || always_ready)
        return 0;
    if (error == EBADF)
        report_bad(fd, r, flags);
    return ERROR_RESULT(error == EBADF ? ERL_NIF_SELECT_INVALID_EVENT : ERL_NIF_SELECT_FAILED);
}

/* NON_VALUE when nobody is named and nobody asks. */
static Term receiver(const ErlNifEnv *env, const ErlNifPid *pid) {
    if (pid != NULL)
        return is_local_pid(pid->pid) ? pid->pid : NON_VALUE;
    return env != NULL && env->process != NULL ? env->process->pid : NON_VALUE;
}

typedef struct {
    ErlNifEnv *env, *message_env;
    const ErlNifPid *pid;
    NifResource *resource;
    int fd, flags;
    Term message;
} Call;

static int wait_as_asked(const Call *c, Use *u, FdLoss *loss) {
    Term to = receiver(c->env, c->pid);
    if (!is_value(to))
        return ERROR_RESULT(ERL_NIF_SELECT_FAILED);
    KeptMessage messages[DIRECTIONS];
    make_messages(messages, c->resource, c->flags, c->message);
    int result = wait_for(c->fd, u, c->resource, c->flags & ALL_FLAGS, to, messages, loss);
    bool is_taken = result >= 0 && c->flags & ERL_NIF_SELECT_CUSTOM_MSG;
    if (is_taken && c->message_env != NULL && c->message_env->kind == NIF_ENV_INDEPENDENT)
        enif_clear_env(c->message_env);
    return result;
}

static int select_now(const Call *c, Use *u, FdLoss *loss) {
    if (c->flags & ERL_NIF_SELECT_STOP)
        return stop(c->fd, u, c->resource, loss);
    if (c->flags & ERL_NIF_SELECT_CANCEL)
        return cancel(c->fd, u, c->resource, c->flags, loss);
    return wait_as_asked(c, u, loss);
}

static void put_call(Text *to, const Call *c) {
    static const struct {
        int flag;
        const char *name;
    } names[] = {{ERL_NIF_SELECT_READ, " READ"},
                 {ERL_NIF_SELECT_WRITE, " WRITE"},
                 {ERL_NIF_SELECT_ERROR, " ERROR"},
                 {ERL_NIF_SELECT_STOP, " STOP"},
                 {ERL_NIF_SELECT_CANCEL, " CANCEL"}};
    text_format(to, "enif_select(_, %d,", c->fd);
    for (size_t i = 0; i < array_length(names); i++)
        text_string(to, c->flags & names[i].flag ? names[i].name : "");
    text_string(to, ", ");
    put_type(to, c->resource, ":");
    text_string(to, ", ");
    if (c->flags & ERL_NIF_SELECT_CUSTOM_MSG)
        text_byte(to, '_'); /* its environment may have been cleared */
    else
        print_term(to, c->message);
    text_byte(to, ')');
}

/* Also of what has been stopped: nobody gives it back before this is over. */
static int refuse_too_large(const Call *c) {
    TEXT(by);
    put_call(&by, c);
    if (c->fd >= 0)
        fd_report_too_large(c->fd, text_cstring(&by));
    return ERROR_RESULT(ERL_NIF_SELECT_INVALID_EVENT);
}

static int select_and_report(const Call *c, Use *u) {
    FdLoss loss;
    fd_loss_init(&loss);
    int result = select_now(c, u, &loss);
    if (!loss.is)
        return result;
    TEXT(by);
    put_call(&by, c);
    fd_loss_finish(&loss, c->fd, text_cstring(&by));
    return result;
}

int enif_select_x(ErlNifEnv *env, ErlNifEvent fd, enum ErlNifSelectFlags flags, void *object, const ErlNifPid *pid,
                  ERL_NIF_TERM message, ErlNifEnv *message_env) {
    Call call = {env, message_env, pid, nif_resource_of(object), fd, (int)flags, nif_take(message)};
    Use *u = use_of(fd);
    if (u == NULL)
        return refuse_too_large(&call);
    return has_stop(call.resource) ? select_and_report(&call, u) : ERROR_RESULT(ERL_NIF_SELECT_FAILED);
}

int enif_select(ErlNifEnv *env, ErlNifEvent fd, enum ErlNifSelectFlags flags, void *object, const ErlNifPid *pid,
                ERL_NIF_TERM reference) {
    return enif_select_x(env, fd, (enum ErlNifSelectFlags)(flags & ~ERL_NIF_SELECT_CUSTOM_MSG), object, pid, reference,
                         NULL);
}
