#include "distribution/connect.h"

#include "alloc/alloc.h"
#include "base/race_window.h"
#include "distribution/alive.h"
#include "distribution/body.h"
#include "distribution/end.h"
#include "distribution/input.h"
#include "distribution/lose.h"
#include "distribution/node_watch.h"
#include "process/message.h"
#include "process/monitor.h"
#include "process/reference.h"
#include "process/registry.h"
#include "process/request.h"
#include "term/atom.h"

Channel *connect_there(Term node) {
    const Entry *entry = entry_find(node);
    Channel *c = entry == NULL ? NULL : entry_channel(entry);
    return c != NULL && channel_try_hold(c) ? c : NULL;
}

static bool is_other_node(Term node) { return node != node_this_name() && is_node_name(node); }

/* Found or made, held. `is_alive`: only if this node is. Whoever ends that looks for channels after it, under the
 * lock. */
static Channel *put(Term node, bool is_alive, bool *is_new) {
    Entry *entry = entry_put(node);
    race_window("a node is named, and perhaps no more");
    entries_lock();
    Channel *c = entry_channel(entry);
    if (c == NULL && (!is_alive || node_is_alive())) {
        c = channel_create(entry, &channel_body);
        atomic_store_explicit(&entry->channel, c, memory_order_release);
        *is_new = true;
    }
    if (c != NULL)
        channel_hold(c);
    entries_unlock();
    return c;
}

Channel *connect_pending(Term node, bool *is_new) {
    *is_new = false;
    return is_other_node(node) && node_is_alive() ? put(node, true, is_new) : NULL;
}

Channel *connect_by_kernel(Term node) {
    bool is_new;
    return is_other_node(node) ? put(node, false, &is_new) : NULL;
}

/* {auto_connect, Node, Handle} */
static bool tell_net_kernel(Term term) {
    Term pid = registry_whereis(am_net_kernel);
    if (!is_value(pid))
        return false;
    Message *m = message_create(term, NON_VALUE, TOKEN_OF_RUNTIME);
    bool is_told = signal_send(pid, &m->signal);
    if (!is_told)
        message_free(m);
    return is_told;
}

static bool ask_net_kernel(Channel *c) {
    FragmentArea fa;
    fragment_area_init(&fa, 16);
    bool is_asked =
        tell_net_kernel(area_tuple3(&fa.area, am_auto_connect, channel_node(c), channel_handle(&fa.area, c)));
    fragment_area_drop(&fa);
    return is_asked;
}

Channel *connect_wanted(Term node) {
    bool is_new;
    if (unlikely(!node_is_alive()))
        return NULL;
    Channel *c = connect_there(node);
    if (likely(c != NULL))
        return c;
    c = connect_pending(node, &is_new);
    if (c == NULL || !is_new || ask_net_kernel(c))
        return c;
    channel_give_up(c);
    channel_release(c);
    return NULL;
}

bool connect_must_wait(Channel *c, Process *p) {
    Entry *entry = c->entry;
    ChannelWaiting *w = NULL;
    entries_lock();
    if (entry->ending > 0) {
        w = mem_alloc(ALLOC_SIGNAL, sizeof *w);
        *w = (ChannelWaiting){entry->waiting, p->pid, request_begin(p)};
        entry->waiting = w;
    }
    entries_unlock();
    return w != NULL;
}

/* --- the controller ----------------------------------------------------------------------------------------------- */

static void peer_input(PortPeer *peer, const uint8_t *bytes, size_t size, RefcBinary *shared) {
    Channel *c = container_of(peer, Channel, peer);
    ChannelInput *in = input_create(bytes, size, shared);
    if (!channel_tell_input(c, in))
        input_free(in);
}

static bool peer_takes_more(PortPeer *peer) { return channel_takes_input(container_of(peer, Channel, peer)); }

static void go_on(Channel *c, ChannelCall *call) {
    channel_goes_on(c);
    channel_answer_with(call, am_true);
}

static void wake(Channel *c) {
    ChannelCall *call = channel_call_create(NON_VALUE, go_on);
    if (!channel_tell(c, &call->signal))
        channel_answer_with(call, am_true);
}

static void peer_is_free(PortPeer *peer) {
    Channel *c = container_of(peer, Channel, peer);
    if (atomic_exchange(&c->is_blocked, false))
        wake(c);
}

static void peer_leave(PortPeer *peer) { channel_release(container_of(peer, Channel, peer)); }

/* Who closes it says nothing; a process says {shutdown, Reason} not to be reported. */
static Term reason_of_end(Term reason) {
    if (is_tuple_arity(reason, 2) && tuple_elements(reason)[0] == am_shutdown)
        return tuple_elements(reason)[1];
    return reason == am_normal ? am_connection_closed : reason;
}

/* Its links hear of it after this: net_kernel, which then says that the node is disconnected. What it ended with is
 * told as the reason of nodedown. */
static void controller_down(NativeWatch *watch, Process *ending, Term pid, Term reason) {
    Channel *c = container_of(watch, Channel, watch);
    channel_lose(c, reason_of_end(reason));
    channel_release(c);
}

static void controller_drop(NativeWatch *watch) { channel_release(container_of(watch, Channel, watch)); }

static Term no_origin(const NativeWatch *watch, Area *area) { return NON_VALUE; }

static void watch_controller(Channel *c) {
    c->watch = (NativeWatch){.down = controller_down, .drop = controller_drop, .origin = no_origin, .is_first = true};
    channel_hold(c);
    if (monitor_native(c->controller, reference_next(), &c->watch))
        return;
    channel_lose(c, am_connection_closed);
    channel_release(c);
}

static void take_port(Channel *c, Term id) {
    Port *port = port_at(id);
    c->peer =
        (PortPeer){.input = peer_input, .takes_more = peer_takes_more, .is_free = peer_is_free, .leave = peer_leave};
    channel_hold(c);
    port->peer = &c->peer;
}

static bool be_up(Channel *c, uint64_t capabilities, uint32_t creation, Term controller) {
    entries_lock();
    bool is_pending = !channel_has_status(c, CHANNEL_UP | CHANNEL_ENDS);
    if (is_pending) {
        c->capabilities = capabilities;
        c->creation = creation;
        c->controller = controller;
        atomic_fetch_or_explicit(&c->status, CHANNEL_UP, memory_order_release);
    }
    entries_unlock();
    return is_pending;
}

static void tell_controller(const Channel *c, Term setup) {
    FragmentArea fa;
    fragment_area_init(&fa, 5);
    tell_net_kernel(area_tuple4(&fa.area, am_dist_ctrlr, c->controller, channel_node(c), setup));
    fragment_area_drop(&fa);
}

static void told_up(Channel *c, ChannelCall *call) {
    end_may_be_told(c);
    go_on(c, call);
}

bool connect_up(Channel *c, uint64_t capabilities, uint32_t creation, Term controller, Term setup) {
    if (!be_up(c, capabilities, creation, controller))
        return false;
    if (is_local_port(controller))
        take_port(c, controller);
    tell_controller(c, setup);
    race_window("a channel is up, and nobody has been told so");
    node_watch_tell_up(c);
    race_window("a channel is up, its controller is not watched yet");
    watch_controller(c);
    ChannelCall *call = channel_call_create(NON_VALUE, told_up);
    require(channel_tell(c, &call->signal)); /* until then it does not end */
    return true;
}
