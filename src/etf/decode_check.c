/*
 * The first pass. Nested terms need no stack here: it only counts how many terms are still to come.
 */
#include "etf/decode.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/unicode.h"
#include "code/export.h"
#include "etf/decode_parts.h"
#include "etf/local.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/float_text.h"
#include "term/integer.h"
#include "term/node.h"

#include <string.h>
#include <zlib.h>

#define BYTES_PER_WORK 64
#define PLAIN_HEAD 5 /* bytes that say what a term is and how long, of those that check_plain looks at */
#define INFLATE_CHUNK ((size_t)1 << 20)

void etf_decoder_init(EtfDecoder *d, const uint8_t *bytes, size_t size, unsigned flags) {
    memset(d, 0, offsetof(EtfDecoder, fixed));
    d->in = reader_make(bytes, size);
    d->flags = flags;
    d->pending = 1;
    d->result = NON_VALUE;
    d->frames = d->fixed;
    d->frame_capacity = ETF_FRAMES_FIXED;
    d->input = d->terms = bytes;
    d->end = bytes + size;
}

void etf_decoder_init_received(EtfDecoder *d, const uint8_t *bytes, size_t size, const Term *atoms, size_t atom_count) {
    etf_decoder_init(d, bytes, size, ETF_RECEIVED);
    d->atoms = atoms;
    d->atom_count = (unsigned)atom_count;
}

void etf_decoder_share(EtfDecoder *d, RefcBinary *owner) { d->owner = owner; }

bool etf_is_compressed(const uint8_t *bytes, size_t size) {
    return size > 1 && bytes[0] == ETF_VERSION && bytes[1] == ETF_COMPRESSED;
}

#define UNITS_PER_BYTE_INFLATED 3 /* of long work */

/* Inflates to exactly `size` bytes, growing as data really comes, so that a false size cannot take memory. */
static bool inflate_terms(EtfDecoder *d, size_t size) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)d->in.at, .avail_in = 0};
    if (inflateInit(&z) != Z_OK)
        return false;
    size_t capacity = 0, left = reader_left(&d->in);
    int result = Z_OK;
    while (result == Z_OK && z.total_out < size) {
        if (z.total_out == capacity) {
            capacity = size - capacity < INFLATE_CHUNK + capacity ? size : 2 * capacity + INFLATE_CHUNK;
            d->inflated = mem_realloc(ALLOC_TEMP, d->inflated, capacity);
        }
        if (z.avail_in == 0) {
            z.avail_in = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
            left -= z.avail_in;
        }
        z.next_out = d->inflated + z.total_out;
        z.avail_out = capacity - z.total_out > UINT32_MAX ? UINT32_MAX : (uInt)(capacity - z.total_out);
        long_work_count_large(z.avail_out, UNITS_PER_BYTE_INFLATED);
        result = inflate(&z, Z_NO_FLUSH);
    }
    /* The end mark may still be unread; and there must be no more data than was said. */
    uint8_t beyond;
    while (result == Z_OK) {
        z.next_out = &beyond;
        z.avail_out = 1;
        result = inflate(&z, Z_NO_FLUSH);
        if (z.avail_out == 0)
            result = Z_DATA_ERROR;
    }
    bool good = result == Z_STREAM_END && z.total_out == size;
    d->used = (size_t)(d->in.at - d->terms) + z.total_in;
    inflateEnd(&z);
    d->in = reader_make(d->inflated, good ? size : 0);
    return good;
}

static bool open_terms(EtfDecoder *d) {
    if (d->flags & ETF_RECEIVED)
        return true;
    if (reader_u8(&d->in) != ETF_VERSION)
        return false;
    if (reader_left(&d->in) > 0 && d->in.at[0] == ETF_COMPRESSED) {
        reader_u8(&d->in);
        size_t size = reader_u32(&d->in);
        if (d->in.bad || size == 0 || !inflate_terms(d, size))
            return false;
    }
    d->terms = d->in.at;
    d->end = d->in.end;
    return true;
}

void etf_decoder_open(EtfDecoder *d) {
    d->is_open = true;
    d->is_bad = !open_terms(d);
}

static bool check_atom_text(EtfDecoder *d, bool latin1, size_t bytes) {
    const uint8_t *text = reader_take(&d->in, bytes);
    if (text == NULL)
        return false;
    if (latin1 ? bytes > ATOM_MAX_CHARACTERS : bytes > ATOM_MAX_BYTES)
        return false;
    if (!latin1) {
        int64_t characters = utf8_count(text, bytes, NULL);
        if (characters < 0 || characters > ATOM_MAX_CHARACTERS)
            return false;
    }
    if (!(d->flags & ETF_SAFE))
        return true;
    return is_value(latin1 ? atom_find_latin1(text, bytes) : atom_find(text, bytes));
}

