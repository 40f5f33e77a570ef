#include "inet/udp_deliver.h"

#include <string.h>

#include "inet/control_message.h"
#include "inet/data.h"
#include "inet/options.h"
#include "inet/tell.h"
#include "process/message.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/iolist.h"

/* {inet_async, Port, Id, {ok, {Packet, Controls}}}, or {udp, Port, Address, Number, Controls, Data} */
#define AROUND_WORDS 13

/* --- data --------------------------------------------------------------------------------------------------------- */

/* What is long lies outside of the message. NULL: it does not. */
static RefcBinary *long_bytes(const Inet *d, const uint8_t **bytes, size_t size) {
    if (size <= HEAP_BITS_MAX_BYTES || d->mode == INET_LISTS)
        return NULL;
    RefcBinary *b = refc_binary_create(size);
    memcpy(b->bytes, *bytes, size);
    *bytes = b->bytes;
    return b;
}

static Term data_term(const Inet *d, Area *area, const uint8_t *bytes, size_t size) {
    RefcBinary *shared = long_bytes(d, &bytes, size);
    Term data = inet_data_term(d, area, shared, bytes, size);
    if (shared != NULL)
        refc_binary_release(shared);
    return data;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* {Port, {data, Data}}: the address is a part of the data. */
static void send_as_port(Inet *d, const UdpPacket *p) {
    Area area;
    TEXT(address);
    inet_address_put(&address, &p->from);
    uint8_t *bytes = p->bytes - address.size;
    size_t size = p->size + address.size;
    memcpy(bytes, address.bytes, address.size);
    Message *m = message_begin(&area, inet_data_words(d, size) + AROUND_WORDS, d->id);
    Term data = area_tuple2(&area, am_data, data_term(d, &area, bytes, size));
    message_end(m, &area, area_tuple2(&area, d->id, data));
    inet_post(m, inet_owner(d));
}

static Term active_term(const Inet *d, Area *area, const UdpPacket *p) {
    Term address = inet_address_term(area, &p->from), data = data_term(d, area, p->bytes, p->size);
    Term number = small_make(inet_address_port(&p->from));
    if (d->controls == 0)
        return area_tuple(area, (Term[]){am_udp, d->id, address, number, data}, 5);
    Term controls = inet_control_messages_term(&p->message, area);
    return area_tuple(area, (Term[]){am_udp, d->id, address, number, controls, data}, 6);
}

static void send_to_owner(Inet *d, const UdpPacket *p) {
    Area area;
    size_t words = inet_data_words(d, p->size) + INET_ADDRESS_WORDS + inet_control_messages_words(&p->message);
    Message *m = message_begin(&area, words + AROUND_WORDS, d->id);
    message_end(m, &area, active_term(d, &area, p));
    inet_post(m, inet_owner(d));
}

/* [Family, ... | Data], with what came beside it if that was asked for. */
static Term waited_term(const Inet *d, Area *area, const UdpPacket *p, const Text *address) {
    Term data = data_term(d, area, p->bytes, p->size);
    Term packet = list_from_bytes(area, address->bytes, address->size, data);
    return d->controls == 0 ? packet : area_tuple2(area, packet, inet_control_messages_term(&p->message, area));
}

static void send_to_waiter(Inet *d, const UdpPacket *p) {
    Area area;
    TEXT(address);
    inet_address_put(&address, &p->from);
    size_t words = inet_data_words(d, p->size) + 2 * address.size + inet_control_messages_words(&p->message);
    Message *m = message_begin(&area, words + AROUND_WORDS, d->id);
    Term result = area_tuple2(&area, am_ok, waited_term(d, &area, p, &address));
    Term id = small_make((SWord)d->wait.id);
    message_end(m, &area, area_tuple4(&area, am_inet_async, d->id, id, result));
    inet_post(m, d->wait.pid);
}

void udp_deliver(Inet *d, const UdpPacket *p) {
    if (d->active == INET_PASSIVE) {
        send_to_waiter(d, p);
        inet_wait_over(d);
        return;
    }
    if (d->deliver == INET_AS_PORT)
        send_as_port(d, p);
    else
        send_to_owner(d, p);
    inet_active_message_sent(d);
}
