/*
 * Processes that carry a connection's bytes: erlang:dist_ctrl_get_data/1 and its relatives, dist_get_stat/1. Source:
 * ERTS User's Guide, "How to implement an Alternative Carrier for the Erlang Distribution"; erlang(3).
 */
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "distribution/connect.h"
#include "distribution/input.h"
#include "distribution/output.h"
#include "distribution/tell.h"
#include "process/process_table.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

/* Who waits for a busy connection. The last argument is what is returned. */
Term erts_internal_dsend_continue_trap_3(Process *p, const Term *a) {
    return tell_message_when_free(p, a[0], a[1], a[2]);
}

Term erts_internal_dsend_told_trap_3(Process *p, const Term *a) {
    Term waits = tell_wait_until_free(p, a[0], a[1]);
    return is_value(waits) ? a[2] : waits;
}

Term erts_internal_dsend_sent_trap_3(Process *p, const Term *a) {
    Term waits = tell_wait_sent(p, a[0], a[1]);
    return is_value(waits) ? a[2] : waits;
}

/* Whose connection is lost is being killed, and may still ask until that has come: it hears that there is nothing.
 * NULL, and p fails: `handle` is none, or it is another's. */
static Channel *own_channel(Process *p, Term handle) {
    Channel *c = channel_of_handle(handle);
    if (c != NULL && channel_has_status(c, CHANNEL_UP) && c->controller == p->pid)
        return c;
    (void)fail_with(p, c == NULL ? FAIL_BADARG : FAIL_NOTSUP);
    return NULL;
}

static Term count(Area *area, const _Atomic uint64_t *of) {
    return integer_from_uint64(area, atomic_load_explicit((_Atomic uint64_t *)of, memory_order_relaxed));
}

/* {ok, In, Out, Pending}: packets, and how many bytes wait. */
Term erlang_dist_get_stat_1(Process *p, const Term *a) {
    const Channel *c = channel_of_handle(a[0]);
    if (c == NULL)
        return fail_badarg(p);
    if (channel_has_status(c, CHANNEL_ENDS))
        return am_error;
    Area *area = process_area(p);
    Term waiting = integer_from_uint64(area, backlog_bytes(&c->backlog));
    return area_tuple4(area, am_ok, count(area, &c->packets_in), count(area, &c->packets_out), waiting);
}

Term erlang_dist_ctrl_input_handler_2(Process *p, const Term *a) {
    Channel *c = own_channel(p, a[0]);
    if (c == NULL)
        return NON_VALUE;
    if (!is_local_pid(a[1])) /* one that has ended brings nothing */
        return fail_badarg(p);
    atomic_store(&c->input_handler, a[1]);
    return am_ok;
}

static bool may_put(const Process *p, const Channel *c) {
    if (!channel_has_status(c, CHANNEL_UP))
        return false;
    Term handler = atomic_load(&c->input_handler);
    return p->pid == (is_value(handler) ? handler : c->controller);
}

/* What comes to one that is lost is dropped. */
Term erlang_dist_ctrl_put_data_2(Process *p, const Term *a) {
    Channel *c = channel_of_handle(a[0]);
    NativeBytes data;
    if (c != NULL && !may_put(p, c))
        return fail_with(p, FAIL_NOTSUP);
    if (c == NULL || !native_bytes(a[1], &data))
        return fail_badarg(p);
    ChannelInput *in = input_create(data.bytes, data.count, NULL);
    native_bytes_release(&data);
    if (channel_has_status(c, CHANNEL_ENDS) || !channel_tell_input(c, in))
        input_free(in);
    return am_ok;
}

/* --- what the channel is asked for -------------------------------------------------------------------------------- */

static Term part_term(Area *area, RefcBinary *owner, const uint8_t *bytes, size_t size) {
    if (size <= HEAP_BITS_MAX_BYTES)
        return binary_from_bytes(area, bytes, size);
    size_t offset = (size_t)(bytes - owner->bytes);
    refc_binary_retain(owner);
    return bits_sub(area, binary_from_refc(area, owner, offset + size), 8 * offset, 8 * size);
}

static Term packet_term(Channel *c, void *packet, Area *area) {
    const IoVector *v = packet;
    Term list = NIL;
    for (size_t i = v->end; i-- > v->first;) {
        const SysIOVec *at = &v->iov[i];
        Term part = part_term(area, driver_refc(v->binaries[i]), (const uint8_t *)at->iov_base, at->iov_len);
        list = area_cons(area, part, list);
    }
    return c->gives_sizes ? area_tuple2(area, integer_from_uint64(area, v->bytes), list) : list;
}

static void take_packet(Channel *c, ChannelCall *call) {
    IoVector packet;
    if (!output_next(c, &packet)) {
        channel_answer_with(call, am_none);
        return;
    }
    channel_answer(call, packet_term, c, &packet);
    io_vector_release(&packet);
}

static void take_notice(Channel *c, ChannelCall *call) {
    c->wants_notice = true;
    channel_goes_on(c);
    channel_answer_with(call, am_ok);
}

static void set_sizes(Channel *c, ChannelCall *call) {
    bool before = c->gives_sizes;
    c->gives_sizes = call->value == am_true;
    channel_answer_with(call, bool_term(before));
}

static void tell_sizes(Channel *c, ChannelCall *call) { channel_answer_with(call, bool_term(c->gives_sizes)); }

static Term ask(Process *p, Term handle, void handle_it(Channel *, ChannelCall *), Term value, Term gone) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    Channel *c = own_channel(p, handle);
    if (c == NULL)
        return NON_VALUE;
    ChannelCall *call = channel_call_create(p->pid, handle_it);
    call->value = value;
    return channel_ask(p, c, call, gone);
}

Term erlang_dist_ctrl_get_data_1(Process *p, const Term *a) { return ask(p, a[0], take_packet, NON_VALUE, am_none); }

Term erlang_dist_ctrl_get_data_notification_1(Process *p, const Term *a) {
    return ask(p, a[0], take_notice, NON_VALUE, am_ok);
}

/* Who may not ask hears that first. */
static Term fail_option(Process *p, Term handle) { return own_channel(p, handle) == NULL ? NON_VALUE : fail_badarg(p); }

Term erlang_dist_ctrl_set_opt_3(Process *p, const Term *a) {
    if (a[1] != am_get_size || (a[2] != am_true && a[2] != am_false))
        return fail_option(p, a[0]);
    return ask(p, a[0], set_sizes, a[2], am_false);
}

Term erlang_dist_ctrl_get_opt_2(Process *p, const Term *a) {
    if (a[1] != am_get_size)
        return fail_option(p, a[0]);
    return ask(p, a[0], tell_sizes, NON_VALUE, am_false);
}
