/*
 * I/O vectors and I/O queues. Source: erl_nif(3), enif_inspect_iovec and enif_ioq_*.
 *
 * A vector shows the bytes of a list of binaries. ref_bins[i] is the RefcBinary that part i lies in, NULL when it lies
 * somewhere that lives as long as the environment (a small binary; ref_bins itself is NULL in vectors of a library's
 * own making). A vector that was made without an environment has a reference to each, and only such parts; one made
 * with an environment borrows them from the terms. A queue has a reference to each binary that it holds parts of; bytes
 * that lie in none are copied when they are put in. Whoever uses a vector or a queue has it alone: no locks.
 */
#include "nif/env.h"

#include "alloc/alloc.h"
#include "term/bits.h"
#include "term/refc_binary.h"

/* ErlNifIOVec.flags */
enum {
    VECTOR_HAS_REFERENCES = 1, /* made without an environment */
    VECTOR_IS_BLOCK = 2,       /* it lies at the start of a block, with its arrays */
    VECTOR_HAS_ARRAYS = 4,     /* `iov` is the start of a block with both arrays */
};

/* --- vectors ---------------------------------------------------------------------------------------------------- */

/* Less than a byte counts as an empty binary, where odd bits pass at all. */
static bool may_be_part(Term t) { return is_taken_for_binary(t) && !bits_are_odd(bits_size(t)); }

/* How many of the list's elements are parts, and where it goes on; an empty binary is looked at, but is no part. False
 * when something else stands in the way. */
static bool count_parts(Term list, size_t most, Term *tail, size_t *parts) {
    *parts = 0;
    for (size_t seen = 0; is_list(list) && (seen == 0 || seen < most); seen++, list = list_tail(list)) {
        if (!may_be_part(list_head(list)))
            return false;
        *parts += bits_size(list_head(list)) >= 8;
    }
    *tail = list;
    return is_list(list) || is_nil(list);
}

/* The RefcBinary under a binary, NULL when it has none. */
static RefcBinary *refc_below(Term binary) {
    Term origin = is_boxed_kind(binary, KIND_SUB_BITS) ? ((SubBits *)boxed_ptr(binary))->origin : binary;
    return is_boxed_kind(origin, KIND_BIN_REF) ? ((BinRef *)boxed_ptr(origin))->binary : NULL;
}

static RefcBinary *copy_of(const BitsView *view) {
    RefcBinary *copy = refc_binary_create(view->bit_size / 8);
    bits_copy(copy->bytes, 0, view->bytes, view->bit_offset, view->bit_size);
    return copy;
}

static void set_part(ErlNifIOVec *v, int i, const void *bytes, size_t count, RefcBinary *binary) {
    v->iov[i].iov_base = (char *)bytes;
    v->iov[i].iov_len = count;
    v->ref_bins[i] = binary;
    v->size += count;
}

/* With an environment, bits that do not begin at a byte become a binary of its own there. */
static void show_part(ErlNifEnv *env, ErlNifIOVec *v, int i, Term binary) {
    BitsView view;
    bits_view(binary, &view);
    view.bit_size &= ~(Word)7;
    RefcBinary *below = view.bit_offset == 0 ? refc_below(binary) : NULL;
    if (env == NULL) {
        if (below != NULL) {
            refc_binary_retain(below);
            set_part(v, i, view.bytes, view.bit_size / 8, below);
        } else {
            RefcBinary *copy = copy_of(&view);
            set_part(v, i, copy->bytes, view.bit_size / 8, copy);
        }
        return;
    }
    if (view.bit_offset != 0) {
        Term copy = bits_from_view(env->area, &view);
        bits_view(copy, &view);
        below = refc_below(copy);
    }
    set_part(v, i, view.bytes, view.bit_size / 8, below);
}

typedef struct {
    NifTemporary temporary;
    ErlNifIOVec vector;
} TemporaryVector;

static void temporary_vector_free(NifTemporary *t) { mem_free(ALLOC_NIF, t); }