static bool check_atom(EtfDecoder *d, uint8_t tag) {
    switch (tag) {
    case ETF_ATOM: return check_atom_text(d, true, reader_u16(&d->in));
    case ETF_SMALL_ATOM: return check_atom_text(d, true, reader_u8(&d->in));
    case ETF_ATOM_UTF8: return check_atom_text(d, false, reader_u16(&d->in));
    case ETF_SMALL_ATOM_UTF8: return check_atom_text(d, false, reader_u8(&d->in));
    case ETF_ATOM_CACHE_REF: return reader_u8(&d->in) < d->atom_count;
    default: return false;
    }
}

static bool check_name(EtfDecoder *d) { return check_atom(d, reader_u8(&d->in)); }
static bool check_node(EtfDecoder *d) {
    uint8_t tag = reader_u8(&d->in);
    return (tag == ETF_NIL && d->local_sum != NULL) || check_atom(d, tag);
}

static bool check_identifier(EtfDecoder *d, size_t bytes) {
    d->words += IDENT_MAX_WORDS;
    return check_node(d) && reader_take(&d->in, bytes) != NULL;
}

static bool check_pid(EtfDecoder *d, uint8_t tag) {
    switch (tag) {
    case ETF_PID: return check_identifier(d, 9) && d->in.at[-1] <= ETF_OLD_CREATION_MAX;
    case ETF_NEW_PID: return check_identifier(d, 12);
    default: return false;
    }
}

/* The first, or only, number of a reference of an older form. */
static bool is_old_number(const uint8_t *number) { return bytes_u32(number) <= REF_FIRST_NUMBER_MAX; }

static bool check_old_reference(EtfDecoder *d) {
    return check_identifier(d, 5) && d->in.at[-1] <= ETF_OLD_CREATION_MAX && is_old_number(d->in.at - 5);
}

static bool check_reference(EtfDecoder *d, uint8_t tag) {
    size_t count = reader_u16(&d->in);
    d->words += ref_words(REF_NUMBERS_MAX) + IDENT_MAX_WORDS;
    if (count > REF_NUMBERS_MAX || !check_node(d))
        return false;
    if (tag == ETF_NEW_REFERENCE ? reader_u8(&d->in) > ETF_OLD_CREATION_MAX : reader_take(&d->in, 4) == NULL)
        return false;
    const uint8_t *numbers = reader_take(&d->in, 4 * count);
    return numbers != NULL && (tag != ETF_NEW_REFERENCE || count == 0 || is_old_number(numbers));
}

static bool check_float_text(EtfDecoder *d) {
    const uint8_t *text = reader_take(&d->in, ETF_FLOAT_TEXT_BYTES);
    double value;
    d->words += FLOAT_WORDS;
    return text != NULL && etf_float_text(text, &value);
}

static bool check_float(EtfDecoder *d) {
    double value = float_from_bits(reader_u64(&d->in));
    d->words += FLOAT_WORDS;
    return !d->in.bad && float_is_finite(value);
}

static bool check_big(EtfDecoder *d, size_t bytes) {
    reader_u8(&d->in);
    const uint8_t *magnitude = reader_take(&d->in, bytes);
    if (magnitude == NULL)
        return false;
    d->words += 1 + bytes_to_words(bytes);
    while (bytes > 0 && magnitude[bytes - 1] == 0)
        bytes--;
    return bytes_to_words(bytes) <= integer_max_limbs();
}

static inline size_t binary_words(size_t bytes) {
    return (bytes <= HEAP_BITS_MAX_BYTES ? HEAP_BITS_WORDS(bytes) : BIN_REF_WORDS) + SUB_BITS_WORDS;
}

static bool check_binary(EtfDecoder *d, size_t bytes) {
    d->words += binary_words(bytes);
    return reader_take(&d->in, bytes) != NULL;
}

static bool check_bits(EtfDecoder *d) {
    size_t bytes = reader_u32(&d->in);
    unsigned bits = reader_u8(&d->in);
    if (bits > 8 || (bytes == 0) != (bits == 0))
        return false;
    return check_binary(d, bytes);
}

/* `count` more terms follow; each takes at least a byte. The one that is looked at now is still among the pending. */
static bool expect(EtfDecoder *d, size_t count) {
    size_t left = reader_left(&d->in);
    if (count > left || d->pending - 1 > left - count)
        return false;
    d->pending += count;
    return true;
}

static bool check_list(EtfDecoder *d) {
    size_t count = reader_u32(&d->in);
    d->words += 2 * count;
    return expect(d, count + 1);
}

static bool check_tuple(EtfDecoder *d, size_t count) {
    d->words += 1 + count;
    return expect(d, count);
}

static inline size_t map_words(size_t count) { return 4 * count + 3; }

static bool check_map(EtfDecoder *d) {
    size_t count = reader_u32(&d->in);
    d->words += map_words(count);
    return expect(d, 2 * count);
}

