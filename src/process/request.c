#include "process/request.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "code/export.h"
#include "process/bif.h"

typedef struct {
    CallSignal call;
    uint64_t id;
    Term answer;
    Fragment *data;
} ReplySignal;

bool request_may(const Process *p) {
    const BifEntry *bif = p->current_bif != NULL ? p->current_bif->bif : NULL;
    return bif != NULL && (bif->flags & BIF_WAITS);
}

RequestStatus request_answer(Process *p, Term *answer) {
    assume(request_may(p));
    if (!p->request || p->request->guard)
        return REQUEST_NONE;
    if (!p->request->is_answered)
        return REQUEST_PENDING;
    race_window("an answer is there, and not yet taken");
    *answer = p->request->answer;
    if (p->request->data)
        heap_adopt_fragments(&p->heap, p->request->data);
    p->request->data = NULL;
    request_end(p);
    return REQUEST_ANSWERED;
}

bool request_goes_on(Process *p, Term *result) {
    RequestStatus status = request_answer(p, result);
    if (status == REQUEST_PENDING)
        *result = request_wait(p);
    return status != REQUEST_NONE;
}

uint64_t request_begin(Process *p) {
    static _Atomic uint64_t next_id = 1;
    require(!p->request && request_may(p));
    p->request = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->request);
    return p->request->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
}

void request_end(Process *p) {
    if (p->request && p->request->data)
        fragment_free(p->request->data);
    mem_free(ALLOC_PROCESS_MISC, p->request);
    p->request = NULL;
}

void request_drop(Process *p) {
    RequestGuard *guard = p->request != NULL ? p->request->guard : NULL;
    race_window("a request is dropped, its guard not yet told");
    request_end(p);
    if (guard != NULL)
        guard->type->lost(guard);
}

void request_put_off(Process *p) {
    Request *r = p->request;
    if (r == NULL || r->guard == NULL || r->guard->type->put_off == NULL || !r->is_answered)
        return;
    r->is_answered = false;
    race_window("an answer is given back, its guard not yet told");
    r->guard->type->put_off(r->guard);
}

typedef struct {
    ProgressNode progress; /* must be first */
    Term pid, answer;
    uint64_t id;
} ProgressReply;

static void reply_now(ProgressNode *node) {
    ProgressReply *r = (ProgressReply *)node;
    thread_progress_enter(); /* the thread may be going to sleep */
    request_reply(r->pid, r->id, r->answer);
    thread_progress_leave();
    mem_free(ALLOC_SIGNAL, r);
}

Term request_wait_for_progress(Process *p, Term answer) {
    ProgressReply *r = mem_alloc(ALLOC_SIGNAL, sizeof *r);
    *r = (ProgressReply){.progress.run = reply_now, .pid = p->pid, .answer = answer, .id = request_begin(p)};
    thread_progress_later(&r->progress);
    return request_wait(p);
}

Term request_wait(Process *p) { return fail_with(p, FAIL_WAIT); }

static void take_reply(Process *p, CallSignal *call) {
    ReplySignal *reply = container_of(call, ReplySignal, call);
    Request *r = p->request;
    if (r && r->id == reply->id && !r->is_answered) {
        r->is_answered = true;
        r->answer = reply->answer;
        r->data = reply->data;
        atomic_fetch_or(&p->state, STATE_ACTIVE);
    } else if (reply->data) {
        fragment_free(reply->data);
    }
    mem_free(ALLOC_SIGNAL, reply);
}

/* Only a process that handles a signal answers with more than an immediate term. */
static Fragment *copy_out(Term *answer) {
    LONG_WORK_OPEN_IF(is_pointer(*answer));
    return message_copy_sent(answer);
}

void request_reply(Term pid, uint64_t id, Term answer) {
    ReplySignal *reply = mem_alloc(ALLOC_SIGNAL, sizeof *reply);
    signal_init(&reply->call.signal, SIGNAL_CALL);
    reply->call.handle = take_reply;
    reply->id = id;
    reply->answer = answer;
    reply->data = copy_out(&reply->answer);
    race_window("a reply is made, and not yet sent");
    if (signal_send(pid, &reply->call.signal))
        return;
    if (reply->data)
        fragment_free(reply->data);
    mem_free(ALLOC_SIGNAL, reply);
}
