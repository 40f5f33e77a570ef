/*
 * Requests: a BIF asks another process something and waits for the answer, without the help of any Erlang code.
 *
 * The BIF looks at request_answer first: REQUEST_NONE means that it has just been called. It then makes a request,
 * sends signals that carry its number, and returns request_wait(p) (FAIL_WAIT). The process sleeps; whoever has the
 * answer calls request_reply, which wakes it; the BIF is called again with the same arguments and takes the answer.
 * Other signals may call it before that: it then finds REQUEST_PENDING and waits again. A process has at most one
 * request, and one that its BIF does not wait for is dropped when that returns (process/waiting_bif.h).
 */
#ifndef VIV_PROCESS_REQUEST_H
#define VIV_PROCESS_REQUEST_H

#include "process/message.h"

/*
 * A guard is for an answer that others miss when the process does not use it. It is called on the thread that runs the
 * process, and is its owner's memory. `lost`: the request is dropped, answered or not. `put_off`: the answer is there,
 * but the process has been suspended; the request counts as not answered again (NULL: the answer stays). Who has set a
 * guard takes the answer himself and ends the request: to request_answer there is none.
 */
struct RequestGuard;
typedef struct {
    void (*lost)(struct RequestGuard *guard);
    void (*put_off)(struct RequestGuard *guard);
} RequestGuardType;
typedef struct RequestGuard {
    const RequestGuardType *type;
} RequestGuard;

/* A function that the stock runtime shows a process in. `module` 0: none. */
typedef struct {
    Term module, function;
    uint32_t arity;
} RequestPlace;

typedef struct Request {
    uint64_t id;
    RequestGuard *guard; /* NULL: nobody minds */
    bool is_answered;
    bool is_suspension; /* process_info shows who waits so as suspended, in the BIF that it is in */
    RequestPlace place; /* or in this function */
    Term answer;    /* immediate, literal, or in data */
    Fragment *data;
} Request;

/* Is the BIF that p runs one that may wait? Others can neither ask nor take a permission. */
bool request_may(const Process *p);

typedef enum { REQUEST_NONE, REQUEST_PENDING, REQUEST_ANSWERED } RequestStatus;
/* When answered, the request is over and *answer is a term of p's heap. */
RequestStatus request_answer(Process *p, Term *answer);
/* At the beginning of a BIF that asks. True: it has asked already, and returns *result now: the answer, or NON_VALUE as
 * it waits on. */
must_check bool request_goes_on(Process *p, Term *result);
uint64_t request_begin(Process *p);
/* Begun, but it turns out that nobody is there to ask. */
void request_end(Process *p);
/* Nobody will use the answer: the process ends, or its BIF has left. The guard hears of it. */
void request_drop(Process *p);
/* The process is suspended. */
void request_put_off(Process *p);
Term request_wait(Process *p);
/* Waits for thread progress: then the answer is `answer`, an immediate term. */
Term request_wait_for_progress(Process *p, Term answer);
/* Any thread that may look pids up. `answer` is copied. Dropped when the process is gone or does not wait for it. */
void request_reply(Term pid, uint64_t id, Term answer);

#endif
