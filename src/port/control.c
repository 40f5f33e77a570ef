#include "port/control.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "etf/encode.h"
#include "port/callback.h"
#include "port/signal.h"
#include "port/trace.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/iolist.h"

#define ROOM 64 /* for a result, that a driver finds */

typedef struct {
    PortCall call; /* must be first */
    unsigned command;
    size_t size;
    char bytes[];
} Question;

/* What a driver has answered. */
typedef struct {
    char room[ROOM];
    char *bytes; /* room, or the driver's own: a block, or a binary */
    ErlDrvSSizeT size;
    unsigned flags;
} Result;

static Question *question_create(const Process *p, unsigned command, size_t size,
                                 void handle(Process *, CallSignal *)) {
    Question *q = port_call_create(sizeof *q + size, p->pid, handle);
    q->command = command;
    q->size = size;
    return q;
}

static Term ask(Process *p, Term id, Question *q) {
    Port *port = port_at_name(id);
    if (port != NULL)
        return port_ask(p, port, &q->call, am_badarg);
    mem_free(ALLOC_PORT, q);
    return am_badarg;
}

/* {Command, Data} */
static Term question_term(Area *area, const void *question) {
    const Question *q = question;
    return area_tuple2(area, small_make(q->command), binary_from_bytes(area, q->bytes, q->size));
}

static const char *bytes_of(const Result *r) {
    bool is_binary = (r->flags & PORT_CONTROL_FLAG_BINARY) && r->bytes != r->room;
    return is_binary ? ((ErlDrvBinary *)r->bytes)->orig_bytes : r->bytes;
}

static Term result_term(Area *area, const void *result) {
    const Result *r = result;
    return binary_from_bytes(area, bytes_of(r), r->bytes != NULL ? (size_t)r->size : 0);
}

/* As if it were a message. */
static void trace_answer(Port *port, const Question *q, Term what, const Result *r) {
    if (unlikely(port_trace_tells_sent(port)) && r->size >= 0)
        port_trace_answer(port, q->call.from, what, result_term, r);
}

static void begin(Port *port, const Question *q, Term what) {
    if (port_trace_tells_received(port))
        port_trace_received(port, q->call.from, what, question_term, q);
    port->caller = q->call.from;
    port_callback_begin(port);
}

static void end(Port *port) {
    port_callback_end(port);
    port->caller = NON_VALUE;
}

/* --- control ------------------------------------------------------------------------------------------------------ */

/* All of it: the size that the callback has returned does not count then. */
static Term binary_of_driver(Area *area, ErlDrvBinary *b) {
    size_t size = (size_t)b->orig_size;
    if (size <= HEAP_BITS_MAX_BYTES)
        return binary_from_bytes(area, b->orig_bytes, size);
    refc_binary_retain(driver_refc(b));
    return binary_from_refc(area, driver_refc(b), size);
}

static Term build_result(const PortCall *c, void *data, Area *area) {
    Result *r = data;
    if (r->size < 0)
        return am_badarg;
    if (r->bytes == NULL)
        return NIL;
    if (!(r->flags & PORT_CONTROL_FLAG_BINARY))
        return list_from_bytes(area, r->bytes, (size_t)r->size, NIL);
    if (r->bytes == r->room)
        return binary_from_bytes(area, r->bytes, (size_t)r->size);
    return binary_of_driver(area, (ErlDrvBinary *)r->bytes);
}

static void release_result(const Result *r) {
    if (r->bytes == r->room || r->bytes == NULL || r->size < 0)
        return;
    if (r->flags & PORT_CONTROL_FLAG_BINARY)
        driver_free_binary((ErlDrvBinary *)r->bytes);
    else
        driver_free(r->bytes);
}

static void take_control(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Question *q = (Question *)call;
    Result r = {.size = -1};
    r.bytes = r.room;
    port_trace_in(port, am_control);
    if (port_is_served(port) && port->driver->entry->control != NULL) {
        begin(port, q, am_control);
        r.size = port->driver->entry->control(port->data, q->command, q->bytes, q->size, &r.bytes, ROOM);
        r.flags = (unsigned)port->control_flags;
        end(port);
    }
    trace_answer(port, q, am_control, &r);
    port_trace_out(port, am_control);
    port_answer(&q->call, build_result, &r);
    release_result(&r);
}

/* Of a bitstring, where it is taken for a binary, the whole bytes. */
static void copy_data(Term data, Question *q) {
    if (!is_bitstring(data)) {
        iolist_copy(data, (uint8_t *)q->bytes);
        return;
    }
    BitsView v;
    bits_view(data, &v);
    bits_copy((uint8_t *)q->bytes, 0, v.bytes, v.bit_offset, 8 * q->size);
}

/* NULL: it is no iolist. No port is held meanwhile. */
static Question *control_question(const Process *p, unsigned command, Term data) {
    LONG_WORK_OPEN;
    int64_t bits = is_taken_for_binary(data) ? (int64_t)bits_size(data) : iolist_bits(data, false, NULL);
    if (bits < 0)
        return NULL;
    Question *q = question_create(p, command, (size_t)bits / 8, take_control);
    copy_data(data, q);
    return q;
}

Term port_control(Process *p, Term id, unsigned command, Term data) {
    Question *q = control_question(p, command, data);
    return q == NULL ? am_badarg : ask(p, id, q);
}

/* --- call --------------------------------------------------------------------------------------------------------- */

static Term build_term(const PortCall *c, void *data, Area *area) {
    const Result *r = data;
    Term t;
    if (r->size < 0 || r->bytes == NULL ||
        etf_decode((const uint8_t *)r->bytes, (size_t)r->size, 0, area, &t, NULL) != ETF_DONE)
        return am_badarg;
    return area_tuple2(area, am_ok, t);
}

static void take_call(Process *actor, CallSignal *call) {
    Port *port = port_of(actor);
    Question *q = (Question *)call;
    Result r = {.size = -1};
    r.bytes = r.room;
    port_trace_in(port, am_call);
    if (port_is_served(port) && port->driver->entry->call != NULL) {
        begin(port, q, am_call);
        r.size = port->driver->entry->call(port->data, q->command, q->bytes, q->size, &r.bytes, ROOM, &r.flags);
        end(port);
    }
    trace_answer(port, q, am_call, &r);
    port_trace_out(port, am_call);
    port_answer(&q->call, build_term, &r);
    if (r.bytes != r.room && r.bytes != NULL && !(r.flags & DRIVER_CALL_KEEP_BUFFER))
        driver_free(r.bytes);
}

static Question *call_question(Process *p, unsigned command, Term data) {
    LONG_WORK_OPEN;
    EtfEncoder e;
    int64_t work = INT64_MAX;
    etf_encoder_init(&e, data, ETF_WRITE, ETF_MINOR_DEFAULT, 0);
    (void)etf_encoder_run(&e, process_area(p), &work);
    Question *q = question_create(p, command, etf_encoder_total(&e), take_call);
    memcpy(q->bytes, e.start, q->size);
    etf_encoder_release(&e);
    return q;
}

Term port_call(Process *p, Term id, unsigned command, Term data) { return ask(p, id, call_question(p, command, data)); }
