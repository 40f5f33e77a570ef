#include "port/io_vector.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/copy_bytes.h"
#include "base/long_work.h"
#include "term/bits.h"
#include "term/iolist.h"

#define SHARED_LEAST_BYTES 256 /* below, a copy costs less than a part */
#define UNITS_PER_PIECE 10
#define FIRST_CAPACITY 4

void io_vector_release(IoVector *v) {
    for (size_t i = v->first; i < v->end; i++)
        refc_binary_release(driver_refc(v->binaries[i]));
    mem_free(ALLOC_PORT, v->iov);
    *v = (IoVector){0};
}

/* Both arrays lie in one block. `front`: free places before the first. */
static void resize(IoVector *v, size_t capacity, size_t front) {
    size_t count = v->end - v->first;
    SysIOVec *iov = mem_alloc(ALLOC_PORT, capacity * (sizeof *v->iov + sizeof *v->binaries));
    ErlDrvBinary **binaries = (ErlDrvBinary **)(iov + capacity);
    if (count > 0) {
        memcpy(iov + front, v->iov + v->first, count * sizeof *iov);
        memcpy(binaries + front, v->binaries + v->first, count * sizeof *binaries);
    }
    mem_free(ALLOC_PORT, v->iov);
    *v = (IoVector){iov, binaries, front, front + count, capacity, v->bytes};
}

/* Where they are, with so many free places in front of the first. */
static void shift(IoVector *v, size_t front) {
    size_t count = v->end - v->first;
    memmove(v->iov + front, v->iov + v->first, count * sizeof *v->iov);
    memmove(v->binaries + front, v->binaries + v->first, count * sizeof *v->binaries);
    v->first = front;
    v->end = front + count;
}

/* Half of the room is free, and more: then none is added. */
static bool is_roomy(const IoVector *v) { return v->end - v->first < v->capacity / 2; }
static size_t larger(const IoVector *v) { return v->capacity == 0 ? FIRST_CAPACITY : 2 * v->capacity; }
/* Of the free places a quarter of all stays behind the last: by turns at both ends they are not moved each time. */
static size_t front_for_push(size_t capacity, size_t count) { return capacity - count - capacity / 4; }

static void put(IoVector *v, size_t at, ErlDrvBinary *binary, char *bytes, size_t size) {
    v->iov[at] = (SysIOVec){bytes, size};
    v->binaries[at] = binary;
    v->bytes += size;
}

void io_vector_add(IoVector *v, ErlDrvBinary *binary, char *bytes, size_t size) {
    if (v->end == v->capacity && is_roomy(v))
        shift(v, 1);
    else if (v->end == v->capacity)
        resize(v, larger(v), 1);
    put(v, v->end++, binary, bytes, size);
}

void io_vector_push(IoVector *v, ErlDrvBinary *binary, char *bytes, size_t size) {
    size_t count = v->end - v->first;
    if (v->first <= 1 && is_roomy(v))
        shift(v, front_for_push(v->capacity, count));
    else if (v->first <= 1)
        resize(v, larger(v), front_for_push(larger(v), count));
    put(v, --v->first, binary, bytes, size);
}

static ErlDrvBinary *copied(const char *bytes, size_t size) {
    RefcBinary *b = refc_binary_create(size);
    memcpy(b->bytes, bytes, size);
    return driver_binary(b);
}

void io_vector_add_copy(IoVector *v, const char *bytes, size_t size) {
    ErlDrvBinary *b = copied(bytes, size);
    io_vector_add(v, b, b->orig_bytes, size);
}

void io_vector_push_copy(IoVector *v, const char *bytes, size_t size) {
    ErlDrvBinary *b = copied(bytes, size);
    io_vector_push(v, b, b->orig_bytes, size);
}

void io_vector_drop(IoVector *v, size_t size) {
    v->bytes -= size;
    while (size > 0) {
        SysIOVec *head = &v->iov[v->first];
        size_t part = head->iov_len < size ? head->iov_len : size;
        head->iov_base = (char *)head->iov_base + part;
        head->iov_len -= part;
        size -= part;
        if (head->iov_len == 0)
            refc_binary_release(driver_refc(v->binaries[v->first++]));
    }
    if (v->first == v->end && v->capacity != 0)
        v->first = v->end = 1;
}

