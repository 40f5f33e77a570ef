#include "process/suspend.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "process/dirty_gate.h"
#include "process/request.h"
#include "term/atom.h"

typedef struct {
    CallSignal call;
    bool resume;
    Term requester;
    uint64_t id;
    KeptMessage done;
} SuspendSignal;

static Suspending **record_of(const Process *p, Term pid) {
    Suspending **at = (Suspending **)&p->suspending;
    while (*at && (*at)->pid != pid)
        at = &(*at)->next;
    return at;
}

size_t suspend_count_of(const Process *p, Term pid) {
    Suspending *s = *record_of(p, pid);
    return s ? s->count : 0;
}

static void answer(SuspendSignal *s, bool done) {
    if (s->id)
        request_reply(s->requester, s->id, bool_term(done));
    kept_message_send(&s->done, s->requester);
}

static void take(Process *p, CallSignal *call) {
    SuspendSignal *s = container_of(call, SuspendSignal, call);
    if (!s->resume)
        suspend_oneself(p);
    else if (s->resume && p->suspend_count > 0 && --p->suspend_count == 0)
        atomic_fetch_and(&p->state, ~(uint32_t)STATE_SUSPENDED);
    if (s->resume || !process_is_in_dirty_call(p)) {
        answer(s, !process_is_exiting(p));
        mem_free(ALLOC_SIGNAL, s);
        return;
    }
    call->signal.next = (Signal *)p->suspend_asked;
    p->suspend_asked = call;
}

void suspend_answer_asked(Process *p) {
    for (CallSignal *call = p->suspend_asked, *next; call != NULL; call = next) {
        SuspendSignal *s = container_of(call, SuspendSignal, call);
        next = (CallSignal *)call->signal.next;
        answer(s, !process_is_exiting(p));
        mem_free(ALLOC_SIGNAL, s);
    }
    p->suspend_asked = NULL;
}

/* `p`: NULL when the runtime itself resumes. Who suspends waits for that, as a rule. */
static bool send(const Process *p, Term pid, bool resume, uint64_t id, KeptMessage done) {
    SuspendSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take;
    s->resume = resume;
    s->requester = p != NULL ? p->pid : NON_VALUE;
    s->id = id;
    s->done = done;
    if (resume ? signal_send(pid, &s->call.signal) : signal_ask(p, pid, &s->call.signal))
        return true;
    kept_message_free(&s->done);
    mem_free(ALLOC_SIGNAL, s);
    return false;
}

bool suspend_process(Process *p, Term pid, uint64_t id, KeptMessage done) {
    if (!send(p, pid, false, id, done))
        return false;
    race_window("a suspend is sent, and not yet noted");
    Suspending *s = *record_of(p, pid);
    if (!s) {
        s = mem_calloc(ALLOC_PROCESS_MISC, sizeof *s);
        s->pid = pid;
        s->next = p->suspending;
        p->suspending = s;
    }
    s->count++;
    return true;
}

bool suspend_resume(Process *p, Term pid) {
    Suspending **at = record_of(p, pid), *s = *at;
    if (!s)
        return false;
    (void)send(p, pid, true, 0, KEPT_MESSAGE_NONE);
    if (--s->count == 0) {
        *at = s->next;
        mem_free(ALLOC_PROCESS_MISC, s);
    }
    return true;
}

void suspend_oneself(Process *p) {
    if (p->suspend_count++ == 0)
        atomic_fetch_or(&p->state, STATE_SUSPENDED);
}

void suspend_let_go(Term pid) { (void)send(NULL, pid, true, 0, KEPT_MESSAGE_NONE); }

void suspend_release_all(Process *p) {
    while (p->suspending)
        suspend_resume(p, p->suspending->pid);
}
