/* Messages: from functions, from threads of the library's own; who is there to get them. */
#include "nif_test.h"

/* send(Pid, Term, How): 0 with an environment of the message's own, 1 without, 2 with one that is used again. */
NIF(send) {
    ErlNifPid pid;
    if (!enif_get_local_pid(env, argv[0], &pid))
        return enif_make_badarg(env);
    int how = int_of(env, argv[2]);
    if (how == 1)
        return enif_make_int(env, enif_send(env, &pid, NULL, argv[1]));
    ErlNifEnv *own = enif_alloc_env();
    int sent = 0;
    for (int i = 0; i <= how; i++) {
        sent += enif_send(env, &pid, own, enif_make_copy(own, argv[1]));
        if (i < how)
            enif_clear_env(own);
    }
    enif_free_env(own);
    return enif_make_int(env, sent);
}

/* After a successful send the environment is empty and can be filled again without being cleared by hand. */
NIF(send_twice) {
    ErlNifPid self;
    ErlNifEnv *own = enif_alloc_env();
    enif_self(env, &self);
    for (int i = 0; i < 2; i++) {
        ERL_NIF_TERM message = enif_make_tuple2(own, enif_make_int(own, i), enif_make_copy(own, argv[0]));
        if (!enif_send(env, &self, own, message))
            return atom(env, "no");
        enif_clear_env(own);
    }
    enif_free_env(own);
    return atom(env, "ok");
}

typedef struct {
    ErlNifPid to;
    ErlNifEnv *env; /* holds `term` */
    ERL_NIF_TERM term;
    int number, count, sent;
    ErlNifTid thread;
} Sender;

static void *send_many(void *data) {
    Sender *s = data;
    for (int i = 0; i < s->count; i++) {
        ErlNifEnv *own = enif_alloc_env();
        ERL_NIF_TERM message = enif_make_tuple4(own, atom(own, "from_thread"), enif_make_int(own, s->number),
                                                enif_make_int(own, i), enif_make_copy(own, s->term));
        s->sent += enif_send(NULL, &s->to, own, message);
        enif_free_env(own);
    }
    return s;
}

/* from_threads(Pid, Threads, Messages, Term): how many were sent. */
NIF(from_threads) {
    Sender senders[8];
    int threads = int_of(env, argv[1]), sent = 0;
    for (int i = 0; i < threads; i++) {
        Sender *s = &senders[i];
        memset(s, 0, sizeof *s);
        if (!enif_get_local_pid(env, argv[0], &s->to))
            return enif_make_badarg(env);
        s->number = i;
        s->count = int_of(env, argv[2]);
        s->env = enif_alloc_env();
        s->term = enif_make_copy(s->env, argv[3]);
        if (enif_thread_create("sender", &s->thread, send_many, s, NULL))
            return atom(env, "no_thread");
    }
    for (int i = 0; i < threads; i++) {
        void *result;
        enif_thread_join(senders[i].thread, &result);
        sent += ((Sender *)result)->sent;
        enif_free_env(senders[i].env);
    }
    return enif_make_int(env, sent);
}

NIF(is_process_alive) {
    ErlNifPid pid;
    if (!enif_get_local_pid(env, argv[0], &pid))
        return atom(env, "no");
    return boolean(env, enif_is_process_alive(env, &pid));
}

/* Asked by a thread. */
typedef struct {
    ErlNifPid pid;
    int is_alive;
} Question;
static void *ask(void *data) {
    Question *q = data;
    q->is_alive = enif_is_process_alive(NULL, &q->pid);
    return NULL;
}
NIF(is_alive_by_thread) {
    Question q = {.is_alive = 77};
    ErlNifTid thread;
    if (!enif_get_local_pid(env, argv[0], &q.pid))
        return atom(env, "no");
    enif_thread_create("asks", &thread, ask, &q, NULL);
    enif_thread_join(thread, NULL);
    return boolean(env, q.is_alive);
}

NIF(whereis) {
    ErlNifPid pid;
    ErlNifPort port;
    int is_pid = enif_whereis_pid(env, argv[0], &pid), is_port = enif_whereis_port(env, argv[0], &port);
    return enif_make_tuple2(env, is_pid ? enif_make_pid(env, &pid) : atom(env, "no"), boolean(env, is_port));
}

NIF(pids) {
    ErlNifPid a, b;
    if (!enif_get_local_pid(env, argv[0], &a) || !enif_get_local_pid(env, argv[1], &b))
        return atom(env, "no");
    int order = enif_compare_pids(&a, &b);
    return enif_make_tuple3(env, enif_make_int(env, order < 0 ? -1 : order > 0), enif_make_pid(env, &a),
                            enif_make_pid(env, &b));
}

NIF(undefined_pid) {
    ErlNifPid pid, other;
    enif_self(env, &other);
    int before = enif_is_pid_undefined(&other);
    enif_set_pid_undefined(&pid);
    return enif_make_tuple4(env, boolean(env, before), boolean(env, enif_is_pid_undefined(&pid)),
                            boolean(env, enif_is_process_alive(env, &pid)),
                            enif_make_int(env, enif_send(env, &pid, NULL, atom(env, "lost"))));
}

/* Ports by name of a port that is no more. */
NIF(port) {
    ErlNifPort port;
    if (!enif_get_local_port(env, argv[0], &port))
        return atom(env, "no");
    return enif_make_tuple2(env, boolean(env, enif_is_port_alive(env, &port)),
                            boolean(env, enif_port_command(env, &port, NULL, string(env, "text"))));
}

static ErlNifFunc functions[] = {
    {"send", 3, send, 0},
    {"dirty_send", 3, send, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"send_twice", 1, send_twice, 0},
    {"from_threads", 4, from_threads, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"is_process_alive", 1, is_process_alive, 0},
    {"is_alive_by_thread", 1, is_alive_by_thread, 0},
    {"whereis", 1, whereis, 0},
    {"dirty_whereis", 1, whereis, ERL_NIF_DIRTY_JOB_IO_BOUND},
    {"pids", 2, pids, 0},
    {"undefined_pid", 0, undefined_pid, 0},
    {"port", 1, port, 0},
};
ERL_NIF_INIT(nif_send, functions, NULL, NULL, NULL, NULL)
