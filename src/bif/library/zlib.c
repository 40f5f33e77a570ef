/*
 * The natives of zlib: streams behind magic references, used by the process that controls them only.
 *
 * A stream is unused, deflating, inflating or closed. Input waits in a queue; one call of deflate or inflate takes at
 * most so many bytes of it and makes at most one chunk of output, so that no call is long. Answers:
 *   {finished, Output}   all input was used (or the end of the data was seen)
 *   {continue, Output}   there is more to do: call again
 *   {need_dictionary, Adler, Output}
 * Source: zlib(3), zlib.h, and OTP 25's answers.
 */
#include "alloc/alloc.h"
#include "bif/library/io_queue.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "heap/kept.h"
#include "heap/heap.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

#include <zlib.h>

typedef enum { STREAM_UNUSED, STREAM_DEFLATING, STREAM_INFLATING, STREAM_CLOSED } StreamState;
typedef enum { AT_END_ERROR, AT_END_RESET, AT_END_CUT } AtEnd;
typedef struct {
    z_stream z;
    StreamState state;
    AtEnd at_end;    /* what more input after the end of the data means */
    bool end_seen;
    bool sums;       /* raw streams: crc is of what is compressed, or was */
    uint32_t crc;
    Term owner;
    uint32_t buffer_size;
    IoQueue input;
    Kept stash;
} Stream;

#define DEFAULT_BUFFER_SIZE 4000
#define BYTES_PER_REDUCTION 64

static void stream_clear(Stream *s) {
    io_queue_release(&s->input);
    kept_release(&s->stash);
}

static void stream_end(Stream *s) {
    if (s->state == STREAM_DEFLATING)
        deflateEnd(&s->z);
    else if (s->state == STREAM_INFLATING)
        inflateEnd(&s->z);
    s->state = STREAM_UNUSED;
    stream_clear(s);
}

static bool stream_destroy(RefcBinary *binary) {
    Stream *s = (Stream *)binary->bytes;
    stream_end(s);
    return true;
}

static void *stream_alloc(void *data, unsigned items, unsigned size) {
    return mem_alloc(ALLOC_MISC, (size_t)items * size);
}
static void stream_free(void *data, void *ptr) { mem_free(ALLOC_MISC, ptr); }

#define TAKE_STREAM(s, term)                                                                                           \
    Stream *s = native_object(term, stream_destroy);                                                                   \
    if (!s)                                                                                                            \
        return native_badarg(p);                                                                                       \
    if (s->owner != p->pid)                                                                                            \
    return native_error(p, am_not_on_controlling_process)
#define TAKE_STREAM_IN(s, term, wanted)                                                                                \
    TAKE_STREAM(s, term);                                                                                              \
    if (s->state != (wanted))                                                                                          \
    return native_error(p, am_not_initialized)

static Term result_of(Process *p, int code) {
    switch (code) {
    case Z_OK: return am_ok;
    case Z_STREAM_ERROR: return native_error(p, am_stream_error);
    case Z_DATA_ERROR: return native_error(p, am_data_error);
    case Z_MEM_ERROR: return native_error(p, am_mem_error);
    case Z_BUF_ERROR: return native_error(p, am_buf_error);
    case Z_VERSION_ERROR: return native_error(p, am_version_error);
    default: return native_error(p, am_unknown_error);
    }
}

Term zlib_open(Process *p, const Term *a) {
    void *object;
    Term reference = native_new(p, sizeof(Stream), stream_destroy, &object);
    Stream *s = object;
    s->z.zalloc = stream_alloc;
    s->z.zfree = stream_free;
    s->owner = p->pid;
    s->buffer_size = DEFAULT_BUFFER_SIZE;
    s->stash = KEPT_NONE;
    return reference;
}

Term zlib_close(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    if (s->state == STREAM_CLOSED)
        return native_error(p, am_not_initialized);
    stream_end(s);
    s->state = STREAM_CLOSED;
    return am_ok;
}

Term zlib_set_controller(Process *p, const Term *a) {
    if (!is_local_pid(a[1]))
        return native_badarg(p);
    TAKE_STREAM(s, a[0]);
    s->owner = a[1];
    return am_ok;
}

static bool take_ints(const Term *a, unsigned count, int *out) {
    for (unsigned i = 0; i < count; i++) {
        if (!is_small(a[i]) || small_value(a[i]) < INT32_MIN || small_value(a[i]) > INT32_MAX)
            return false;
        out[i] = (int)small_value(a[i]);
    }
    return true;
}

