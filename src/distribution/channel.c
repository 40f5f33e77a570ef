#include "distribution/channel.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "port/read_on.h"
#include "process/reference.h"
#include "process/request.h"
#include "process/system_monitor.h"
#include "sys/clock.h"
#include "term/atom.h"

#define CONNECTION_IDS (1u << 24) /* as many as the stock runtime has */

static _Atomic uint32_t last_number;

/* What a term that names a connection leads to. */
typedef struct {
    Channel *channel; /* held */
} Handle;

static bool handle_destroy(RefcBinary *binary) {
    channel_release(((Handle *)binary->bytes)->channel);
    return true;
}

static RefcBinary *handle_create(Channel *c) {
    RefcBinary *binary = refc_magic_create(sizeof(Handle), handle_destroy);
    reference_new_magic_numbers(binary->magic_numbers);
    ((Handle *)binary->bytes)->channel = c;
    channel_hold(c);
    return binary;
}

Channel *channel_create(Entry *entry, const ActorBody *body) {
    Channel *c = mem_calloc(ALLOC_DISTRIBUTION, sizeof *c);
    actor_init(&c->actor, NON_VALUE, body);
    c->entry = entry;
    c->number = atomic_fetch_add(&last_number, 1) + 1;
    c->id = (c->number - 1) % CONNECTION_IDS;
    c->queue_last = &c->queue;
    c->waiting_last = &c->waiting;
    c->reason = KEPT_NONE;
    c->controller = NON_VALUE;
    atomic_init(&c->input_handler, NON_VALUE);
    atomic_init(&c->holders, 1);
    fragments_init(&c->fragments, FRAGMENTS_OPEN_DEFAULT, FRAGMENTS_BYTES_DEFAULT);
    c->handle = handle_create(c);
    return c;
}

static void free_later(ProgressNode *node) {
    Channel *c = container_of(node, Channel, progress);
    kept_release(&c->reason);
    mem_free(ALLOC_DISTRIBUTION, c->atoms_out);
    mem_free(ALLOC_DISTRIBUTION, c->atoms_in);
    mem_free(ALLOC_DISTRIBUTION, c);
}

AtomCacheOut *channel_atoms_out(Channel *c) {
    if (likely(c->atoms_out != NULL))
        return c->atoms_out;
    c->atoms_out = mem_alloc(ALLOC_DISTRIBUTION, sizeof *c->atoms_out);
    atom_cache_out_init(c->atoms_out);
    return c->atoms_out;
}

AtomCacheIn *channel_atoms_in(Channel *c) {
    if (likely(c->atoms_in != NULL))
        return c->atoms_in;
    c->atoms_in = mem_alloc(ALLOC_DISTRIBUTION, sizeof *c->atoms_in);
    atom_cache_in_init(c->atoms_in);
    return c->atoms_in;
}

bool channel_try_hold(Channel *c) {
    uint32_t now = atomic_load(&c->holders);
    while (now > 0)
        if (atomic_compare_exchange_weak(&c->holders, &now, now + 1))
            return true;
    return false;
}

void channel_release(Channel *c) {
    if (atomic_fetch_sub_explicit(&c->holders, 1, memory_order_acq_rel) != 1)
        return;
    c->progress.run = free_later;
    thread_progress_later(&c->progress);
}

/* One count for the caller. Of a channel that is gone a new one: it is as good as the old. */
static RefcBinary *handle_of(Channel *c) {
    entries_lock();
    RefcBinary *handle = c->handle;
    if (handle != NULL)
        refc_binary_retain(handle);
    entries_unlock();
    return handle != NULL ? handle : handle_create(c);
}

Term channel_handle(Area *area, Channel *c) {
    RefcBinary *handle = handle_of(c);
    return area_tuple2(area, small_make(c->id), magic_ref_make(area, handle->magic_numbers, handle));
}

void channel_drop_handle(Channel *c) {
    entries_lock();
    RefcBinary *handle = c->handle;
    c->handle = NULL;
    entries_unlock();
    refc_binary_release(handle);
}

Channel *channel_of_handle(Term handle) {
    if (!is_tuple_arity(handle, 2) || !is_magic_ref(tuple_elements(handle)[1]))
        return NULL;
    RefcBinary *binary = magic_ref_binary(tuple_elements(handle)[1]);
    if (binary->destructor != handle_destroy)
        return NULL;
    Channel *c = ((Handle *)binary->bytes)->channel;
    return tuple_elements(handle)[0] == small_make(c->id) ? c : NULL;
}

size_t channel_busy_limit = 1024 * 1024;

void channel_wake(ChannelWaiting *w) {
    for (ChannelWaiting *next; w != NULL; w = next) {
        next = w->next;
        request_reply(w->pid, w->request, am_true);
        mem_free(ALLOC_SIGNAL, w);
    }
}

void channel_is_free(Channel *c) {
    ChannelWaiting *w = c->waiting;
    c->waiting = NULL;
    c->waiting_last = &c->waiting;
    channel_wake(w);
}

void channel_wake_when_free(Channel *c, Term pid, uint64_t request) {
    ChannelWaiting *w = mem_alloc(ALLOC_SIGNAL, sizeof *w);
    *w = (ChannelWaiting){NULL, pid, request};
    *c->waiting_last = w;
    c->waiting_last = &w->next;
    if (!channel_is_busy(c) || c->is_ending)
        channel_is_free(c);
}

/* --- being told --------------------------------------------------------------------------------------------------- */

