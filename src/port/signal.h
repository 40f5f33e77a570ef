/*
 * What others want of a port (port/port.h): questions and commands, as signals of their own.
 */
#ifndef VIV_PORT_SIGNAL_H
#define VIV_PORT_SIGNAL_H

#include "port/port.h"

/* A port that rests is linked, monitored or ended by exit/2 at once (signal_tell). So it is gone when exit/2 returns,
 * its driver stopped and free to be opened again, unless it has something left to write, or more to tell than fits a
 * slice. */
extern const ActorBody port_body;

/*
 * A call: what `handle` does is done by the port. It is a block of memory (ALLOC_PORT) that begins with this. Who wants
 * an answer either runs the port himself (`here`) and finds it in `answer`, a term of his heap; or has a request
 * (process/request.h), which is answered. The block is then freed, by himself or by port_answer.
 */
typedef struct PortCall {
    CallSignal call; /* must be first */
    void (*take)(Process *port, CallSignal *call); /* what it is for; `call.handle` looks whether it is kept back */
    Process *here; /* NULL: he waits, or does not want to know */
    void (*release)(struct PortCall *call); /* of what it owns, where it does not come to the port; NULL: nothing */
    bool waits; /* it is kept back while the driver is busy (port/kept_back.h) */
    bool is_silent; /* who traces him is not told that he runs the port for it */
    bool is_now_or_not; /* it does nothing while the driver is busy, and is never kept back then */
    Term from; /* who asks: a pid */
    uint64_t request; /* 0: no answer is wanted */
    Term answer;
} PortCall;

/* Of so many bytes, zero behind the PortCall. */
void *port_call_create(size_t size, Term from, void handle(Process *port, CallSignal *call));
/* By the port, once for each call, the last thing that is done with it. `build` makes the answer in the area. */
void port_answer(PortCall *c, Term (*build)(const PortCall *c, void *data, Area *area), void *data);
/* The same with an immediate term. */
void port_answer_with(PortCall *c, Term immediate);

/* The signal is handled now, by this thread, or by the port soon. False: the port has gone, and the call is the
 * caller's. `by`: the process whose slice that is, in a built-in function; NULL: none. May build in its area for who
 * traces it. */
must_check bool port_tell_call(Process *by, Port *port, PortCall *c);
/* By a BIF that may wait, as the last thing: the answer, or NON_VALUE with the process waiting. `gone`: there is no
 * such port any more. */
Term port_ask(Process *p, Port *port, PortCall *c, Term gone);

#endif
