#include "bif/library/io_queue.h"

#include "alloc/alloc.h"
#include "term/bits.h"

#define SHARE_FROM_BYTES 2048
#define TAIL_BYTES 4096

void io_queue_release(IoQueue *q) {
    for (size_t i = q->first; i < q->end; i++)
        refc_binary_release(q->parts[i].binary);
    mem_free(ALLOC_FILE_IO, q->parts);
    *q = (IoQueue){0};
}

/* Before OTP 27 less than a byte is taken, for nothing. */
static bool is_part(Term t) { return is_taken_for_binary(t) && !bits_are_odd(bits_size(t)); }

bool io_queue_is_vector(Term list) {
    for (; is_list(list); list = list_tail(list))
        if (!is_part(list_head(list)))
            return false;
    return is_nil(list);
}

static void add_part(IoQueue *q, RefcBinary *binary, size_t offset, size_t count) {
    if (q->end == q->capacity && q->first > q->capacity / 2) {
        memmove(q->parts, q->parts + q->first, (q->end - q->first) * sizeof *q->parts);
        q->end -= q->first;
        q->first = 0;
    } else if (q->end == q->capacity) {
        q->capacity = q->capacity ? 2 * q->capacity : 8;
        q->parts = mem_realloc(ALLOC_FILE_IO, q->parts, q->capacity * sizeof *q->parts);
    }
    q->parts[q->end++] = (IoPart){binary, offset, count};
    q->bytes += count;
}

/* Bytes of a tail behind what the last part shows are the queue's own as long as nobody shares the binary. */
static void add_copy(IoQueue *q, const uint8_t *bytes, size_t count) {
    if (q->first < q->end) {
        IoPart *last = &q->parts[q->end - 1];
        size_t used = last->offset + last->count;
        RefcBinary *tail = last->binary;
        if (tail->flags == TAIL_BYTES && tail->size - used >= count && refc_binary_is_sole(tail)) {
            memcpy(tail->bytes + used, bytes, count);
            last->count += count;
            q->bytes += count;
            return;
        }
    }
    RefcBinary *tail = refc_binary_create(count > TAIL_BYTES ? count : TAIL_BYTES);
    tail->flags = TAIL_BYTES;
    memcpy(tail->bytes, bytes, count);
    add_part(q, tail, 0, count);
}

/* The RefcBinary under a binary whose bytes are `bytes`, NULL when it has none. */
static RefcBinary *refc_below(Term binary) {
    Term origin = is_boxed_kind(binary, KIND_SUB_BITS) ? ((SubBits *)boxed_ptr(binary))->origin : binary;
    return is_boxed_kind(origin, KIND_BIN_REF) ? ((BinRef *)boxed_ptr(origin))->binary : NULL;
}

void io_queue_add(IoQueue *q, Term vector) {
    for (; is_list(vector); vector = list_tail(vector)) {
        Term binary = list_head(vector);
        size_t count;
        uint8_t *copy;
        const uint8_t *bytes = binary_bytes(binary, &count, &copy);
        RefcBinary *refc = copy || count < SHARE_FROM_BYTES ? NULL : refc_below(binary);
        if (refc) {
            refc_binary_retain(refc);
            add_part(q, refc, (size_t)(bytes - refc->bytes), count);
        } else if (count) {
            add_copy(q, bytes, count);
        }
        mem_free(ALLOC_TEMP, copy);
    }
}

void io_queue_skip(IoQueue *q, size_t count) {
    q->bytes -= count;
    while (count) {
        IoPart *head = &q->parts[q->first];
        size_t step = count < head->count ? count : head->count;
        head->offset += step;
        head->count -= step;
        count -= step;
        if (head->count == 0) {
            refc_binary_release(head->binary);
            q->first++;
        }
    }
    if (q->first == q->end)
        q->first = q->end = 0;
}

void io_queue_copy(const IoQueue *q, uint8_t *to, size_t count) {
    for (size_t i = q->first; count; i++) {
        size_t step = count < q->parts[i].count ? count : q->parts[i].count;
        memcpy(to, io_part_bytes(&q->parts[i]), step);
        to += step;
        count -= step;
    }
}

Term io_queue_head_term(const IoQueue *q, Area *area) {
    const IoPart *head = io_queue_head(q);
    if (head->count <= HEAP_BITS_MAX_BYTES)
        return binary_from_bytes(area, io_part_bytes(head), head->count);
    refc_binary_retain(head->binary);
    Term whole = binary_from_refc(area, head->binary, head->offset + head->count);
    return bits_sub(area, whole, head->offset * 8, head->count * 8);
}
