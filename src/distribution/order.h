/*
 * Orders: what is to be told to another node, as it waits for its turn. It is made by who orders it, on his thread,
 * with all that is long work done: the payload is bytes already, large binaries in it are shared. Then it is a signal
 * to the channel (distribution/channel.h), which owns it from then on, and makes the control message when its turn has
 * come, as only then the other's abilities are known for certain.
 */
#ifndef VIV_DISTRIBUTION_ORDER_H
#define VIV_DISTRIBUTION_ORDER_H

#include "distribution/control.h"
#include "heap/kept.h"
#include "port/io_vector.h"
#include "process/far.h"
#include "process/signal.h"

typedef struct Order {
    Signal signal; /* must be first */
    struct Order *next;
    Term from; /* the process whose it is; NON_VALUE: nobody's */
    /* What becomes of ties when the channel has it: as FarOrder has them. */
    bool is_far_order, ends_watch; /* the latter: the watch of key `id` */
    FarKind kind;
    uint64_t id;
    bool is_alias_reference;
    Control control; /* its terms are immediate, or in `terms` */
    Kept terms;
    bool has_payload;
    IoVector payload;
    Term *atoms; /* those that the payload names by their numbers */
    uint32_t atom_count;
    size_t bytes; /* that it counts for while it waits */
    /* Whose sender waits until it is sent: a number, 0: nobody does; and the request that is answered then. */
    uint64_t awaited, request;
    struct Process *ending; /* or who waits ends meanwhile; NULL: he does not */
    struct Order *next_awaited;
    /* while it is sent in fragments */
    uint64_t sequence;
    struct Order *behind, **behind_last; /* of the same process: they wait for it */
} Order;

#define ORDER_BYTES 128 /* each counts for at least so many */
#define ORDER_FRAGMENT_BYTES (64 * 1024) /* a larger payload goes in parts */
#define ORDER_AWAITED_BYTES (ORDER_BYTES + ORDER_FRAGMENT_BYTES)
/* An empty one: zero but for what makes it a signal of that kind. */
Order *order_create(uint32_t signal_kind, Term from);
/* Terms of the control message, as many as there are places: copies, where they need it. */
#define ORDER_TERMS_MAX 8
void order_keep_terms(Order *o, Term *const places[], size_t count);
/* Writes the payload; long work. `by_number`: atoms by their numbers, for a peer that keeps atoms. False: it is too
 * large for the external format (etf/encode.h); the order is good for order_free only. */
must_check bool order_set_payload(Order *o, Term payload, bool by_number);
/* It is awaited from now on, and counts for so many. Gives its number. The second: by who is ending, and goes on with
 * that when it is freed; nobody asks for it by a number. */
uint64_t order_await(Order *o, size_t bytes);
void order_await_ending(Order *o, size_t bytes, struct Process *ending);
/* It counts for the same to its end. */
static inline bool order_is_awaited(const Order *o) { return o->awaited != 0 || o->ending != NULL; }
/* Who waits goes on. */
void order_free(Order *o);

#endif