#define ARRAYS_BYTES(parts) ((parts) * (sizeof(SysIOVec) + sizeof(void *)))

static void set_arrays(ErlNifIOVec *v, void *block, size_t parts) {
    v->iov = block;
    v->ref_bins = (void **)((SysIOVec *)block + parts);
}

/* A vector with room for `parts`: the caller's own where it has one, and that has enough room. */
static ErlNifIOVec *vector_with_room(ErlNifEnv *env, ErlNifIOVec *given, size_t parts) {
    ErlNifIOVec *v = given;
    int flags = env ? 0 : VECTOR_HAS_REFERENCES;
    bool fits = parts <= ERL_NIF_IOVEC_SIZE;
    if (env && (!given || !fits)) {
        TemporaryVector *t = mem_alloc(ALLOC_NIF, sizeof *t + ARRAYS_BYTES(parts));
        t->temporary.release = temporary_vector_free;
        nif_env_add_temporary(env, &t->temporary);
        v = given ? given : &t->vector;
        set_arrays(v, t + 1, parts);
    } else if (!given) {
        v = mem_alloc(ALLOC_NIF, sizeof *v + ARRAYS_BYTES(parts));
        flags |= VECTOR_IS_BLOCK;
        set_arrays(v, v + 1, parts);
    } else if (!fits) {
        flags |= VECTOR_HAS_ARRAYS;
        set_arrays(v, mem_alloc(ALLOC_NIF, ARRAYS_BYTES(parts)), parts);
    } else {
        v->iov = v->small_iov;
        v->ref_bins = v->small_ref_bin;
    }
    v->flags = flags;
    v->iovcnt = (int)parts;
    v->size = 0;
    return v;
}

int enif_inspect_iovec(ErlNifEnv *env, size_t max_elements, ERL_NIF_TERM list, ERL_NIF_TERM *tail,
                       ErlNifIOVec **vector) {
    size_t parts;
    Term rest;
    if (!count_parts(list, max_elements, &rest, &parts))
        return 0;
    ErlNifIOVec *v = vector_with_room(env, *vector, parts);
    for (int i = 0; i < v->iovcnt; list = list_tail(list))
        if (bits_size(list_head(list)) >= 8)
            show_part(env, v, i++, list_head(list));
    *vector = v;
    *tail = rest;
    return 1;
}

/* One made with an environment goes with that. */
void enif_free_iovec(ErlNifIOVec *v) {
    for (int i = 0; v->flags & VECTOR_HAS_REFERENCES && i < v->iovcnt; i++)
        refc_binary_release(v->ref_bins[i]);
    if (v->flags & VECTOR_IS_BLOCK)
        mem_free(ALLOC_NIF, v);
    else if (v->flags & VECTOR_HAS_ARRAYS)
        mem_free(ALLOC_NIF, v->iov);
}

/* --- queues ----------------------------------------------------------------------------------------------------- */

/* Parts [first..end) of both arrays, which have the same capacity. No part is empty. */
struct erts_io_queue {
    SysIOVec *parts;
    RefcBinary **binaries;
    size_t first, end, capacity;
    size_t bytes;
};

ErlNifIOQueue *enif_ioq_create(ErlNifIOQueueOpts options) {
    return options == ERL_NIF_IOQ_NORMAL ? mem_calloc(ALLOC_NIF, sizeof(ErlNifIOQueue)) : NULL;
}

void enif_ioq_destroy(ErlNifIOQueue *q) {
    for (size_t i = q->first; i < q->end; i++)
        refc_binary_release(q->binaries[i]);
    mem_free(ALLOC_NIF, q->parts);
    mem_free(ALLOC_NIF, q->binaries);
    mem_free(ALLOC_NIF, q);
}

