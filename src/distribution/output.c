#include "distribution/output.h"

#include <string.h>

#include "alloc/alloc.h"
#include "distribution/older.h"
#include "etf/encode.h"
#include "etf/tags.h"
#include "port/busy.h"
#include "port/command.h"
#include "process/message.h"
#include "term/atom.h"

#define COST_OF_PACKET 40

/* A process whose order is being sent in fragments: what it has ordered after that, as far as its turn had come. */
typedef struct {
    KeyNode node; /* the process */
    Order *first, **last;
} InPieces;

static void append(Channel *c, Order *o) {
    o->next = NULL;
    *c->queue_last = o;
    c->queue_last = &o->next;
}

static Order *take(Channel *c) {
    Order *o = c->queue;
    c->queue = o->next;
    if (c->queue == NULL)
        c->queue_last = &c->queue;
    return o;
}

static InPieces *in_pieces_of(const Channel *c, Term from) {
    return is_value(from) ? (InPieces *)key_table_find(&c->in_pieces, from) : NULL;
}

static void note_awaited(Channel *c, Order *o) {
    o->next_awaited = c->awaited;
    c->awaited = o;
}

static void forget_awaited(Channel *c, const Order *o) {
    Order **link = &c->awaited;
    if (o->awaited == 0)
        return;
    while (*link != o)
        link = &(*link)->next_awaited;
    *link = o->next_awaited;
}

void output_wait_sent(Channel *c, ChannelCall *call) {
    for (Order *o = c->awaited; o != NULL; o = o->next_awaited) {
        if (o->awaited != (uint64_t)small_value(call->value))
            continue;
        o->request = call->request;
        mem_free(ALLOC_SIGNAL, call);
        return;
    }
    channel_answer_with(call, am_true);
}

void output_add(Channel *c, Order *o) {
    if (o->awaited != 0)
        note_awaited(c, o);
    append(c, o);
    channel_goes_on(c);
}

/* True: its sender's order before it is still being sent in fragments, and it waits for that. */
static bool is_put_off(Channel *c, Order *o) {
    InPieces *before = o->sequence == 0 ? in_pieces_of(c, o->from) : NULL;
    if (likely(before == NULL))
        return false;
    o->next = NULL;
    *before->last = o;
    before->last = &o->next;
    return true;
}

void output_answer(Channel *c, Order *o, Term payload) {
    if (is_value(payload))
        require(order_set_payload(o, payload, channel_can(c, CAN_DIST_HDR_ATOM_CACHE)));
    backlog_add(&c->backlog, o->bytes, channel_busy_limit);
    output_add(c, o);
}

/* --- a packet ----------------------------------------------------------------------------------------------------- */

#define JOINED_BYTES 1024 /* a payload of so many is copied behind the control message */
#define USUAL_HEADER_BYTES 1024
#define PASS_THROUGH 112 /* in place of a header */

/* Header and control message, and what is small enough to stand with them. */
typedef struct {
    EtfAtoms atoms;
    EtfEncoder control;
    size_t size;
    uint8_t bytes[USUAL_HEADER_BYTES + ETF_BUFFER_FIXED + JOINED_BYTES + 8];
} Front;

/* Of an exit: the reason stands behind the control message, or, for a peer that does not know that, is its last
 * element. */
static ControlOp inline_op(ControlOp op) {
    switch (op) {
    case CONTROL_PAYLOAD_EXIT: return CONTROL_EXIT;
    case CONTROL_PAYLOAD_EXIT_TT: return CONTROL_EXIT_TT;
    case CONTROL_PAYLOAD_EXIT2: return CONTROL_EXIT2;
    case CONTROL_PAYLOAD_EXIT2_TT: return CONTROL_EXIT2_TT;
    case CONTROL_PAYLOAD_MONITOR_P_EXIT: return CONTROL_MONITOR_P_EXIT;
    default: return op;
    }
}

static bool goes_inside(const Channel *c, const Order *o) {
    return !channel_can(c, CAN_EXIT_PAYLOAD) && inline_op(o->control.op) != o->control.op;
}

/* Both are small tuples, whose arity and operation take a byte each: the reason's bytes follow as the last element. */
static void make_inside(Front *f, Order *o) {
    f->control.start[1]++;
    f->control.start[3] = (uint8_t)inline_op(o->control.op);
}

/* The control message, which names atoms by the numbers behind the payload's. */
static void write_control(Channel *c, Front *f, Order *o, bool by_number) {
    Term words[CONTROL_MAX_WORDS];
    Area area = {.top = words, .limit = words + CONTROL_MAX_WORDS};
    older_form(c, &o->control);
    etf_atoms_clear(&f->atoms);
    for (uint32_t i = 0; i < o->atom_count; i++)
        etf_atoms_put(&f->atoms, o->atoms[i]);
    Term control = control_make(&area, &o->control);
    etf_encoder_init_sent(&f->control, control, ETF_WRITE, by_number ? &f->atoms : NULL, 0);
    int64_t work = INT64_MAX;
    require(etf_encoder_run(&f->control, &area, &work) == ETF_DONE);
    if (unlikely(goes_inside(c, o)))
        make_inside(f, o);
}

