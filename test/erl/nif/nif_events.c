/* enif_select: pipes of the library's own, messages when they are ready, and the ways to stop. */
#include "nif_test.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* One end of a pipe. The owner is told when it is stopped and when it dies. */
typedef struct {
    ErlNifPid owner;
    int fd, number;
} End;

static ErlNifResourceType *end_type, *without_stop;

static void tell(ErlNifEnv *env, End *e, const char *what, int direct) {
    ErlNifEnv *own = enif_alloc_env();
    enif_send(env, &e->owner, own,
              enif_make_tuple3(own, atom(own, what), enif_make_int(own, e->number), enif_make_int(own, direct)));
    enif_free_env(own);
}
static void stopped(ErlNifEnv *env, void *object, ErlNifEvent fd, int is_direct_call) {
    End *e = object;
    int own = fd == e->fd;
    close(fd);
    e->fd = -1;
    tell(env, e, own ? "stopped" : "stopped_another", 0);
}
static void died(ErlNifEnv *env, void *object) {
    End *e = object;
    if (e->fd >= 0)
        close(e->fd);
    tell(env, e, "died", 0);
}

static End *end_of(ErlNifEnv *env, ERL_NIF_TERM term) {
    void *object = NULL;
    if (!enif_get_resource(env, term, end_type, &object))
        enif_get_resource(env, term, without_stop, &object);
    return object;
}

static ERL_NIF_TERM new_end(ErlNifEnv *env, int fd, int number, ERL_NIF_TERM owner) {
    End *e = enif_alloc_resource(end_type, sizeof *e);
    enif_get_local_pid(env, owner, &e->owner);
    e->fd = fd;
    e->number = number;
    ERL_NIF_TERM term = enif_make_resource(env, e);
    enif_release_resource(e);
    return term;
}

/* open_pipe(Number, Owner): {Reader, Writer}, numbered Number and Number + 1. */
NIF(open_pipe) {
    int ends[2], number = int_of(env, argv[0]);
    if (pipe(ends) || fcntl(ends[0], F_SETFL, O_NONBLOCK) || fcntl(ends[1], F_SETFL, O_NONBLOCK))
        return atom(env, "no_pipe");
    return enif_make_tuple2(env, new_end(env, ends[0], number, argv[1]), new_end(env, ends[1], number + 1, argv[1]));
}

NIF(write_to) {
    ErlNifBinary bin;
    End *e = end_of(env, argv[0]);
    enif_inspect_binary(env, argv[1], &bin);
    ssize_t count = write(e->fd, bin.data, bin.size);
    return count < 0 ? atom(env, errno == EAGAIN  ? "again"
                                 : errno == EPIPE ? "closed"
                                                  : "error")
                     : enif_make_int(env, (int)count);
}
/* Until it is full. */
NIF(fill_up) {
    char block[4096] = {0};
    End *e = end_of(env, argv[0]);
    while (write(e->fd, block, sizeof block) > 0)
        ;
    return boolean(env, errno == EAGAIN);
}
NIF(read_from) {
    char block[100000];
    End *e = end_of(env, argv[0]);
    ssize_t count = read(e->fd, block, sizeof block);
    return count < 0 ? atom(env, errno == EAGAIN ? "again" : "error")
                     : binary(env, block, count > 100 ? 100 : (size_t)count);
}

static ERL_NIF_TERM flags_of(ErlNifEnv *env, int result) {
    static const struct {
        int bit;
        const char *name;
    } bits[] = {{ERL_NIF_SELECT_NOTSUP, "notsup"},
                {ERL_NIF_SELECT_ERROR_CANCELLED, "error_cancelled"},
                {ERL_NIF_SELECT_WRITE_CANCELLED, "write_cancelled"},
                {ERL_NIF_SELECT_READ_CANCELLED, "read_cancelled"},
                {ERL_NIF_SELECT_FAILED, "failed"},
                {ERL_NIF_SELECT_INVALID_EVENT, "invalid_event"},
                {ERL_NIF_SELECT_STOP_SCHEDULED, "stop_scheduled"},
                {ERL_NIF_SELECT_STOP_CALLED, "stop_called"}};
    if (result < 0)
        return enif_make_list1(env, atom(env, "negative"));
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (size_t i = 0; i < COUNT(bits); i++)
        if (result & bits[i].bit)
            list = enif_make_list_cell(env, atom(env, bits[i].name), list);
    return list;
}

/* select(End, Flags, Pid or none, Reference or undefined) */
NIF(select_end) {
    ErlNifPid pid;
    End *e = end_of(env, argv[0]);
    int to_pid = enif_get_local_pid(env, argv[2], &pid);
    int result =
        enif_select(env, e->fd, (enum ErlNifSelectFlags)int_of(env, argv[1]), e, to_pid ? &pid : NULL, argv[3]);
    return flags_of(env, result);
}
/* The same for a descriptor by its number. */
NIF(select_fd) {
    End *e = end_of(env, argv[0]);
    return flags_of(env, enif_select(env, int_of(env, argv[1]), (enum ErlNifSelectFlags)int_of(env, argv[2]), e, NULL,
                                     atom(env, "undefined")));
}
/* custom(End, read | write | error, Message, with an environment or not) */
NIF(custom) {
    End *e = end_of(env, argv[0]);
    ErlNifEnv *own = int_of(env, argv[3]) ? enif_alloc_env() : NULL;
    ERL_NIF_TERM message = own ? enif_make_copy(own, argv[2]) : argv[2];
    int result = enif_is_identical(argv[1], atom(env, "read")) ? enif_select_read(env, e->fd, e, NULL, message, own)
                 : enif_is_identical(argv[1], atom(env, "write"))
                     ? enif_select_write(env, e->fd, e, NULL, message, own)
                     : enif_select_error(env, e->fd, e, NULL, message, own);
    if (own)
        enif_free_env(own);
    return flags_of(env, result);
}
/* custom_to(End, Flags, Pid, Message): without the macros. */
NIF(custom_to) {
    ErlNifPid pid;
    End *e = end_of(env, argv[0]);
    enif_get_local_pid(env, argv[2], &pid);
    return flags_of(env, enif_select_x(env, e->fd,
                                       (enum ErlNifSelectFlags)(int_of(env, argv[1]) | ERL_NIF_SELECT_CUSTOM_MSG), e,
                                       &pid, argv[3], NULL));
}

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
    ErlNifResourceTypeInit init = {.dtor = died, .stop = stopped}, no_stop = {.dtor = died};
    end_type = enif_open_resource_type_x(env, "end", &init, ERL_NIF_RT_CREATE, NULL);
    without_stop = enif_open_resource_type_x(env, "without_stop", &no_stop, ERL_NIF_RT_CREATE, NULL);
    return !end_type || !without_stop;
}

static ErlNifFunc functions[] = {
    {"open_pipe", 2, open_pipe, 0},   {"write_to", 2, write_to, 0},
    {"fill_up", 1, fill_up, 0},       {"read_from", 1, read_from, 0},
    {"select_end", 4, select_end, 0}, {"dirty_select", 4, select_end, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"select_fd", 3, select_fd, 0},   {"custom", 4, custom, 0},
    {"custom_to", 4, custom_to, 0},
};
ERL_NIF_INIT(nif_events, functions, load, NULL, NULL, NULL)
