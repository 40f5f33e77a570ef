#include "distribution/body.h"

#include "distribution/end.h"
#include "distribution/input.h"
#include "distribution/output.h"
#include "distribution/watch.h"
#include "process/message.h"

/* As the process has done it. */
static void note_order(Channel *c, const Order *o) {
    Term to = o->control.to;
    switch (o->kind) {
    case FAR_LINK: tie_link(&c->ties, o->from, to); break;
    case FAR_UNLINK: tie_unlink(&c->ties, o->from, to, o->id); break;
    case FAR_UNLINK_ACK: tie_acknowledge(&c->ties, o->from, to); break;
    case FAR_EXIT_LINKED: tie_link_gone(&c->ties, o->from, to); break;
    case FAR_MONITOR:
        tie_monitor(&c->ties, TIE_MONITOR, o->id, o->from, o->is_alias_reference, is_atom(to) ? NON_VALUE : to,
                    is_atom(to) ? to : NON_VALUE);
        break;
    case FAR_SPAWN:
        tie_monitor(&c->ties, TIE_SPAWN, o->id, o->from, o->is_alias_reference, NON_VALUE, NON_VALUE);
        break;
    case FAR_DEMONITOR: tie_monitor_drop(&c->ties, o->id); break;
    default: break;
    }
}

/* An unlink of an older peer's has no number. */
static bool acknowledges_nothing(const Order *o) { return o->is_far_order && o->kind == FAR_UNLINK_ACK && o->id == 0; }

static void take_order(Channel *c, Order *o) {
    if (o->is_far_order)
        note_order(c, o);
    if (o->ends_watch)
        watch_was_told(c, o->id);
    if (likely(!c->is_ending && !acknowledges_nothing(o))) {
        output_add(c, o);
        return;
    }
    output_is_told(c, o->bytes);
    order_free(o);
    channel_goes_on(c);
}

static void take_input(Channel *c, ChannelInput *in) {
    size_t bytes = in->size;
    if (likely(!c->is_ending && !c->is_broken))
        input_take(c, in);
    else
        input_free(in);
    channel_has_read(c, bytes);
}

static void handle(Process *actor, Signal *s) {
    Channel *c = channel_of(actor);
    switch ((int)s->kind) {
    case CHANNEL_ORDER: take_order(c, (Order *)s); break;
    case CHANNEL_INPUT: take_input(c, (ChannelInput *)s); break;
    case CHANNEL_CALL: ((ChannelCall *)s)->handle(c, (ChannelCall *)s); break;
    case CHANNEL_END: end_begin(c, (ChannelEnd *)s); break;
    default: signal_free(s);
    }
}

static ActorNext run(Process *actor) {
    Channel *c = channel_of(actor);
    return unlikely(c->is_ending) ? end_run(c) : output_run(c);
}

const ActorBody channel_body = {.handle = handle, .run = run, .is_hidden = true};