void io_vector_move(IoVector *v, size_t size, IoVector *to) {
    while (size > 0) {
        const SysIOVec *head = &v->iov[v->first];
        size_t part = head->iov_len < size ? head->iov_len : size;
        refc_binary_retain(driver_refc(v->binaries[v->first]));
        io_vector_add(to, v->binaries[v->first], head->iov_base, part);
        io_vector_drop(v, part);
        size -= part;
    }
}

void io_vector_copy(const IoVector *v, size_t size, char *to) {
    for (size_t i = v->first; size > 0; i++) {
        size_t part = v->iov[i].iov_len < size ? v->iov[i].iov_len : size;
        copy_bytes(to, v->iov[i].iov_base, part);
        to += part;
        size -= part;
    }
}

ErlIOVec io_vector_for_driver(IoVector *v) {
    if (v->capacity == 0)
        resize(v, FIRST_CAPACITY, 1);
    v->iov[v->first - 1] = (SysIOVec){NULL, 0};
    v->binaries[v->first - 1] = NULL;
    return (ErlIOVec){(int)(v->end - v->first + 1), v->bytes, v->iov + v->first - 1, v->binaries + v->first - 1};
}

/* The RefcBinary that holds the bytes of a binary that is worth sharing; NULL: they are to be copied. */
static RefcBinary *shared_below(Term bits, const BitsView *view) {
    if (view->bit_offset != 0 || view->bit_size < 8 * SHARED_LEAST_BYTES)
        return NULL;
    Term origin = is_boxed_kind(bits, KIND_SUB_BITS) ? ((SubBits *)boxed_ptr(bits))->origin : bits;
    RefcBinary *b = is_boxed_kind(origin, KIND_BIN_REF) ? ((BinRef *)boxed_ptr(origin))->binary : NULL;
    return b != NULL && !(b->flags & BYTES_ARE_ELSEWHERE) ? b : NULL;
}

/* False: there is a bitstring of odd bits, and of a byte and more. */
static bool count_joined(Term list, size_t *bytes) {
    IOLIST(io, list);
    *bytes = 0;
    BitsView view;
    for (;;) {
        long_work_count(UNITS_PER_PIECE);
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: ++*bytes; break;
        case IOLIST_BITS:
            bits_view(io.bits, &view);
            if (bits_are_odd(view.bit_size))
                return false;
            *bytes += shared_below(io.bits, &view) != NULL ? 0 : view.bit_size / 8;
            break;
        default: return true;
        }
    }
}

typedef struct {
    IoVector *v;
    RefcBinary *joined; /* of all small parts, one behind the other; NULL: there are none */
    size_t from, at;
} Builder;

static void flush(Builder *b) {
    if (b->at == b->from)
        return;
    refc_binary_retain(b->joined);
    io_vector_add(b->v, driver_binary(b->joined), (char *)b->joined->bytes + b->from, b->at - b->from);
    b->from = b->at;
}

static void add_bits(Builder *b, Term bits) {
    BitsView view;
    bits_view(bits, &view);
    RefcBinary *shared = shared_below(bits, &view);
    if (shared != NULL) {
        flush(b);
        refc_binary_retain(shared);
        io_vector_add(b->v, driver_binary(shared), (char *)view.bytes, view.bit_size / 8);
        return;
    }
    size_t bytes = view.bit_size / 8;
    if (bytes == 0)
        return;
    bits_copy(b->joined->bytes, 8 * b->at, view.bytes, view.bit_offset, 8 * bytes);
    b->at += bytes;
}

static void build(Builder *b, Term list) {
    IOLIST(io, list);
    for (;;) {
        long_work_count(UNITS_PER_PIECE);
        switch (iolist_next(&io)) {
        case IOLIST_BYTE: b->joined->bytes[b->at++] = io.byte; break;
        case IOLIST_BITS: add_bits(b, io.bits); break;
        default: flush(b); return;
        }
    }
}

bool io_vector_of_iolist(IoVector *v, Term iolist, bool drops_bits) {
    LONG_WORK_OPEN;
    *v = (IoVector){0};
    size_t joined;
    if (iolist_bits(iolist, drops_bits, NULL) < 0 || !count_joined(iolist, &joined))
        return false;
    Builder b = {.v = v, .joined = joined == 0 ? NULL : refc_binary_create(joined)};
    build(&b, iolist);
    if (b.joined != NULL)
        refc_binary_release(b.joined);
    return true;
}
