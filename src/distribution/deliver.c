#include "distribution/deliver.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "distribution/lose.h"
#include "etf/decode.h"
#include "heap/copy.h"
#include "process/process_table.h"
#include "process/seq_trace.h"
#include "process/signal_handle.h"
#include "term/atom.h"

#define BYTES_READ_AT_ONCE 2048
#define ROUND 1000
#define UNITS_EACH 10 /* of long work, for one of the decoder's */

/* --- reading ------------------------------------------------------------------------------------------------------ */

static EtfStatus in_rounds(EtfDecoder *d, FragmentArea *to) {
    EtfStatus status;
    do {
        int64_t work = ROUND;
        status = to == NULL ? etf_decoder_check(d, &work) : etf_decoder_build(d, &to->area, &work);
        long_work_count((ROUND - work) * UNITS_EACH);
    } while (status == ETF_MORE);
    return status;
}

Term encoded_read(const Encoded *e, FragmentArea *to, size_t *used) {
    EtfDecoder d;
    if (e->has_version)
        etf_decoder_init(&d, e->bytes, e->size, 0);
    else
        etf_decoder_init_received(&d, e->bytes, e->size, e->atoms, e->atom_count);
    etf_decoder_share(&d, e->buffer);
    Term term = NON_VALUE;
    if (in_rounds(&d, NULL) == ETF_DONE && in_rounds(&d, to) == ETF_DONE)
        term = d.result;
    if (used != NULL)
        *used = d.used;
    etf_decoder_release(&d);
    return term;
}

/* --- building ----------------------------------------------------------------------------------------------------- */

static Term copied(Area *area, Term t) { return term_needs_copy(t) ? term_copy(t, area) : t; }

static Term exit_term(const Delivery *d, Area *area, Term reason, Term *from) {
    *from = copied(area, d->object);
    return area_tuple3(area, am_EXIT, *from, reason);
}

static Term down_term(const Delivery *d, Area *area, Term reason) {
    Term object = copied(area, d->object);
    Term reference = monitor_reference(area, d->key, d->is_alias_reference ? d->to : NON_VALUE);
    const Term elements[] = {am_DOWN, reference, am_process, object, reason};
    return area_tuple(area, elements, array_length(elements));
}

static Term whole_term(const Delivery *d, Area *area, Term payload, Term *from) {
    *from = d->node;
    switch (d->kind) {
    case SIGNAL_EXIT:
    case SIGNAL_EXIT_LINKED: return exit_term(d, area, payload, from);
    case SIGNAL_DOWN: return down_term(d, area, payload);
    default: return payload;
    }
}

/* All that it is made of lies in the fragments, but literals and what is immediate. */
static Message *finish(const Delivery *d, FragmentArea *fa, Term payload) {
    Term from, term = whole_term(d, &fa->area, payload, &from), token = d->token;
    if (is_value(token) && !is_nil(token))
        token = seq_trace_token_with_epoch(copied(&fa->area, d->token), &fa->area);
    Message *m = message_create_with(term, fragment_area_finish(fa), from);
    m->signal.kind = d->kind;
    m->token = token;
    m->key = d->key;
    return m;
}

static Message *read_message(const Delivery *d, const Encoded *payload) {
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    Term term = encoded_read(payload, &fa, NULL);
    if (is_value(term))
        return finish(d, &fa, term);
    fragment_area_drop(&fa);
    return NULL;
}

void deliver_term(const Delivery *d, Term payload) {
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    signal_send_or_drop(d->to, &finish(d, &fa, copied(&fa.area, payload))->signal);
}

/* The reason cannot be read, and the connection is about to be lost, which knows nothing of the tie any more. */
static void tell_lost(const Delivery *d) {
    if (d->kind == SIGNAL_EXIT_LINKED || d->kind == SIGNAL_DOWN)
        deliver_term(d, am_noconnection);
}

/* --- read by who gets it ------------------------------------------------------------------------------------------ */

typedef struct {
    CallSignal call; /* must be first */
    Channel *channel; /* held */
    Delivery delivery; /* its terms in `terms` */
    Kept terms;
    Encoded payload;
    Term atoms[];
} Parcel;

static void parcel_free(Parcel *parcel) {
    refc_binary_release(parcel->payload.buffer);
    kept_release(&parcel->terms);
    channel_release(parcel->channel);
    mem_free(ALLOC_SIGNAL, parcel);
}

static Message *open(const Parcel *parcel) {
    LONG_WORK_OPEN;
    return read_message(&parcel->delivery, &parcel->payload);
}

static void take_parcel(Process *p, CallSignal *call) {
    Parcel *parcel = (Parcel *)call;
    Message *m = process_is_exiting(p) && parcel->delivery.kind != SIGNAL_EXIT_LINKED ? NULL : open(parcel);
    if (m != NULL) {
        signal_handle_now(p, &m->signal);
    } else if (!process_is_exiting(p)) {
        tell_lost(&parcel->delivery);
        channel_break(parcel->channel, "a term that is none");
    }
    parcel_free(parcel);
}

static Parcel *parcel_create(Channel *c, const Delivery *d, const Encoded *payload) {
    Parcel *parcel = mem_alloc(ALLOC_SIGNAL, sizeof *parcel + payload->atom_count * sizeof(Term));
    signal_init(&parcel->call.signal, SIGNAL_CALL);
    parcel->call.handle = take_parcel;
    channel_hold(c);
    parcel->channel = c;
    parcel->delivery = *d;
    Term words[] = {header_make(KIND_TUPLE, 2), d->token, d->object};
    parcel->terms = kept_make(boxed_make(words));
    parcel->delivery.token = tuple_elements(kept_term(&parcel->terms))[0];
    parcel->delivery.object = tuple_elements(kept_term(&parcel->terms))[1];
    refc_binary_retain(payload->buffer);
    parcel->payload = *payload;
    parcel->payload.atoms = parcel->atoms;
    if (payload->atom_count > 0)
        memcpy(parcel->atoms, payload->atoms, payload->atom_count * sizeof(Term));
    return parcel;
}

bool deliver(Channel *c, const Delivery *d, const Encoded *payload) {
    if (payload->size <= BYTES_READ_AT_ONCE) {
        Message *m = read_message(d, payload);
        if (m != NULL)
            signal_send_or_drop(d->to, &m->signal);
        else
            tell_lost(d);
        return m != NULL;
    }
    if (process_find(d->to) == NULL)
        return true;
    Parcel *parcel = parcel_create(c, d, payload);
    if (!signal_send(d->to, &parcel->call.signal))
        parcel_free(parcel);
    return true;
}