Term zlib_deflate_init(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    int n[5]; /* level, method, window bits, memory level, strategy */
    if (!take_ints(a + 1, 5, n))
        return native_badarg(p);
    if (s->state != STREAM_UNUSED)
        return native_error(p, am_already_initialized);
    int code = deflateInit2(&s->z, n[0], n[1], n[2], n[3], n[4]);
    if (code == Z_OK) {
        s->state = STREAM_DEFLATING;
        s->end_seen = false;
        s->sums = n[2] < 0;
        s->crc = 0;
    }
    return result_of(p, code);
}

Term zlib_inflate_init(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    int n[2]; /* window bits, what the end means */
    if (!take_ints(a + 1, 2, n) || n[1] < AT_END_ERROR || n[1] > AT_END_CUT)
        return native_badarg(p);
    if (s->state != STREAM_UNUSED)
        return native_error(p, am_already_initialized);
    s->z.next_in = NULL;
    s->z.avail_in = 0;
    int code = inflateInit2(&s->z, n[0]);
    if (code == Z_OK) {
        s->state = STREAM_INFLATING;
        s->at_end = (AtEnd)n[1];
        s->sums = n[0] < 0;
        s->end_seen = false;
        s->crc = 0;
    }
    return result_of(p, code);
}

static Term set_dictionary(Process *p, Stream *s, Term dictionary, int (*set)(z_stream *, const Bytef *, uInt)) {
    NativeBytes bytes;
    if (!native_bytes(dictionary, &bytes))
        return native_badarg(p);
    int code = set(&s->z, bytes.bytes, (uInt)bytes.count);
    native_bytes_release(&bytes);
    return result_of(p, code);
}

Term zlib_deflate_set_dictionary(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_DEFLATING);
    Term result = set_dictionary(p, s, a[1], deflateSetDictionary);
    return result == am_ok ? small_make((SWord)s->z.adler) : result;
}

Term zlib_inflate_set_dictionary(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_INFLATING);
    return set_dictionary(p, s, a[1], inflateSetDictionary);
}

Term zlib_inflate_get_dictionary(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_INFLATING);
    uint8_t window[1 << MAX_WBITS];
    uInt count = 0;
    int code = inflateGetDictionary(&s->z, window, &count);
    return code == Z_OK ? binary_from_bytes(process_area(p), window, count) : result_of(p, code);
}

Term zlib_deflate_reset(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_DEFLATING);
    s->crc = 0;
    stream_clear(s);
    return result_of(p, deflateReset(&s->z));
}

Term zlib_inflate_reset(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_INFLATING);
    s->crc = 0;
    s->end_seen = false;
    stream_clear(s);
    return result_of(p, inflateReset(&s->z));
}

Term zlib_deflate_end(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_DEFLATING);
    int code = s->input.bytes ? Z_DATA_ERROR : Z_OK;
    int ended = deflateEnd(&s->z);
    s->state = STREAM_UNUSED;
    stream_clear(s);
    return result_of(p, ended == Z_OK ? code : ended);
}

Term zlib_inflate_end(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_INFLATING);
    bool whole = s->end_seen && s->input.bytes == 0;
    stream_end(s);
    return result_of(p, whole ? Z_OK : Z_DATA_ERROR);
}

Term zlib_deflate_params(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_DEFLATING);
    int n[2];
    if (!take_ints(a + 1, 2, n))
        return native_badarg(p);
    uint8_t none[1]; /* everything was flushed before: there is no output, but zlib wants room */
    s->z.next_in = none;
    s->z.avail_in = 0;
    s->z.next_out = none;
    s->z.avail_out = sizeof none;
    int code = deflateParams(&s->z, n[0], n[1]);
    return result_of(p, code == Z_BUF_ERROR ? Z_OK : code);
}

Term zlib_enqueue(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    if (!io_queue_is_vector(a[1]))
        return native_badarg(p);
    if (s->state != STREAM_DEFLATING && s->state != STREAM_INFLATING)
        return native_error(p, am_not_initialized);
    io_queue_add(&s->input, a[1]);
    return am_ok;
}

/* Runs `step` over the queue until `limit` bytes of it are used, the output is full, or it says anything but Z_OK; then
 * once more with `flush` when the queue is empty. Returns zlib's last word. */
static int run(Stream *s, int (*step)(z_stream *, int), size_t limit, int flush) {
    int code = Z_OK;
    s->z.next_in = NULL;
    s->z.avail_in = 0;
    while (code == Z_OK && s->input.bytes && s->z.avail_out && limit) {
        const IoPart *head = io_queue_head(&s->input);
        size_t count = head->count < limit ? head->count : limit;
        const uint8_t *in = io_part_bytes(head);
        s->z.next_in = (Bytef *)in;
        s->z.avail_in = (uInt)count;
        code = step(&s->z, Z_NO_FLUSH);
        size_t used = count - s->z.avail_in;
        if (s->sums && s->state == STREAM_DEFLATING)
            s->crc = (uint32_t)crc32(s->crc, in, (uInt)used);
        limit -= used;
        io_queue_skip(&s->input, used);
    }
    s->z.avail_in = 0;
    if (code == Z_OK && flush != Z_NO_FLUSH && s->input.bytes == 0 && s->z.avail_out) {
        s->z.next_in = NULL;
        code = step(&s->z, flush);
    }
    return code;
}