static void put(Front *f, const void *bytes, size_t size) {
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void flush(Front *f, IoVector *packet) {
    if (f->size > 0)
        io_vector_add_copy(packet, (const char *)f->bytes, f->size);
    f->size = 0;
}

static void put_control(Front *f, IoVector *packet) {
    size_t size = etf_encoder_total(&f->control);
    if (likely(size <= ETF_BUFFER_FIXED)) {
        put(f, f->control.start, size);
    } else {
        flush(f, packet);
        io_vector_add_copy(packet, (const char *)f->control.start, size);
    }
    etf_encoder_release(&f->control);
}

static void put_payload(Front *f, IoVector *packet, Order *o, size_t bytes) {
    if (bytes <= JOINED_BYTES) {
        io_vector_copy(&o->payload, bytes, (char *)f->bytes + f->size);
        f->size += bytes;
        io_vector_drop(&o->payload, bytes);
        flush(f, packet);
    } else {
        flush(f, packet);
        io_vector_move(&o->payload, bytes, packet);
    }
}

/* To one that knows no headers: each term says its version. */
static void make_plain(Channel *c, Front *f, Order *o, IoVector *packet) {
    static const uint8_t first[] = {PASS_THROUGH, ETF_VERSION}, version = ETF_VERSION;
    write_control(c, f, o, false);
    put(f, first, sizeof first);
    put_control(f, packet);
    if (o->has_payload && !goes_inside(c, o))
        put(f, &version, 1);
    put_payload(f, packet, o, o->payload.bytes);
}

static void put_large_header(IoVector *packet, const HeaderOut *h, HeaderKind kind, const FragmentId *id) {
    RefcBinary *b = refc_binary_create(header_out_size(h, kind));
    header_out_write(h, kind, id, b->bytes);
    io_vector_add(packet, driver_binary(b), (char *)b->bytes, b->size);
}

/* `id`: the first of several fragments; NULL: all of it. */
static void make_first(Channel *c, Front *f, Order *o, IoVector *packet, const FragmentId *id) {
    HeaderOut h;
    HeaderKind kind = id == NULL ? HEADER_NORMAL : HEADER_FIRST;
    write_control(c, f, o, channel_can(c, CAN_DIST_HDR_ATOM_CACHE));
    header_out_prepare(&h, channel_atoms_out(c), &f->atoms);
    if (likely(header_out_size(&h, kind) <= USUAL_HEADER_BYTES)) {
        header_out_write(&h, kind, id, f->bytes);
        f->size = header_out_size(&h, kind);
    } else {
        put_large_header(packet, &h, kind, id);
    }
    put_control(f, packet);
}

static uint64_t fragments_left(const Order *o) {
    return (o->payload.bytes + ORDER_FRAGMENT_BYTES - 1) / ORDER_FRAGMENT_BYTES;
}

static void put_fragment(Front *f, IoVector *packet, Order *o) {
    put_payload(f, packet, o, o->payload.bytes < ORDER_FRAGMENT_BYTES ? o->payload.bytes : ORDER_FRAGMENT_BYTES);
}

static void begin_pieces(Channel *c, Order *o) {
    o->sequence = ++c->next_sequence;
    if (!is_value(o->from))
        return;
    InPieces *in = mem_calloc(ALLOC_DISTRIBUTION, sizeof *in);
    in->node.key = o->from;
    in->last = &in->first;
    key_table_add(&c->in_pieces, &in->node);
}

/* What was put off comes first now: it was ordered before what stands in the queue. */
static void end_pieces(Channel *c, const Order *o) {
    InPieces *in = in_pieces_of(c, o->from);
    if (in == NULL)
        return;
    key_table_remove(&c->in_pieces, o->from);
    if (in->first != NULL) {
        *in->last = c->queue;
        if (c->queue == NULL)
            c->queue_last = in->last;
        c->queue = in->first;
    }
    mem_free(ALLOC_DISTRIBUTION, in);
}

static void make_fragment(Channel *c, Front *f, Order *o, IoVector *packet) {
    bool is_first = o->sequence == 0;
    if (is_first)
        begin_pieces(c, o);
    FragmentId id = {o->sequence, fragments_left(o)};
    if (is_first) {
        make_first(c, f, o, packet, &id);
    } else {
        header_out_continue(&id, f->bytes);
        f->size = HEADER_CONTINUING_BYTES;
    }
    put_fragment(f, packet, o);
}

static bool goes_in_pieces(const Channel *c, const Order *o) {
    return o->sequence != 0 ||
           (o->payload.bytes > ORDER_FRAGMENT_BYTES && channel_can(c, CAN_FRAGMENTS) && !goes_inside(c, o));
}

/* True: that was all of it. */
static bool make_packet(Channel *c, Order *o, IoVector *packet) {
    Front f;
    f.size = 0;
    if (!channel_can(c, CAN_DIST_HDR_ATOM_CACHE) && !channel_can(c, CAN_FRAGMENTS)) {
        make_plain(c, &f, o, packet);
    } else if (unlikely(goes_in_pieces(c, o))) {
        make_fragment(c, &f, o, packet);
    } else {
        make_first(c, &f, o, packet, NULL);
        put_payload(&f, packet, o, o->payload.bytes);
    }
    return o->payload.bytes == 0;
}

/* --- the queue ---------------------------------------------------------------------------------------------------- */

void output_is_told(Channel *c, size_t bytes) {
    if (unlikely(backlog_take(&c->backlog, bytes, channel_busy_limit)))
        channel_is_free(c);
}

static size_t bytes_told(const Order *o, size_t payload, bool is_whole) {
    if (order_is_awaited(o))
        return is_whole ? o->bytes : 0;
    return payload + (is_whole ? ORDER_BYTES : 0);
}

/* What an older peer does not take is dropped as soon as it stands first: so a packet follows if the queue is not
 * empty, and the port may rely on that. */
static void drop_untold(Channel *c) {
    while (c->queue != NULL && unlikely(older_takes_not(c, c->queue))) {
        Order *o = take(c);
        output_is_told(c, o->bytes);
        forget_awaited(c, o);
        order_free(o);
    }
}

static Order *next_to_tell(Channel *c) {
    drop_untold(c);
    while (c->queue != NULL) {
        Order *o = take(c);
        if (likely(!is_put_off(c, o)))
            return o;
        drop_untold(c); /* what that waits for stands in the queue */
    }
    return NULL;
}

bool output_next(Channel *c, IoVector *packet) {
    *packet = (IoVector){0};
    Order *o = next_to_tell(c);
    if (o == NULL)
        return false;
    size_t before = o->payload.bytes;
    bool is_whole = make_packet(c, o, packet);
    size_t told = bytes_told(o, before - o->payload.bytes, is_whole);
    if (is_whole) {
        forget_awaited(c, o);
        end_pieces(c, o);
        order_free(o);
    } else {
        append(c, o);
    }
    drop_untold(c);
    output_is_told(c, told);
    atomic_fetch_add_explicit(&c->packets_out, 1, memory_order_relaxed);
    return true;
}

static void notify(Channel *c) {
    if (!c->wants_notice || c->queue == NULL)
        return;
    c->wants_notice = false;
    Message *m = message_create(am_dist_data, NON_VALUE, TOKEN_OF_RUNTIME);
    signal_send_or_drop(c->controller, &m->signal);
}

/* It says that it waits, then looks once more: the port clears its marks, then looks whether somebody waits. */
static bool must_wait(Channel *c, const Port *port) {
    if (likely(!port_is_busy(port)))
        return false;
    atomic_store(&c->is_blocked, true);
    if (port_is_busy(port))
        return true;
    atomic_store(&c->is_blocked, false);
    return false;
}

/* A port that has gone takes all: the channel is about to hear of it. */
static ActorNext give_port(Channel *c) {
    IoVector packet;
    for (;;) {
        Port *port = port_at(c->controller);
        if (port != NULL && must_wait(c, port))
            return ACTOR_WAITS;
        if (!output_next(c, &packet))
            return ACTOR_WAITS;
        c->actor.reductions -= COST_OF_PACKET;
        bool is_over = c->actor.reductions <= 0;
        if (port == NULL || !port_send_vector(port, &packet, !is_over && c->queue != NULL))
            io_vector_release(&packet);
        if (is_over)
            return ACTOR_GOES_ON;
    }
}

ActorNext output_run(Channel *c) {
    if (!channel_has_status(c, CHANNEL_UP))
        return ACTOR_WAITS;
    if (is_local_port(c->controller))
        return give_port(c);
    notify(c);
    return ACTOR_WAITS;
}

static void drop_all(Order *o) {
    for (Order *next; o != NULL; o = next) {
        next = o->next;
        order_free(o);
    }
}

void output_drop(Channel *c) {
    drop_all(c->queue);
    c->queue = c->awaited = NULL;
    c->queue_last = &c->queue;
    for (InPieces *in; (in = (InPieces *)key_table_take_any(&c->in_pieces)) != NULL;) {
        *in->last = NULL;
        drop_all(in->first);
        mem_free(ALLOC_DISTRIBUTION, in);
    }
    channel_is_free(c);
}
