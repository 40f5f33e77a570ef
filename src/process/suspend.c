#include "process/suspend.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/dirty_gate.h"
#include "process/receive.h"
#include "process/request.h"
#include "sys/release.h"
#include "term/atom.h"

typedef enum { SUSPEND, ASK, RESUME, FORGET } SuspendKind;
typedef struct {
    CallSignal call;
    SuspendKind kind;
    Term from;    /* NON_VALUE: the runtime itself */
    size_t times; /* RESUME */
    struct SuspendMark *mark; /* of the first that `from` sends, until it resumes */
    SuspendRequest request;
} SuspendSignal;

/* The suspendee sets it when it answers the signal; the signal and the suspender's note own it. */
typedef struct SuspendMark {
    _Atomic bool holds;
    _Atomic bool is_left; /* by one of the two */
} SuspendMark;

static void leave_mark(SuspendMark *m) {
    if (m != NULL && atomic_exchange(&m->is_left, true))
        mem_free(ALLOC_PROCESS_MISC, m);
}

bool suspend_holds(const Suspending *s) { return atomic_load(&s->mark->holds); }

/* Who is known */

static Suspending *count_up(KeyTable *table, Term pid) {
    Suspending *s = (Suspending *)key_table_find(table, pid);
    if (s == NULL) {
        s = mem_calloc(ALLOC_PROCESS_MISC, sizeof *s);
        s->node.key = pid;
        key_table_add(table, &s->node);
    }
    s->count++;
    return s;
}

static void suspending_free(Suspending *s) {
    if (s != NULL)
        leave_mark(s->mark);
    mem_free(ALLOC_PROCESS_MISC, s);
}

static void forget(KeyTable *table, Term pid) { suspending_free((Suspending *)key_table_remove(table, pid)); }

/* False: it is not there. */
static bool count_down(KeyTable *table, Term pid, size_t times) {
    Suspending *s = (Suspending *)key_table_find(table, pid);
    if (s != NULL && (s->count -= times) == 0)
        forget(table, pid);
    return s != NULL;
}

static Suspensions *suspensions_of(Process *p) {
    if (p->suspensions == NULL) {
        p->suspensions = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->suspensions);
        p->suspensions->timeout_left = -1;
    }
    return p->suspensions;
}

size_t suspend_count_of(const Process *p, Term pid) {
    const Suspensions *all = p->suspensions;
    const Suspending *s = all != NULL ? (const Suspending *)key_table_find(&all->suspending, pid) : NULL;
    return s != NULL ? s->count : 0;
}

void suspend_each(const Process *p, void (*each)(KeyNode *suspending, void *data), void *data) {
    if (p->suspensions != NULL)
        key_table_each(&p->suspensions->suspending, each, data);
}

/* Signals */

static void take(Process *p, CallSignal *call);

static SuspendSignal *signal_of(SuspendKind kind, Term from) {
    SuspendSignal *s = mem_calloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL)->detail = CALL_LEAVES_MESSAGES;
    s->call.handle = take;
    s->kind = kind;
    s->from = from;
    return s;
}

static void resume(Term pid, Term from, size_t times) {
    SuspendSignal *s = signal_of(RESUME, from);
    s->times = times;
    signal_send_or_drop(pid, &s->call.signal);
}

static void tell(SuspendRequest *request, Term to, Term state) {
    kept_message_set_element(&request->told, 2, state);
    kept_message_send(&request->told, to);
}

/* The suspendee, who runs no code any more, or is ending: then it is forgotten before that is known. */
static void answer(Process *p, SuspendSignal *s) {
    bool ending = process_is_exiting(p);
    if (s->mark != NULL && !ending)
        atomic_store(&s->mark->holds, true);
    leave_mark(s->mark);
    Term state = ending ? am_exited : p->suspensions && p->suspensions->count > 0 ? am_suspended : am_not_suspended;
    if (ending && s->kind == SUSPEND)
        signal_send_or_drop(s->from, &signal_of(FORGET, p->pid)->call.signal);
    if (s->request.id != 0)
        request_reply(s->from, s->request.id, ending ? am_badarg : bool_term(s->kind == SUSPEND));
    tell(&s->request, s->from, state);
    mem_free(ALLOC_SIGNAL, s);
}

static void answer_all(Process *p) {
    CallSignal *call = p->suspensions->asked;
    p->suspensions->asked = NULL;
    for (CallSignal *next; call != NULL; call = next) {
        next = (CallSignal *)call->signal.next;
        answer(p, container_of(call, SuspendSignal, call));
    }
}

static bool is_put_off(const Process *p) { return (atomic_load(&p->state) & STATE_SUSPENDS) != 0; }

void suspend_answer_asked(Process *p) {
    if (!is_put_off(p) || process_is_exiting(p))
        answer_all(p);
}

/* What was put off. In a dirty call the answers wait for its end; one that is ending has answered. */
static void settle(Process *p) {
    if (!is_put_off(p) || process_is_exiting(p))
        return;
    atomic_fetch_or(&p->state, STATE_SUSPENDED);
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_SUSPENDS);
    if (!process_is_in_dirty_call(p))
        answer_all(p);
}

