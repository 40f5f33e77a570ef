#include "port/output.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/copy_bytes.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "port/line.h"
#include "port/trace.h"
#include "process/message.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/iolist.h"

#define PAIR_WORDS 3

static Fragment *begin(Area *area, size_t words) { return message_area_begin(area, words + PAIR_WORDS); }

/* {Port, What} */
static void end_and_send(Port *port, Area *area, Fragment *f, Term to, Term what) {
    Term tuple = area_tuple2(area, port_id(port), what);
    message_area_end(area, f);
    port_trace_send(port, what == am_closed ? what : tuple, to); /* as the stock runtime has it */
    Message *m = message_create_with(tuple, f, port_id(port));
    m->token = TOKEN_OF_RUNTIME;
    signal_send_or_drop(to, &m->signal);
}

void port_tell(Port *port, Term to, Term what) {
    Area area;
    Fragment *f = begin(&area, 0);
    end_and_send(port, &area, f, to, what);
}

void port_tell_value(Port *port, Term what, Term value) {
    if (port_has_status(port, PORT_CLOSING))
        return;
    Area area;
    Fragment *f = begin(&area, PAIR_WORDS);
    end_and_send(port, &area, f, port_connected(port), area_tuple2(&area, what, value));
}

static Term shared_binary(Area *area, RefcBinary *shared, const char *bytes, size_t size) {
    size_t offset = (size_t)((const uint8_t *)bytes - shared->bytes);
    refc_binary_retain(shared);
    return bits_sub(area, binary_from_refc(area, shared, offset + size), 8 * offset, 8 * size);
}

static size_t words_of(const Port *port, size_t header_size, size_t size) {
    size_t bytes_words = port->options.is_binary ? 3 * BITS_MAX_WORDS : 2 * size;
    return 2 * header_size + bytes_words + 2 * PAIR_WORDS;
}

static Term data_term(const Port *port, Area *area, const char *header, size_t header_size, const char *bytes,
                      size_t size, RefcBinary *shared) {
    Term tail = !port->options.is_binary                       ? list_from_bytes(area, bytes, size, NIL)
                : shared != NULL && size > HEAP_BITS_MAX_BYTES ? shared_binary(area, shared, bytes, size)
                                                               : binary_from_bytes(area, bytes, size);
    if (port->options.is_binary && header_size > 0 && bytes == NULL)
        tail = NIL;
    return list_from_bytes(area, header, header_size, tail);
}

/* Long work, but in no open section: a driver's lock may be held, and who is told is looked up.
 * {data, D}, or {data, {eol, D}} with `end`. */
static void tell(Port *port, const char *header, size_t header_size, const char *bytes, size_t size, RefcBinary *shared,
                 Term end) {
    Area area;
    Fragment *f = begin(&area, words_of(port, header_size, size));
    long_work_count((int64_t)size / 8);
    Term data = data_term(port, &area, header, header_size, bytes, size, shared);
    if (is_value(end))
        data = area_tuple2(&area, end, data);
    end_and_send(port, &area, f, port_connected(port), area_tuple2(&area, am_data, data));
}

/* Each line has the header before it, as on the stock runtime. */
typedef struct {
    Port *port;
    const char *header;
    size_t header_size;
} Lines;

static void tell_line(void *lines, const char *bytes, size_t size, bool is_end) {
    const Lines *l = lines;
    tell(l->port, l->header, l->header_size, bytes, size, NULL, is_end ? am_eol : am_noeol);
}

static void count_in(Port *port, size_t bytes) {
    uint64_t before = atomic_load_explicit(&port->bytes_in, memory_order_relaxed);
    atomic_store_explicit(&port->bytes_in, before + bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&ports_bytes_in, bytes, memory_order_relaxed);
}

/* A header is rare: then the two are joined. */
static void tell_peer(Port *port, const char *header, size_t header_size, const char *bytes, size_t size,
                      RefcBinary *shared) {
    if (likely(header_size == 0)) {
        port->peer->input(port->peer, (const uint8_t *)bytes, size, shared);
        return;
    }
    RefcBinary *joined = refc_binary_create(header_size + size);
    memcpy(joined->bytes, header, header_size);
    if (size > 0)
        copy_bytes(joined->bytes + header_size, bytes, size);
    port->peer->input(port->peer, joined->bytes, header_size + size, joined);
    refc_binary_release(joined);
}

