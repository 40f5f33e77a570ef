#include "process/collect.h"

#include "alloc/alloc.h"
#include "process/dictionary.h"
#include "process/request.h"
#include "term/atom.h"

static void add_own_roots(Process *p, Rootset *roots) {
    rootset_add(roots, &p->group_leader, 1);
    rootset_add(roots, &p->seq_trace_token, 1);
    rootset_add(roots, &p->exit_reason, 1);
    rootset_add(roots, &p->fail.value, 7);
    rootset_add(roots, p->fail.trap_arguments, TRAP_ARGUMENTS_MAX);
    if (p->dictionary)
        rootset_add(roots, p->dictionary->pairs, 2 * (size_t)p->dictionary->capacity);
}

/* The terms of the messages that a receive has passed over lie one here, one there: gathered for the collector, and put
 * back after. They come first in the queue, mostly. */
typedef struct {
    Term *terms;
    size_t count;
    Term few[32];
} MessageRoots;

static void gather_messages(Process *p, MessageRoots *roots) {
    size_t left = p->messages_in_heap;
    roots->count = 2 * left;
    roots->terms = roots->count <= array_length(roots->few) ? roots->few
                                                            : mem_alloc(ALLOC_TEMP, roots->count * sizeof(Term));
    Term *to = roots->terms;
    for (Message *m = p->messages; left; m = (Message *)m->signal.next) {
        if (!m->is_in_heap)
            continue;
        *to++ = m->term;
        *to++ = m->token;
        left--;
    }
}

static void scatter_messages(Process *p, MessageRoots *roots) {
    size_t left = p->messages_in_heap;
    const Term *from = roots->terms;
    for (Message *m = p->messages; left; m = (Message *)m->signal.next) {
        if (!m->is_in_heap)
            continue;
        m->term = *from++;
        m->token = *from++;
        left--;
    }
    if (roots->terms != roots->few)
        mem_free(ALLOC_TEMP, roots->terms);
}

bool process_collect_kind(Process *p, size_t need, Term *x, unsigned live, CollectKind kind) {
    Rootset roots = {.count = 0};
    MessageRoots messages;
    gather_messages(p, &messages);
    add_own_roots(p, &roots);
    rootset_add(&roots, messages.terms, messages.count);
    rootset_add(&roots, x, live);
    CollectResult result = heap_collect(&p->heap, &roots, need, kind, &p->reductions);
    scatter_messages(p, &messages);
    return result == COLLECTED || process_over_limit(p);
}

bool process_collect(Process *p, size_t need, Term *x, unsigned live) {
    return process_collect_kind(p, need, x, live, COLLECT_AUTO);
}

bool process_collect_saved(Process *p, CollectKind kind) {
    return process_collect_kind(p, 0, p->saved, p->arity, kind);
}

typedef struct CollectionRequest {
    CallSignal call;
    CollectOrder order;
} CollectionRequest;

static void answer(CollectionRequest *r, bool done) {
    CollectOrder *o = &r->order;
    if (o->id) {
        request_reply(o->requester, o->id, done ? am_true : am_false);
    } else {
        Message *chosen = done ? o->done : o->failed, *other = done ? o->failed : o->done;
        message_free(other);
        if (!signal_send(o->requester, &chosen->signal))
            message_free(chosen);
    }
    mem_free(ALLOC_SIGNAL, r);
}

static void take_order(Process *p, CallSignal *call) {
    CollectionRequest *r = container_of(call, CollectionRequest, call);
    if (process_is_exiting(p)) {
        answer(r, false);
        return;
    }
    r->call.signal.next = (Signal *)p->collection_requests;
    p->collection_requests = r;
    atomic_fetch_or(&p->state, STATE_TASKS);
}

bool collect_order(Term pid, const CollectOrder *order) {
    CollectionRequest *r = mem_alloc(ALLOC_SIGNAL, sizeof *r);
    signal_init(&r->call.signal, SIGNAL_CALL);
    r->call.handle = take_order;
    r->order = *order;
    if (signal_send(pid, &r->call.signal))
        return true;
    mem_free(ALLOC_SIGNAL, r);
    return false;
}

static void answer_all(Process *p, bool done) {
    atomic_fetch_and(&p->state, ~(uint32_t)STATE_TASKS);
    while (p->collection_requests) {
        CollectionRequest *r = p->collection_requests;
        p->collection_requests = (CollectionRequest *)r->call.signal.next;
        answer(r, done);
    }
}

void collect_requested(Process *p) {
    CollectKind kind = COLLECT_MINOR;
    for (CollectionRequest *r = p->collection_requests; r; r = (CollectionRequest *)r->call.signal.next)
        if (r->order.kind == COLLECT_MAJOR)
            kind = COLLECT_MAJOR;
    process_collect_saved(p, kind);
    answer_all(p, true);
}

void collect_refuse_all(Process *p) { answer_all(p, false); }