/* {finished | continue, Output}, or the error. */
static Term chunk_result(Process *p, Stream *s, int code, RefcBinary *out, size_t capacity, int flush) {
    size_t made = capacity - s->z.avail_out;
    if (s->sums && s->state == STREAM_INFLATING)
        s->crc = (uint32_t)crc32(s->crc, out->bytes, (uInt)made);
    process_bump(p, (int64_t)(made / BYTES_PER_REDUCTION) + 50);
    if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END && code != Z_NEED_DICT) {
        refc_binary_release(out);
        return result_of(p, code);
    }
    Area *area = process_area(p);
    Term output = NIL;
    if (made > HEAP_BITS_MAX_BYTES) {
        output = area_cons(area, binary_from_refc(area, refc_binary_resize(out, made), made), NIL);
    } else {
        if (made)
            output = area_cons(area, binary_from_bytes(area, out->bytes, made), NIL);
        refc_binary_release(out);
    }
    if (code == Z_NEED_DICT)
        return area_tuple3(area, am_need_dictionary, integer_from_uint64(area, s->z.adler), output);
    /* The stock runtime does not ask whether an output that is full was the last one of an inflation. */
    bool more = s->input.bytes || (s->z.avail_out == 0 && (code != Z_STREAM_END || s->state == STREAM_INFLATING));
    if (s->state == STREAM_DEFLATING && flush == Z_FINISH && code != Z_STREAM_END)
        more = true;
    return area_tuple2(area, more ? am_continue : am_finished, output);
}

static bool take_limits(const Term *a, int *n) { return take_ints(a, 3, n) && n[0] > 0 && n[1] > 0 && n[1] <= 1 << 28; }

Term zlib_deflate(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_DEFLATING);
    int n[3]; /* input limit, output limit, flush */
    if (!take_limits(a + 1, n))
        return native_badarg(p);
    RefcBinary *out = refc_binary_create((size_t)n[1]);
    s->z.next_out = out->bytes;
    s->z.avail_out = (uInt)n[1];
    int code = run(s, deflate, (size_t)n[0], n[2]);
    return chunk_result(p, s, code, out, (size_t)n[1], n[2]);
}

Term zlib_inflate(Process *p, const Term *a) {
    TAKE_STREAM_IN(s, a[0], STREAM_INFLATING);
    int n[3];
    if (!take_limits(a + 1, n))
        return native_badarg(p);
    if (s->end_seen && s->input.bytes) {
        if (s->at_end == AT_END_ERROR)
            return result_of(p, Z_DATA_ERROR);
        if (s->at_end == AT_END_CUT) {
            io_queue_release(&s->input);
        } else {
            inflateReset(&s->z);
            s->end_seen = false;
        }
    }
    if (s->end_seen)
        return area_tuple2(process_area(p), am_finished, NIL);
    RefcBinary *out = refc_binary_create((size_t)n[1]);
    s->z.next_out = out->bytes;
    s->z.avail_out = (uInt)n[1];
    /* What zlib holds back from a full output comes without any input. */
    int code = s->input.bytes ? run(s, inflate, (size_t)n[0], n[2]) : inflate(&s->z, n[2]);
    if (code == Z_STREAM_END)
        s->end_seen = true;
    return chunk_result(p, s, code, out, (size_t)n[1], n[2]);
}

Term zlib_crc32(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    if (s->state != STREAM_DEFLATING && s->state != STREAM_INFLATING)
        return native_error(p, am_not_initialized);
    return small_make(s->crc);
}

Term zlib_set_stash(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    if (is_value(kept_term(&s->stash)))
        return native_error(p, am_error);
    s->stash = kept_make(a[1]);
    return am_ok;
}

Term zlib_get_stash(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    return is_value(kept_term(&s->stash)) ? native_ok(p, kept_copy(&s->stash, process_area(p))) : am_empty_stash;
}

Term zlib_clear_stash(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    if (!is_value(kept_term(&s->stash)))
        return native_error(p, am_error);
    kept_release(&s->stash);
    return am_ok;
}

Term zlib_get_buffer_size(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    return small_make(s->buffer_size);
}

Term zlib_set_buffer_size(Process *p, const Term *a) {
    TAKE_STREAM(s, a[0]);
    if (!is_small(a[1]) || small_value(a[1]) <= 0 || small_value(a[1]) > INT32_MAX)
        return native_badarg(p);
    s->buffer_size = (uint32_t)small_value(a[1]);
    return am_ok;
}
