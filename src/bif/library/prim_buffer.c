/*
 * The natives of prim_buffer: byte queues behind magic references, used for reading ahead in files.
 *
 * Users in several processes take turns by try_lock and unlock; the functions themselves trust that, as in the stock
 * runtime, but a mutex keeps the queue whole if they do not.
 */
#include "bif/library/io_queue.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "term/bits.h"

typedef struct {
    Mutex mutex;
    _Atomic bool locked; /* by a user */
    IoQueue queue;
} Buffer;

static bool buffer_destroy(RefcBinary *binary) {
    Buffer *b = (Buffer *)binary->bytes;
    io_queue_release(&b->queue);
    mutex_release(&b->mutex);
    return true;
}

Term prim_buffer_new(Process *p, const Term *a) {
    void *object;
    Term reference = native_new(p, sizeof(Buffer), buffer_destroy, &object);
    mutex_init(&((Buffer *)object)->mutex, LOCK_BUFFER);
    return reference;
}

#define TAKE_BUFFER(b, term)                                                                                           \
    Buffer *b = native_object(term, buffer_destroy);                                                                   \
    if (!b)                                                                                                            \
    return native_badarg(p)

Term prim_buffer_size(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    mutex_lock(&b->mutex);
    size_t bytes = b->queue.bytes;
    mutex_unlock(&b->mutex);
    return small_make((SWord)bytes);
}

Term prim_buffer_peek_head(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    mutex_lock(&b->mutex);
    Term head = b->queue.bytes ? io_queue_head_term(&b->queue, process_area(p)) : NON_VALUE;
    mutex_unlock(&b->mutex);
    return is_value(head) ? head : native_badarg(p);
}

static bool is_count(Term t) { return is_small(t) && small_value(t) >= 0; }

Term prim_buffer_copying_read(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    if (!is_count(a[1]))
        return native_badarg(p);
    size_t count = (size_t)small_value(a[1]);
    Term result = NON_VALUE;
    mutex_lock(&b->mutex);
    if (count <= b->queue.bytes) {
        uint8_t *to;
        result = binary_make(process_area(p), count, &to);
        io_queue_copy(&b->queue, to, count);
        io_queue_skip(&b->queue, count);
    }
    mutex_unlock(&b->mutex);
    return is_value(result) ? result : native_badarg(p);
}

Term prim_buffer_write(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    if (!io_queue_is_vector(a[1]))
        return native_badarg(p);
    mutex_lock(&b->mutex);
    io_queue_add(&b->queue, a[1]);
    mutex_unlock(&b->mutex);
    return am_ok;
}

Term prim_buffer_skip(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    if (!is_count(a[1]))
        return native_badarg(p);
    size_t count = (size_t)small_value(a[1]);
    mutex_lock(&b->mutex);
    bool enough = count <= b->queue.bytes;
    if (enough)
        io_queue_skip(&b->queue, count);
    mutex_unlock(&b->mutex);
    return enough ? am_ok : native_badarg(p);
}

static int64_t find_byte(const IoQueue *q, int byte) {
    int64_t before = 0;
    for (size_t i = q->first; i < q->end; i++) {
        const uint8_t *bytes = io_part_bytes(&q->parts[i]), *at = memchr(bytes, byte, q->parts[i].count);
        if (at)
            return before + (at - bytes);
        before += (int64_t)q->parts[i].count;
    }
    return -1;
}

Term prim_buffer_find_byte_index(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    if (!is_count(a[1]) || small_value(a[1]) > 255)
        return native_badarg(p);
    mutex_lock(&b->mutex);
    int64_t index = find_byte(&b->queue, (int)small_value(a[1]));
    mutex_unlock(&b->mutex);
    return index < 0 ? am_not_found : native_ok(p, small_make(index));
}

Term prim_buffer_try_lock(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    return atomic_exchange(&b->locked, true) ? am_busy : am_acquired;
}

Term prim_buffer_unlock(Process *p, const Term *a) {
    TAKE_BUFFER(b, a[0]);
    return atomic_exchange(&b->locked, false) ? am_ok : native_error(p, am_lock_order_violation);
}