static void run_here(Channel *c) {
    Process *actor = &c->actor;
    ActorNext next = ACTOR_WAITS;
    actor->reductions = REDUCTIONS_PER_SLICE;
    if (atomic_load_explicit(&actor->state, memory_order_relaxed) & STATE_ACTIVE)
        next = actor->body->run(actor);
    if (next != ACTOR_IS_GONE)
        actor_give_back(actor, next == ACTOR_GOES_ON);
}

bool channel_tell(Channel *c, Signal *signal) {
    if (channel_has_status(c, CHANNEL_ENDS) || !actor_own(&c->actor))
        return channel_push(c, signal);
    c->actor.body->handle(&c->actor, signal);
    run_here(c);
    return true;
}

bool channel_push(Channel *c, Signal *signal) { return signal_push(&c->actor, signal); }

#define SOON_NS 10000
#define SOON_MANY 16

static bool comes_with_many(Channel *c) {
    int64_t now = clock_monotonic();
    int64_t before = atomic_exchange_explicit(&c->told_at, now, memory_order_relaxed);
    if (now - before < SOON_NS)
        return atomic_fetch_add_explicit(&c->told_soon, 1, memory_order_relaxed) >= SOON_MANY;
    atomic_store_explicit(&c->told_soon, 0, memory_order_relaxed);
    return false;
}

bool channel_tell_order(Channel *c, Order *o) {
    backlog_add(&c->backlog, o->bytes, channel_busy_limit);
    return comes_with_many(c) ? signal_push_beside(&c->actor, &o->signal) : channel_tell(c, &o->signal);
}

void channel_tell_busy(const Channel *c, Process *p) {
    if (channel_has_status(c, CHANNEL_UP)) /* nobody carries one that is pending */
        system_monitor_busy_dist_port(p, c->controller);
}

typedef struct {
    const Process *process;
    bool carries;
} Carrier;

static void look_who_carries(Entry *entry, void *data) {
    Carrier *carrier = data;
    const Channel *c = entry_channel(entry);
    if (c == NULL || !channel_has_status(c, CHANNEL_UP) || !is_local_port(c->controller))
        return;
    const Port *port = (const Port *)port_find(c->controller);
    if (port != NULL && port_connected(port) == carrier->process->pid)
        carrier->carries = true;
}

/* Does it have the port of a channel? That port closes when it has told all, and until then nobody may find out that
 * nothing goes through it any more: two such could wait for each other. */
static bool carries_a_channel(const Process *p) {
    Carrier carrier = {p, false};
    entries_each(look_who_carries, &carrier);
    return carrier.carries;
}

void channel_let_end_later(const Channel *c, Order *o, Process *ending) {
    bool is_large = o->payload.bytes >= channel_busy_limit;
    if (likely(!is_large && !channel_is_busy(c)) || !channel_may_be_awaited_by(ending))
        return;
    if (!channel_has_status(c, CHANNEL_UP) || carries_a_channel(ending))
        return;
    order_await_ending(o, is_large ? ORDER_AWAITED_BYTES : o->bytes, ending);
    channel_tell_busy(c, ending);
}

bool channel_tell_input(Channel *c, ChannelInput *in) {
    size_t bytes = in->size;
    atomic_fetch_add(&c->bytes_unread, bytes);
    if (channel_tell(c, &in->signal))
        return true;
    atomic_fetch_sub(&c->bytes_unread, bytes);
    return false;
}

/* The port says that it waits, then looks once more; the channel takes bytes away, then looks whether it waits. */
bool channel_takes_input(Channel *c) {
    if (likely(atomic_load(&c->bytes_unread) < CHANNEL_UNREAD_MAX))
        return true;
    atomic_store(&c->input_waits, true);
    return atomic_load(&c->bytes_unread) < CHANNEL_UNREAD_MAX; /* then it is told as well, in vain perhaps */
}

void channel_has_read(Channel *c, size_t bytes) {
    size_t left = atomic_fetch_sub(&c->bytes_unread, bytes) - bytes;
    if (unlikely(left <= CHANNEL_UNREAD_MAX / 2 && atomic_load(&c->input_waits)) &&
        atomic_exchange(&c->input_waits, false))
        port_read_on(c->controller);
}

ChannelCall *channel_call_create(Term from, void handle(Channel *, ChannelCall *)) {
    ChannelCall *call = mem_calloc(ALLOC_SIGNAL, sizeof *call);
    signal_init(&call->signal, CHANNEL_CALL);
    call->handle = handle;
    call->from = from;
    call->value = NON_VALUE;
    return call;
}

void channel_answer(ChannelCall *call, Term (*build)(Channel *, void *, Area *), Channel *c, void *data) {
    if (call->here != NULL) {
        call->answer = build(c, data, process_area(call->here));
        return;
    }
    if (call->request != 0) {
        FragmentArea built;
        fragment_area_init(&built, 16);
        request_reply(call->from, call->request, build(c, data, &built.area));
        fragment_area_drop(&built);
    }
    mem_free(ALLOC_SIGNAL, call);
}

static Term immediate(Channel *c, void *data, Area *area) { return *(const Term *)data; }

void channel_answer_with(ChannelCall *call, Term term) { channel_answer(call, immediate, NULL, &term); }

Term channel_ask(Process *p, Channel *c, ChannelCall *call, Term gone) {
    if (!channel_has_status(c, CHANNEL_ENDS) && actor_own(&c->actor)) {
        call->here = p;
        call->handle(c, call);
        run_here(c);
        Term answer = call->answer;
        mem_free(ALLOC_SIGNAL, call);
        return answer;
    }
    call->request = request_begin(p);
    if (signal_push_asking(&c->actor, &call->signal, process_priority(p)))
        return request_wait(p);
    request_end(p);
    mem_free(ALLOC_SIGNAL, call);
    return gone;
}
