/* Identifiers of processes and ports, and what a native function asks and tells them. */
#include "nif/env.h"

#include "base/race_window.h"
#include "nif/zero.h"
#include "process/dirty_gate.h"
#include "process/message.h"
#include "process/process_table.h"
#include "process/recorder.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/saved_calls.h"
#include "process/seq_trace.h"
#include "process/trace_point.h"
#include "process/signal_handle.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/node.h"

ERL_NIF_TERM enif_make_ref(ErlNifEnv *env) { return reference_new(env->area); }

ErlNifPid *enif_self(ErlNifEnv *env, ErlNifPid *pid) {
    if (env->process == NULL)
        return NULL;
    pid->pid = env->process->pid;
    return pid;
}

int enif_get_local_pid(ErlNifEnv *env, ERL_NIF_TERM t, ErlNifPid *pid) {
    if (!is_local_pid(t))
        return 0;
    pid->pid = t;
    return 1;
}

int enif_get_local_port(ErlNifEnv *env, ERL_NIF_TERM t, ErlNifPort *port) {
    if (!is_local_port(t))
        return 0;
    port->port_id = t;
    return 1;
}

void enif_set_pid_undefined(ErlNifPid *pid) { pid->pid = am_undefined; }
int enif_is_pid_undefined(const ErlNifPid *pid) { return pid->pid == am_undefined; }

static Term whereis(Term name) {
    if (!is_atom(name))
        return NON_VALUE;
    visitor_enter();
    Term found = registry_whereis(name);
    visitor_leave();
    return found;
}

int enif_whereis_pid(ErlNifEnv *env, ERL_NIF_TERM name, ErlNifPid *pid) {
    return enif_get_local_pid(env, whereis(name), pid);
}

int enif_whereis_port(ErlNifEnv *env, ERL_NIF_TERM name, ErlNifPort *port) {
    return enif_get_local_port(env, whereis(name), port);
}

bool nif_env_has_ended(const ErlNifEnv *env) { return env->kind == NIF_ENV_CALL && process_is_exiting(env->process); }

int enif_is_current_process_alive(ErlNifEnv *env) {
    Process *p = env->process;
    if (p == NULL)
        return 0;
    DirtyPause pause = dirty_gate_pause(p);
    if (pause.process != NULL) { /* what has been sent counts */
        visitor_enter();
        signal_handle(p);
        visitor_leave();
    }
    bool alive = !nif_env_has_ended(env);
    dirty_gate_go_on(&pause);
    return alive;
}

int enif_is_process_alive(ErlNifEnv *env, ErlNifPid *pid) {
    if (!is_local_pid(pid->pid))
        return 0;
    visitor_enter();
    const Process *p = process_find(pid->pid);
    bool alive = p != NULL && !process_is_exiting(p);
    visitor_leave();
    return alive;
}

/* A message goes out with all that was built in its environment, nothing is copied; without one it is copied. */

/* As nothing of the environment is left it was sent, though the receiver may have ended by then: who is told otherwise
 * sends its terms to another. */
static void send_environment(Process *to, NifOwnEnv *own, Term message, Term from, Term token) {
    Message *m = message_create_with(message, nif_own_env_take(own), from);
    message_add_token(m, token);
    if (!signal_push(to, &m->signal))
        message_free(m);
}

static bool send_copy(Process *to, Term message, Term from) {
    Message *m = message_create(message, from, NIL);
    if (signal_push(to, &m->signal))
        return true;
    message_free(m);
    return false;
}

static Process *find_receiver(Term pid) {
    Process *to = is_local_pid(pid) ? process_find(pid) : NULL;
    return to == NULL || process_is_exiting(to) ? NULL : to;
}

/* Who has no receiver is told nothing. The thread may be offline while it is told. */
static bool send(Process *sender, Term pid, ErlNifEnv *message_env, Term message) {
    Process *to = find_receiver(pid);
    if (to != NULL && sender != NULL && unlikely(recorder_chosen() & TRACE_SEND))
        recorder_message(sender, RECORD_SEND, pid, message);
    if (to != NULL && sender != NULL && unlikely(sender->trace_flags & TRACE_SEND)) {
        trace_points.event(sender, EVENT_SEND, message, pid);
        to = find_receiver(pid);
    }
    if (to == NULL)
        return false;
    Term from = sender != NULL ? sender->pid : NON_VALUE;
    if (message_env == NULL || message_env->kind != NIF_ENV_INDEPENDENT)
        return send_copy(to, message, from);
    Term token = sender != NULL ? seq_trace_send(sender, pid, message) : NIL;
    race_window("a receiver is found, an environment not yet sent");
    send_environment(to, (NifOwnEnv *)message_env, message, from, token);
    return true;
}

/* What a tracer sends is no act of the process that it watches. */
static Process *sender_of(const ErlNifEnv *env) {
    return env != NULL && env->kind != NIF_ENV_TRACER ? env->process : NULL;
}

/* The process's sequential trace token counts a message of an environment of its own, and goes with it. As on stock,
 * one that is copied carries none. */
int enif_send(ErlNifEnv *env, const ErlNifPid *to, ErlNifEnv *message_env, ERL_NIF_TERM message) {
    Process *sender = sender_of(env);
    DirtyPause pause = sender != NULL ? dirty_gate_pause(sender) : (DirtyPause){NULL};
    visitor_enter();
    bool sent = !(sender != NULL && nif_env_has_ended(env)) && send(sender, to->pid, message_env, nif_take(message));
    visitor_leave();
    dirty_gate_go_on(&pause);
    return sent;
}

/* The call */

/* A dirty thread has no slices. What is left of one is all that can be consumed: the next is not shorter. */
int enif_consume_timeslice(ErlNifEnv *env, int percent) {
    if (env->process == NULL || thread_kind != THREAD_SCHEDULER)
        return 0;
    DirtyPause pause = dirty_gate_pause(env->process); /* `load` runs on such a thread, but says that it does not */
    percent = percent < 1 ? 1 : percent > 100 ? 100 : percent;
    int64_t wanted = (int64_t)REDUCTIONS_PER_SLICE / 100 * percent, left = process_reductions_left(env->process);
    process_bump(env->process, wanted < left ? wanted : left > 0 ? left : 0);
    dirty_gate_go_on(&pause);
    return wanted >= left;
}

int enif_thread_type(void) {
    switch (thread_kind) {
    case THREAD_SCHEDULER: return ERL_NIF_THR_NORMAL_SCHEDULER;
    case THREAD_DIRTY_CPU: return ERL_NIF_THR_DIRTY_CPU_SCHEDULER;
    case THREAD_DIRTY_IO: return ERL_NIF_THR_DIRTY_IO_SCHEDULER;
    default: return ERL_NIF_THR_UNDEFINED;
    }
}