void port_tell_data(Port *port, const char *header, size_t header_size, const char *bytes, size_t size,
                    RefcBinary *shared) {
    count_in(port, header_size + size);
    if (unlikely(port->peer != NULL)) {
        tell_peer(port, header, header_size, bytes, size, shared);
        return;
    }
    if (port->options.line == 0 || shared != NULL) { /* binaries are no text to the stock runtime either */
        tell(port, header, header_size, bytes, size, shared, NON_VALUE);
        return;
    }
    line_add(&port->line, port->options.line, bytes, size, tell_line, &(Lines){port, header, header_size});
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

/* What is left of part i of a vector; *skip are those bytes of it and of those before that do not count. */
static size_t part_of(const ErlIOVec *v, int i, size_t *skip, const char **bytes) {
    size_t size = v->iov[i].iov_len, skipped = *skip < size ? *skip : size;
    *skip -= skipped;
    if (size > 0)
        *bytes = (const char *)v->iov[i].iov_base + skipped;
    return size - skipped;
}

static Term part_term(Area *area, ErlDrvBinary *binary, const char *bytes, size_t size) {
    return binary != NULL && size > HEAP_BITS_MAX_BYTES ? shared_binary(area, driver_refc(binary), bytes, size)
                                                        : binary_from_bytes(area, bytes, size);
}

/* The last part is the tail. */
static Term parts_term(Area *area, const ErlIOVec *v, size_t skip) {
    ESTACK(parts);
    for (int i = 0; i < v->vsize; i++) {
        const char *bytes = NULL;
        size_t size = part_of(v, i, &skip, &bytes);
        if (size > 0)
            estack_push(&parts, part_term(area, v->binv == NULL ? NULL : v->binv[i], bytes, size));
    }
    Term list = estack_is_empty(&parts) ? NIL : estack_pop(&parts);
    while (!estack_is_empty(&parts))
        list = area_cons(area, estack_pop(&parts), list);
    return list;
}

static void tell_parts(Port *port, const char *header, size_t header_size, const ErlIOVec *v, size_t skip) {
    Area area;
    Fragment *f = begin(&area, 2 * header_size + (size_t)v->vsize * (3 * BITS_MAX_WORDS + 2) + PAIR_WORDS);
    Term data = list_from_bytes(&area, header, header_size, parts_term(&area, v, skip));
    end_and_send(port, &area, f, port_connected(port), area_tuple2(&area, am_data, data));
}

/* Bytes that are told one by one are joined first. */
static void tell_joined(Port *port, const char *header, size_t header_size, const ErlIOVec *v, size_t skip) {
    char *joined = mem_alloc(ALLOC_TEMP, v->size + 1);
    size_t total = 0;
    for (int i = 0; i < v->vsize; i++) {
        const char *bytes = NULL;
        size_t size = part_of(v, i, &skip, &bytes);
        if (size > 0)
            copy_bytes(joined + total, bytes, size);
        total += size;
    }
    tell(port, header, header_size, joined, total, NULL, NON_VALUE);
    mem_free(ALLOC_TEMP, joined);
}

static void tell_peer_vector(Port *port, const char *header, size_t header_size, const ErlIOVec *v, size_t skip) {
    RefcBinary *joined = refc_binary_create(v->size);
    uint8_t *to = joined->bytes;
    for (int i = 0; i < v->vsize; i++) {
        if (v->iov[i].iov_len > 0)
            copy_bytes(to, v->iov[i].iov_base, v->iov[i].iov_len);
        to += v->iov[i].iov_len;
    }
    tell_peer(port, header, header_size, (const char *)joined->bytes + skip, v->size - skip, joined);
    refc_binary_release(joined);
}

void port_tell_vector(Port *port, const char *header, size_t header_size, const ErlIOVec *v, size_t skip) {
    count_in(port, header_size + v->size - skip);
    if (unlikely(port->peer != NULL)) {
        tell_peer_vector(port, header, header_size, v, skip);
        return;
    }
    (port->options.is_binary ? tell_parts : tell_joined)(port, header, header_size, v, skip);
}

void port_tell_rest_of_line(Port *port) {
    line_end(&port->line, port->options.line, tell_line, &(Lines){.port = port});
}