static void make_room(ErlNifIOQueue *q) {
    if (q->first > q->capacity / 2) {
        memmove(q->parts, q->parts + q->first, (q->end - q->first) * sizeof *q->parts);
        memmove(q->binaries, q->binaries + q->first, (q->end - q->first) * sizeof *q->binaries);
        q->end -= q->first;
        q->first = 0;
    } else {
        q->capacity = q->capacity ? 2 * q->capacity : 8;
        q->parts = mem_realloc(ALLOC_NIF, q->parts, q->capacity * sizeof *q->parts);
        q->binaries = mem_realloc(ALLOC_NIF, q->binaries, q->capacity * sizeof *q->binaries);
    }
}

/* Takes over one reference to `binary`. */
static void add_part(ErlNifIOQueue *q, RefcBinary *binary, void *bytes, size_t count) {
    if (q->end == q->capacity)
        make_room(q);
    q->parts[q->end].iov_base = bytes;
    q->parts[q->end].iov_len = count;
    q->binaries[q->end++] = binary;
    q->bytes += count;
}

static void add_copy(ErlNifIOQueue *q, const void *bytes, size_t count) {
    RefcBinary *copy = refc_binary_create(count);
    memcpy(copy->bytes, bytes, count);
    add_part(q, copy, copy->bytes, count);
}

int enif_ioq_enqv(ErlNifIOQueue *q, ErlNifIOVec *v, size_t skip) {
    if (skip > v->size)
        return 0;
    for (int i = 0; i < v->iovcnt; i++) {
        char *bytes = v->iov[i].iov_base;
        size_t count = v->iov[i].iov_len, skipped = skip < count ? skip : count;
        RefcBinary *binary = v->ref_bins ? v->ref_bins[i] : NULL;
        skip -= skipped;
        if (skipped == count)
            continue;
        if (binary != NULL) {
            refc_binary_retain(binary);
            add_part(q, binary, bytes + skipped, count - skipped);
        } else {
            add_copy(q, bytes + skipped, count - skipped);
        }
    }
    return 1;
}

/* The library's reference becomes the queue's; of an inspected binary the bytes are copied. */
int enif_ioq_enq_binary(ErlNifIOQueue *q, ErlNifBinary *binary, size_t skip) {
    if (skip > binary->size)
        return 0;
    size_t count = binary->size - skip;
    if (count == 0)
        enif_release_binary(binary);
    else if (binary->ref_bin != NULL)
        add_part(q, binary->ref_bin, binary->data + skip, count);
    else
        add_copy(q, binary->data + skip, count);
    binary->ref_bin = NULL;
    return 1;
}

size_t enif_ioq_size(ErlNifIOQueue *q) { return q->bytes; }

int enif_ioq_deq(ErlNifIOQueue *q, size_t count, size_t *size) {
    if (count > q->bytes)
        return 0;
    q->bytes -= count;
    while (count > 0) {
        SysIOVec *head = &q->parts[q->first];
        size_t step = count < head->iov_len ? count : head->iov_len;
        head->iov_base = (char *)head->iov_base + step;
        head->iov_len -= step;
        count -= step;
        if (head->iov_len == 0)
            refc_binary_release(q->binaries[q->first++]);
    }
    if (q->first == q->end)
        q->first = q->end = 0;
    if (size != NULL)
        *size = q->bytes;
    return 1;
}

SysIOVec *enif_ioq_peek(ErlNifIOQueue *q, int *count) {
    *count = (int)(q->end - q->first);
    return *count ? q->parts + q->first : NULL;
}

int enif_ioq_peek_head(ErlNifEnv *env, ErlNifIOQueue *q, size_t *size, ERL_NIF_TERM *term) {
    if (q->bytes == 0)
        return 0;
    const SysIOVec *head = &q->parts[q->first];
    RefcBinary *binary = q->binaries[q->first];
    size_t offset = (size_t)((uint8_t *)head->iov_base - binary->bytes);
    refc_binary_retain(binary);
    Term whole = binary_from_refc(env->area, binary, offset + head->iov_len);
    *term = offset ? bits_sub(env->area, whole, 8 * offset, 8 * head->iov_len) : whole;
    if (size != NULL)
        *size = head->iov_len;
    return 1;
}
