/*
 * What a driver has done by another thread, and hears of when it has been. Source: erl_driver(3) driver_async;
 * driver_entry(3) ready_async.
 *
 * A call uses the driver's code until it is over. It is the pool's, then a signal to the port. Where the port is gone,
 * or has stopped, what it was about is freed.
 */
#include "base/race_window.h"
#include "base/visitor.h"

#include "alloc/alloc.h"
#include "port/callback.h"
#include "port/driver_use.h"
#include "port/hold.h"
#include "port/trace.h"
#include "process/async_pool.h"

typedef struct {
    CallSignal call; /* must be first */
    AsyncJob job;
    Port *port;     /* held, and its driver used */
    ErlDrvPDL lock; /* one count; NULL: the port has none */
    void (*invoke)(void *data);
    void (*drop)(void *data);
    void *data;
} AsyncCall;

static void end(AsyncCall *a) {
    Port *port = a->port;
    if (a->lock != NULL)
        (void)driver_pdl_dec_refc(a->lock);
    mem_free(ALLOC_PORT, a);
    driver_disuse(port->driver, false);
    port_release(port);
}

static void give_up(AsyncCall *a) {
    if (a->drop != NULL)
        a->drop(a->data);
    end(a);
}

static void tell_driver(Port *port, AsyncCall *a) {
    port_trace_in(port, PORT_OWN_WORK);
    port_callback_begin(port);
    port->driver->entry->ready_async(port->data, (ErlDrvThreadData)a->data);
    port_callback_end(port);
    port_trace_out(port, PORT_OWN_WORK);
    end(a);
}

/* By the port. */
static void take(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    AsyncCall *a = (AsyncCall *)call;
    if (port_is_served(port) && port->driver->entry->ready_async != NULL)
        tell_driver(port, a);
    else
        give_up(a);
}

static bool tell_port(AsyncCall *a) {
    visitor_enter();
    bool is_told = signal_push(&a->port->actor, &a->call.signal);
    visitor_leave();
    return is_told;
}

static void run(AsyncJob *job) {
    AsyncCall *a = container_of(job, AsyncCall, job);
    a->invoke(a->data);
    race_window("a driver's job is done, and not yet told");
    if (!tell_port(a))
        give_up(a);
}

static AsyncCall *create(Port *port, void invoke(void *), void *data, void drop(void *)) {
    AsyncCall *a = mem_calloc(ALLOC_PORT, sizeof *a);
    signal_init(&a->call.signal, SIGNAL_CALL);
    a->call.handle = take;
    a->job.run = run;
    a->port = port;
    port_hold(port);
    a->lock = port->data_lock;
    if (a->lock != NULL)
        (void)driver_pdl_inc_refc(a->lock);
    driver_use_again(port->driver);
    a->invoke = invoke;
    a->data = data;
    a->drop = drop;
    return a;
}

/* Those without a key go round. */
static unsigned queue_of(const unsigned *key) {
    static _Atomic unsigned next;
    return key != NULL ? *key : atomic_fetch_add(&next, 1);
}

/* Where there are no threads it is done now, and told as ever. */
long driver_async(ErlDrvPort handle, unsigned int *key, void (*invoke)(void *), void *data, void (*drop)(void *)) {
    static _Atomic long last;
    AsyncCall *a = create((Port *)handle, invoke, data, drop);
    if (!async_pool_add(queue_of(key), &a->job))
        run(&a->job);
    return atomic_fetch_add(&last, 1) + 1;
}

unsigned int driver_async_port_key(ErlDrvPort handle) { return (unsigned)(port_id((Port *)handle) >> 4); }
