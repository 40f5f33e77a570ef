#include "process/request.h"

#include "alloc/alloc.h"

typedef struct {
    CallSignal call;
    uint64_t id;
    Term answer;
    Fragment *data;
} ReplySignal;

RequestStatus request_answer(Process *p, Term *answer) {
    if (!p->request)
        return REQUEST_NONE;
    if (!p->request->is_answered)
        return REQUEST_PENDING;
    *answer = p->request->answer;
    if (p->request->data)
        heap_adopt_fragments(&p->heap, p->request->data);
    p->request->data = NULL;
    request_end(p);
    return REQUEST_ANSWERED;
}

uint64_t request_begin(Process *p) {
    static _Atomic uint64_t next_id = 1;
    require(!p->request);
    p->request = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->request);
    return p->request->id = atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
}

void request_end(Process *p) {
    if (p->request && p->request->data)
        fragment_free(p->request->data);
    mem_free(ALLOC_PROCESS_MISC, p->request);
    p->request = NULL;
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

void request_reply(Term pid, uint64_t id, Term answer) {
    ReplySignal *reply = mem_alloc(ALLOC_SIGNAL, sizeof *reply);
    signal_init(&reply->call.signal, SIGNAL_CALL);
    reply->call.handle = take_reply;
    reply->id = id;
    reply->answer = answer;
    reply->data = message_copy_out(&reply->answer);
    if (signal_send(pid, &reply->call.signal))
        return;
    if (reply->data)
        fragment_free(reply->data);
    mem_free(ALLOC_SIGNAL, reply);
}