static bool check_integer_field(EtfDecoder *d) {
    switch (reader_u8(&d->in)) {
    case ETF_SMALL_INTEGER: return reader_take(&d->in, 1) != NULL;
    case ETF_INTEGER: return reader_take(&d->in, 4) != NULL;
    default: return false;
    }
}

static bool check_export(EtfDecoder *d) {
    d->words += 2;
    Reader start = d->in;
    if (!check_name(d) || !check_name(d))
        return false;
    const uint8_t *arity_at = d->in.at;
    if (!check_integer_field(d))
        return false;
    Reader arity_field = reader_make(arity_at, (size_t)(d->in.at - arity_at));
    int64_t arity = etf_read_integer(&arity_field);
    if (arity < 0 || !(d->flags & ETF_SAFE))
        return arity >= 0;
    Term module = etf_read_atom(&start, d->atoms, NULL), function = etf_read_atom(&start, d->atoms, NULL);
    Export *found = export_find(module, function, (unsigned)arity);
    return found != NULL && export_is_defined(found);
}

#define FUN_FREE_MAX 255

static bool check_fun(EtfDecoder *d) {
    reader_take(&d->in, 4 + 1 + 16 + 4); /* size, arity, unique, index */
    size_t free_count = reader_u32(&d->in);
    if (free_count > FUN_FREE_MAX)
        return false;
    d->words += FUN_WORDS + FUN_REF_WORDS + free_count;
    return !d->in.bad && check_name(d) && check_integer_field(d) && check_integer_field(d) &&
           check_pid(d, reader_u8(&d->in)) && expect(d, free_count);
}

/* The term that follows takes the place of this one. */
static bool check_local(EtfDecoder *d) {
    if (d->local_sum != NULL || (d->flags & ETF_RECEIVED))
        return false;
    d->local_sum = reader_take(&d->in, ETF_LOCAL_SUM_BYTES);
    d->local_end = d->pending - 1;
    return d->local_sum != NULL && expect(d, 1);
}

static bool local_is_sealed(EtfDecoder *d) {
    Reader sum = reader_make(d->local_sum, ETF_LOCAL_SUM_BYTES);
    const uint8_t *from = d->local_sum + ETF_LOCAL_SUM_BYTES;
    d->local_sum = NULL;
    return etf_local_add(etf_local_start(), from, (size_t)(d->in.at - from)) == reader_u32(&sum);
}

static bool check_one(EtfDecoder *d) {
    Reader *in = &d->in;
    uint8_t tag = reader_u8(in);
    switch (tag) {
    case ETF_SMALL_INTEGER: return reader_take(in, 1) != NULL;
    case ETF_INTEGER: return reader_take(in, 4) != NULL;
    case ETF_FLOAT: return check_float_text(d);
    case ETF_NEW_FLOAT: return check_float(d);
    case ETF_ATOM:
    case ETF_SMALL_ATOM:
    case ETF_ATOM_UTF8:
    case ETF_SMALL_ATOM_UTF8:
    case ETF_ATOM_CACHE_REF: return check_atom(d, tag);
    case ETF_PID:
    case ETF_NEW_PID: return check_pid(d, tag);
    case ETF_PORT: return check_identifier(d, 5) && in->at[-1] <= ETF_OLD_CREATION_MAX;
    case ETF_NEW_PORT: return check_identifier(d, 8);
    case ETF_V4_PORT: return check_identifier(d, 12);
    case ETF_REFERENCE: return check_old_reference(d);
    case ETF_NEW_REFERENCE:
    case ETF_NEWER_REFERENCE: return check_reference(d, tag);
    case ETF_SMALL_TUPLE: return check_tuple(d, reader_u8(in));
    case ETF_LARGE_TUPLE: return check_tuple(d, reader_u32(in));
    case ETF_NIL: return true;
    case ETF_STRING: {
        size_t count = reader_u16(in);
        d->words += 2 * count;
        return reader_take(in, count) != NULL;
    }
    case ETF_LIST: return check_list(d);
    case ETF_BINARY: return check_binary(d, reader_u32(in));
    case ETF_BIT_BINARY: return check_bits(d);
    case ETF_SMALL_BIG: return check_big(d, reader_u8(in));
    case ETF_LARGE_BIG: return check_big(d, reader_u32(in));
    case ETF_MAP: return check_map(d);
    case ETF_EXPORT: return check_export(d);
    case ETF_NEW_FUN: return check_fun(d);
    case ETF_LOCAL_TERM: return check_local(d);
    default: return false;
    }
}

/* How many of `most` terms are integers of this tag, each so many bytes, up to `end`. */
static inline size_t integers_of(uint8_t tag, size_t bytes, const uint8_t *p, const uint8_t *end, size_t most) {
    size_t room = (size_t)(end - p) / bytes, count = 0;
    if (most > room)
        most = room;
    while (count < most && p[count * bytes] == tag)
        count++;
    return count;
}