static void take_end_of_work(Process *p, CallSignal *call) {
    settle(p);
    mem_free(ALLOC_SIGNAL, call);
}

void suspend_work_is_over(Process *p) {
    atomic_store(&p->works_for, NULL);
    race_window("a process works for no module any more, and is not yet suspended");
    if (!is_put_off(p))
        return;
    CallSignal *call = mem_alloc(ALLOC_SIGNAL, sizeof *call);
    signal_init(&call->signal, SIGNAL_CALL);
    call->handle = take_end_of_work;
    if (!signal_push(p, &call->signal))
        mem_free(ALLOC_SIGNAL, call);
}

static bool works_for_module(const Process *p) { return atomic_load(&p->works_for) != NULL; }

static void suspended_by(Process *p, Term from) {
    suspensions_of(p)->count++;
    count_up(&p->suspensions->suspenders, from);
    if (atomic_load(&p->state) & STATE_SUSPENDED)
        return;
    if (p->suspensions->count == 1 && release_has(RELEASE_TIMEOUTS_SUSPENDED))
        p->suspensions->timeout_left = receive_timeout_hold(p);
    atomic_fetch_or(&p->state, works_for_module(p) ? STATE_SUSPENDS : STATE_SUSPENDED);
    race_window("a process is to be suspended, its work may be over");
    if (!works_for_module(p))
        settle(p);
}

static void resumed_by(Process *p, Term from, size_t times) {
    Suspensions *s = p->suspensions;
    if (s == NULL || s->count < times)
        return;
    if (is_value(from))
        count_down(&s->suspenders, from, times);
    if ((s->count -= times) > 0)
        return;
    if (s->timeout_left >= 0)
        receive_timeout_go_on(p, s->timeout_left);
    s->timeout_left = -1;
    if (atomic_fetch_and(&p->state, ~(uint32_t)(STATE_SUSPENDED | STATE_SUSPENDS)) & STATE_SUSPENDS)
        answer_all(p);
}

static void take(Process *p, CallSignal *call) {
    SuspendSignal *s = container_of(call, SuspendSignal, call);
    bool ending = process_is_exiting(p);
    switch (s->kind) {
    case SUSPEND:
        if (!ending)
            suspended_by(p, s->from);
        break;
    case ASK: break;
    case RESUME:
        if (!ending)
            resumed_by(p, s->from, s->times);
        mem_free(ALLOC_SIGNAL, s);
        return;
    case FORGET:
        if (p->suspensions != NULL)
            forget(&p->suspensions->suspending, s->from);
        mem_free(ALLOC_SIGNAL, s);
        return;
    }
    if (ending || !(process_is_in_dirty_call(p) || is_put_off(p))) {
        answer(p, s);
        return;
    }
    Suspensions *all = suspensions_of(p);
    call->signal.next = (Signal *)all->asked;
    all->asked = call;
}

/* The suspender */

bool suspend_process(Process *p, Term pid, SuspendRequest *request) {
    SuspendSignal *s = signal_of(request->only_ask ? ASK : SUSPEND, p->pid);
    s->request = *request;
    if (kept_message_is(&request->told))
        s->call.signal.detail = 0; /* makes it look at its messages, as a question does */
    SuspendMark *mark = NULL;
    if (suspend_count_of(p, pid) == 0)
        mark = s->mark = mem_calloc(ALLOC_PROCESS_MISC, sizeof *mark);
    if (!signal_ask(p, pid, &s->call.signal)) {
        mem_free(ALLOC_PROCESS_MISC, mark);
        mem_free(ALLOC_SIGNAL, s);
        tell(request, p->pid, am_badarg);
        return false;
    }
    race_window("a suspend is sent, and not yet noted");
    Suspending *noted = request->only_ask ? NULL : count_up(&suspensions_of(p)->suspending, pid);
    if (mark != NULL)
        noted->mark = mark;
    return true;
}

bool suspend_resume(Process *p, Term pid) {
    if (p->suspensions == NULL || !count_down(&p->suspensions->suspending, pid, 1))
        return false;
    resume(pid, p->pid, 1);
    return true;
}

void suspend_oneself(Process *p) {
    suspensions_of(p)->count++;
    atomic_fetch_or(&p->state, STATE_SUSPENDED);
}

void suspend_let_go(Term pid) { resume(pid, NON_VALUE, 1); }

bool suspend_release_next(Process *p) {
    Suspensions *all = p->suspensions;
    if (all == NULL)
        return false;
    Suspending *other = (Suspending *)key_table_take_any(&all->suspending), *by = NULL;
    if (other != NULL)
        resume((Term)other->node.key, p->pid, other->count);
    else if ((by = (Suspending *)key_table_take_any(&all->suspenders)) != NULL)
        signal_send_or_drop((Term)by->node.key, &signal_of(FORGET, p->pid)->call.signal);
    suspending_free(other);
    suspending_free(by);
    if (other != NULL || by != NULL)
        return true;
    mem_free(ALLOC_PROCESS_MISC, all);
    p->suspensions = NULL;
    return false;
}
