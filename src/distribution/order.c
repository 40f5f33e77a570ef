#include "distribution/order.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "etf/encode.h"
#include "process/request.h"
#include "process/run_queue.h"
#include "term/atom.h"

Order *order_create(uint32_t signal_kind, Term from) {
    Order *o = mem_calloc(ALLOC_SIGNAL, sizeof *o);
    signal_init(&o->signal, (SignalKind)signal_kind);
    o->from = from;
    o->bytes = ORDER_BYTES;
    o->terms = KEPT_NONE;
    o->control = (Control){.from = NON_VALUE,
                           .to = NON_VALUE,
                           .ref = NON_VALUE,
                           .token = NON_VALUE,
                           .reason = NON_VALUE,
                           .group_leader = NON_VALUE,
                           .options = NON_VALUE,
                           .result = NON_VALUE};
    return o;
}

void order_keep_terms(Order *o, Term *const places[], size_t count) {
    Term tuple[1 + ORDER_TERMS_MAX] = {header_make(KIND_TUPLE, count)};
    bool is_needed = false;
    for (size_t i = 0; i < count; i++) {
        tuple[1 + i] = *places[i];
        is_needed |= !is_immediate(*places[i]);
    }
    if (!is_needed)
        return;
    o->terms = kept_make(boxed_make(tuple));
    for (size_t i = 0; i < count; i++)
        *places[i] = tuple_elements(kept_term(&o->terms))[i];
}

static void take_atoms(Order *o, const EtfAtoms *atoms) {
    o->atom_count = atoms->count;
    if (atoms->count == 0)
        return;
    o->atoms = mem_alloc(ALLOC_SIGNAL, atoms->count * sizeof *o->atoms);
    for (uint32_t i = 0; i < atoms->count; i++)
        o->atoms[i] = etf_atoms_at(atoms, i);
}

#define ROUND 1000
#define UNITS_EACH 10 /* of long work, for one of the encoder's */

static bool encode(EtfEncoder *e) {
    Area none = {0}; /* what is sorted is so for other forms */
    EtfStatus status;
    do {
        int64_t work = ROUND;
        status = etf_encoder_run(e, &none, &work);
        long_work_count((ROUND - work) * UNITS_EACH);
    } while (status == ETF_MORE);
    return status == ETF_DONE;
}

static void take_bytes(Order *o, EtfEncoder *e) {
    EtfBytes few[4], *parts = few;
    size_t most = etf_encoder_part_count(e);
    if (most > array_length(few))
        parts = mem_alloc(ALLOC_TEMP, most * sizeof *parts);
    size_t count = etf_encoder_take(e, parts);
    for (size_t i = 0; i < count; i++)
        io_vector_add(&o->payload, driver_binary(parts[i].owner), (char *)parts[i].bytes, parts[i].size);
    if (parts != few)
        mem_free(ALLOC_TEMP, parts);
}

bool order_set_payload(Order *o, Term payload, bool by_number) {
    EtfAtoms atoms;
    EtfEncoder e;
    LONG_WORK_OPEN;
    etf_atoms_clear(&atoms);
    etf_encoder_init_sent(&e, payload, ETF_PIECES, by_number ? &atoms : NULL, 0);
    bool is_written = encode(&e);
    if (likely(is_written)) {
        take_bytes(o, &e);
        take_atoms(o, &atoms);
        o->has_payload = true;
        o->bytes += o->payload.bytes;
    }
    etf_encoder_release(&e);
    return is_written;
}

uint64_t order_await(Order *o, size_t bytes) {
    static _Atomic uint64_t last;
    o->bytes = bytes;
    return o->awaited = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

void order_await_ending(Order *o, size_t bytes, Process *ending) {
    o->bytes = bytes;
    o->ending = ending;
    process_end_later(ending);
}

void order_free(Order *o) {
    if (o->request != 0)
        request_reply(o->from, o->request, am_true);
    if (o->ending != NULL)
        process_end_goes_on(o->ending);
    io_vector_release(&o->payload);
    kept_release(&o->terms);
    if (o->atoms != NULL)
        mem_free(ALLOC_SIGNAL, o->atoms);
    mem_free(ALLOC_SIGNAL, o);
}