/* The bytes of a term that check_one would let through, adding the words it takes, and how many it contains; 0 if it is
 * one that needs more looking at. There are `room` bytes, PLAIN_HEAD at least: none says its length in more. */
static inline size_t plain_bytes(const EtfDecoder *d, const uint8_t *p, size_t room, size_t *words, size_t *contained) {
    size_t count;
    switch (*p) {
    case ETF_NIL: return 1;
    case ETF_ATOM_CACHE_REF: return p[1] < d->atom_count ? 2 : 0;
    case ETF_SMALL_ATOM_UTF8: count = p[1]; return 2 + count <= room && utf8_is_ascii(p + 2, count) ? 2 + count : 0;
    case ETF_NEW_FLOAT:
        *words += FLOAT_WORDS;
        return room >= 9 && float_is_finite(float_from_bits(bytes_u64(p + 1))) ? 9 : 0;
    case ETF_ATOM: count = bytes_u16(p + 1); return count <= ATOM_MAX_CHARACTERS ? 3 + count : 0;
    case ETF_STRING:
        count = bytes_u16(p + 1);
        *words += 2 * count;
        return 3 + count;
    case ETF_BINARY:
        count = bytes_u32(p + 1);
        *words += binary_words(count);
        return 5 + count;
    case ETF_SMALL_TUPLE:
        *contained = p[1];
        *words += 1 + *contained;
        return 2;
    case ETF_LIST:
        *contained = (size_t)bytes_u32(p + 1) + 1;
        *words += 2 * (*contained - 1);
        return 5;
    case ETF_MAP:
        count = bytes_u32(p + 1);
        *contained = 2 * count;
        *words += map_words(count);
        return 5;
    default: return 0;
    }
}

/* Is it a name, and of no atom? */
static inline bool is_unknown_name(const uint8_t *p, size_t bytes) {
    return (*p == ETF_ATOM && !is_value(atom_find_latin1(p + 3, bytes - 3))) ||
           (*p == ETF_SMALL_ATOM_UTF8 && !is_value(atom_find(p + 2, bytes - 2)));
}

/* What most terms are made of, with what the decoder knows kept in registers. Ends before the first that is another, or
 * not whole, or at the end of the input: check_one has the word. */
static void check_plain(EtfDecoder *d, int64_t *work) {
    const uint8_t *p = d->in.at, *end = d->in.end;
    size_t pending = d->pending, left = *work < 0 ? 0 : (size_t)*work;
    bool is_safe = d->flags & ETF_SAFE;
    while (pending > 0 && left > 0 && end - p >= PLAIN_HEAD) {
        if (*p == ETF_SMALL_INTEGER || *p == ETF_INTEGER) {
            size_t most = pending < left ? pending : left, small = integers_of(ETF_SMALL_INTEGER, 2, p, end, most);
            p += 2 * small;
            size_t large = integers_of(ETF_INTEGER, 5, p, end, most - small);
            p += 5 * large;
            pending -= small + large;
            left -= small + large;
            continue;
        }
        size_t room = (size_t)(end - p), words = d->words, contained = 0;
        size_t bytes = plain_bytes(d, p, room, &words, &contained);
        if (bytes == 0 || bytes > room || contained > room - bytes || pending - 1 > room - bytes - contained)
            break;
        if (is_safe && is_unknown_name(p, bytes))
            break;
        d->words = words;
        p += bytes;
        pending += contained - 1;
        size_t cost = 1 + bytes / BYTES_PER_WORK;
        left -= cost < left ? cost : left;
    }
    if (*work > 0)
        *work = (int64_t)left;
    d->in.at = p;
    d->pending = pending;
}

EtfStatus etf_decoder_check(EtfDecoder *d, int64_t *work) {
    if (!d->is_open)
        etf_decoder_open(d);
    if (d->is_bad)
        return ETF_BAD;
    for (;;) {
        if (d->local_sum == NULL) /* of which the end must be seen */
            check_plain(d, work);
        if (d->pending == 0)
            break;
        if (*work <= 0)
            return ETF_MORE;
        const uint8_t *start = d->in.at;
        if (!check_one(d) || d->in.bad)
            return ETF_BAD;
        d->pending--;
        if (d->local_sum != NULL && d->pending == d->local_end && !local_is_sealed(d))
            return ETF_BAD;
        *work -= 1 + (d->in.at - start) / BYTES_PER_WORK;
    }
    if (d->inflated == NULL)
        d->used = (size_t)(d->in.at - d->input);
    d->end = d->in.at;
    d->in = reader_make(d->terms, (size_t)(d->end - d->terms));
    return ETF_DONE;
}
