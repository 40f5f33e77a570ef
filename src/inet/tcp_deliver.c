#include "inet/tcp_deliver.h"

#include <errno.h>
#include <string.h>

#include "inet/data.h"
#include "inet/options.h"
#include "inet/statistics.h"
#include "inet/tell.h"
#include "packet/packet.h"
#include "process/message.h"
#include "term/atom.h"
#include "term/bits.h"

/* Numbers of the option `packet`: 0 is raw. Any other may be set; nothing that comes is a packet then: NON_VALUE. */
static const Term packet_names[] = {[4] = am_asn1, am_sunrm, am_cdr,     am_fcgi,     am_line,     am_tpkt,
                                    am_http,       am_httph, am_ssl_tls, am_http_bin, am_httph_bin};

static Term packet_type(int32_t number) {
    static const int sizes[] = {0, 1, 2, 4};
    if (number < 0 || (size_t)number >= array_length(packet_names))
        return NON_VALUE;
    return (size_t)number < array_length(sizes) ? small_make(sizes[number]) : packet_names[number];
}

/* A connection that has not read what it got leaves the rest to the system, which lets the other side wait. */
static bool peer_takes_more(const Tcp *t) {
    PortPeer *peer = ((Port *)t->inet.port)->peer;
    return likely(peer == NULL) || peer->takes_more(peer);
}

bool tcp_is_wanted(const Tcp *t) {
    return !t->is_over && (inet_is_active(&t->inet) || inet_is_waited_for(&t->inet, REQUEST_TCP_RECEIVE)) &&
           peer_takes_more(t);
}

/* After its first line come the headers. */
static Term type_of(const Tcp *t) {
    Term type = packet_type(t->inet.packet);
    if (!t->in_headers)
        return type;
    return type == am_http ? am_httph : type == am_http_bin ? am_httph_bin : type;
}

static bool is_http(Term type) {
    return type == am_http || type == am_http_bin || type == am_httph || type == am_httph_bin;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

#define AROUND_WORDS 8 /* {inet_async, Port, Id, {ok, Data}} */

/* To who waits, or to the owner. `tag` is that of an active socket's. */
static Term message_term(const Tcp *t, Area *area, Term tag, Term data) {
    const Inet *d = &t->inet;
    if (is_value(d->wait.pid) && d->active == INET_PASSIVE)
        return area_tuple4(area, am_inet_async, d->id, small_make((SWord)d->wait.id), area_tuple2(area, am_ok, data));
    if (!is_value(tag))
        return data;
    if (d->deliver == INET_AS_PORT && tag == am_tcp)
        return area_tuple2(area, d->id, area_tuple2(area, am_data, data));
    return area_tuple3(area, tag, d->id, data);
}

/* Whoever it was for has it. */
static void was_sent(Tcp *t) {
    Inet *d = &t->inet;
    if (d->active != INET_PASSIVE) {
        inet_active_message_sent(d);
        return;
    }
    t->wanted = 0;
    inet_wait_over(d);
}

static Term receiver(const Tcp *t) { return t->inet.active == INET_PASSIVE ? t->inet.wait.pid : inet_owner(&t->inet); }

static void send_data(Tcp *t, const uint8_t *bytes, size_t size) {
    Inet *d = &t->inet;
    PortPeer *peer = ((Port *)d->port)->peer;
    if (unlikely(peer != NULL) && d->deliver == INET_AS_PORT && d->active != INET_PASSIVE) {
        peer->input(peer, bytes, size, t->buffer);
        return;
    }
    Area area;
    Message *m = message_begin(&area, inet_data_words(d, size) + AROUND_WORDS, d->id);
    Term data = inet_data_term(d, &area, t->buffer, bytes, size);
    message_end(m, &area, message_term(t, &area, am_tcp, data));
    inet_post(m, receiver(t));
}

static void send_built(Tcp *t, InetMessage *m, Area *area, Term tag, Term data) {
    Term to = receiver(t);
    inet_message_send(&t->inet, m, to, message_term(t, area, tag, data));
}

#define HTTP_WORDS 64

static void send_http(Tcp *t, Term type, const uint8_t *bytes, size_t size) {
    InetMessage m;
    Area *area = inet_message_begin(&m, HTTP_WORDS);
    HttpForm form = {area, type == am_http_bin || type == am_httph_bin};
    bool is_header = type == am_httph || type == am_httph_bin;
    Term line = (is_header ? http_header_line : http_first_line)(form, (const char *)bytes, size);
    bool is_error = is_tuple_arity(line, 2);
    t->in_headers = is_error ? is_header : line != am_http_eoh;
    send_built(t, &m, area, am_http, line);
}

static void send_tls(Tcp *t, const uint8_t *frame, const uint8_t *bytes, size_t size) {
    InetMessage m;
    Area *area = inet_message_begin(&m, HTTP_WORDS + inet_data_words(&t->inet, size));
    Term body = binary_from_bytes(area, bytes, size); /* whatever the mode is */
    send_built(t, &m, area, NON_VALUE, packet_tls_term(area, t->inet.id, frame, body, size));
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

/* Most of the buffer's room is not used: the bytes are copied, and the room stays. */
static void keep_room(Tcp *t, const uint8_t **bytes, size_t size, RefcBinary **kept) {
    *kept = t->buffer;
    if (size <= HEAP_BITS_MAX_BYTES || t->inet.mode == INET_LISTS || 2 * size >= t->buffer->size)
        return;
    t->buffer = refc_binary_create(size);
    memcpy(t->buffer->bytes, *bytes, size);
    *bytes = t->buffer->bytes;
}

static void put_back(Tcp *t, RefcBinary *kept) {
    if (t->buffer != kept)
        refc_binary_release(t->buffer);
    t->buffer = kept;
}

static void send_bytes(Tcp *t, const uint8_t *bytes, size_t size) {
    RefcBinary *kept;
    keep_room(t, &bytes, size, &kept);
    send_data(t, bytes, size);
    put_back(t, kept);
}

static void took(Tcp *t, size_t size) {
    t->start += size;
    t->may_tell--;
    inet_count(&t->inet.in, size);
    was_sent(t);
}

static const uint8_t *first_byte(const Tcp *t) { return t->buffer->bytes + t->start; }

/* True: a packet went. Otherwise *total says what must be there. */
static bool deliver_raw(Tcp *t, size_t *total) {
    size_t there = t->end - t->start;
    *total = t->wanted;
    if (there == 0 || there < t->wanted)
        return false;
    size_t size = t->wanted != 0 ? t->wanted : there;
    send_bytes(t, first_byte(t), size);
    took(t, size);
    return true;
}

/* Who gets data as from any port gets them as they came. */
static bool is_whole(const Tcp *t, Term type) {
    return t->inet.deliver == INET_AS_PORT && t->inet.active != INET_PASSIVE && (is_http(type) || type == am_ssl_tls);
}

static void send_packet(Tcp *t, Term type, const PacketFrame *f) {
    const uint8_t *frame = first_byte(t);
    if (is_whole(t, type))
        send_bytes(t, frame, f->size);
    else if (is_http(type))
        send_http(t, type, frame, f->size);
    else if (type == am_ssl_tls)
        send_tls(t, frame, frame + f->skip, f->packet_size);
    else
        send_bytes(t, frame + f->skip, f->packet_size);
    took(t, f->size);
}

/* What cannot be said to be a packet when so many bytes are there is none, as on the stock runtime. */
static bool is_too_much(const Tcp *t, size_t count) {
    return count >= t->inet.buffer_size && count >= t->inet.packet_size;
}

static PacketResult deliver_packet(Tcp *t, Term type, size_t *total) {
    PacketInput in = {first_byte(t), t->end - t->start};
    PacketOptions options = {t->inet.packet_size, t->inet.buffer_size, t->inet.line_delimiter};
    PacketFrame f;
    PacketResult result = packet_find(type, &in, &options, &f);
    *total = 0;
    if (result == PACKET_WHOLE && f.size > in.count) {
        *total = f.size;
        return PACKET_MORE;
    }
    if (result == PACKET_WHOLE)
        send_packet(t, type, &f);
    return result == PACKET_MORE && is_too_much(t, in.count) ? PACKET_INVALID : result;
}

Term tcp_deliver(Tcp *t, size_t *total) {
    *total = t->wanted;
    while (tcp_is_wanted(t) && t->end > t->start && t->may_tell > 0) {
        Term type = type_of(t);
        if (!is_value(type))
            return inet_error(EMSGSIZE);
        if (type == small_make(0)) {
            if (!deliver_raw(t, total))
                return am_ok;
        } else {
            PacketResult result = deliver_packet(t, type, total);
            if (result != PACKET_WHOLE)
                return result == PACKET_INVALID ? inet_error(EMSGSIZE) : am_ok;
        }
    }
    return am_ok;
}
