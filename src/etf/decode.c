/*
 * The second pass: builds what the first one found to be well-formed. What most terms are made of is read row by row
 * (decode_rows.c); here is the rest, and what is done with a frame that is full (decode_frames.h).
 */
#include "etf/decode_frames.h"

#include "alloc/alloc.h"
#include "code/export.h"
#include "etf/decode_parts.h"
#include "etf/local.h"
#include "etf/tags.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/node.h"

/* Frees what the frames own, and fills the places that they keep open. */
static void drop_frames(EtfDecoder *d) {
    while (d->frame_count > 0) {
        EtfFrame *f = &d->frames[--d->frame_count];
        while (f->remaining > 0)
            *frame_take_place(f) = NIL;
        if (f->kind == FRAME_LARGE) {
            *f->at = NIL;
            mem_free(ALLOC_TEMP, f->extra);
        }
    }
}

static Term read_big(EtfDecoder *d, size_t bytes) {
    bool negative = reader_u8(&d->in) != 0;
    return integer_from_bytes(&d->local, reader_take(&d->in, bytes), bytes, true, negative);
}

/* Most of the bytes that are shared, so that little is kept for nothing. */
static bool is_shared(const EtfDecoder *d, size_t bytes) {
    return d->owner != NULL && d->inflated == NULL && bytes >= ETF_SHARED_BYTES && bytes <= ETF_SHARED_MAX &&
           bytes >= d->owner->size - d->owner->size / 4;
}

static Term read_binary(EtfDecoder *d) {
    size_t bytes = reader_u32(&d->in);
    const uint8_t *from = reader_take(&d->in, bytes);
    if (likely(!is_shared(d, bytes)))
        return binary_from_bytes(&d->local, from, bytes);
    size_t offset = (size_t)(from - d->owner->bytes);
    refc_binary_retain(d->owner);
    return bits_sub(&d->local, binary_from_refc(&d->local, d->owner, offset + bytes), 8 * offset, 8 * bytes);
}

static Term read_bits(EtfDecoder *d) {
    size_t bytes = reader_u32(&d->in);
    unsigned last = reader_u8(&d->in);
    BitsView view = {.bytes = reader_take(&d->in, bytes), .bit_size = bytes == 0 ? 0 : 8 * (bytes - 1) + last};
    return bits_from_view(&d->local, &view);
}

static Term read_pid(EtfDecoder *d, bool *full) {
    bool old = reader_u8(&d->in) == ETF_PID;
    Term node = etf_read_node(&d->in, d->atoms, full);
    uint32_t number = reader_u32(&d->in), serial = reader_u32(&d->in);
    uint32_t creation = old ? reader_u8(&d->in) : reader_u32(&d->in);
    return is_value(node) ? ident_pid(&d->local, node, creation, number, serial) : NON_VALUE;
}

static Term read_port(EtfDecoder *d, uint8_t tag, bool *full) {
    Term node = etf_read_node(&d->in, d->atoms, full);
    uint64_t id = tag == ETF_V4_PORT ? reader_u64(&d->in) : reader_u32(&d->in);
    uint32_t creation = tag == ETF_PORT ? reader_u8(&d->in) : reader_u32(&d->in);
    return is_value(node) ? ident_port(&d->local, node, creation, id) : NON_VALUE;
}

static Term read_reference(EtfDecoder *d, uint8_t tag, bool *full) {
    uint32_t numbers[REF_NUMBERS_MAX], creation = 0;
    unsigned count = tag == ETF_REFERENCE ? 1 : reader_u16(&d->in);
    Term node = etf_read_node(&d->in, d->atoms, full);
    if (tag == ETF_NEWER_REFERENCE)
        creation = reader_u32(&d->in);
    else if (tag == ETF_NEW_REFERENCE)
        creation = reader_u8(&d->in);
    for (unsigned i = 0; i < count; i++)
        numbers[i] = reader_u32(&d->in);
    if (tag == ETF_REFERENCE)
        creation = reader_u8(&d->in);
    return is_value(node) ? ident_ref(&d->local, node, creation, numbers, count) : NON_VALUE;
}

static Term read_export(EtfDecoder *d, bool *full) {
    Term module = etf_read_atom(&d->in, d->atoms, full), function = etf_read_atom(&d->in, d->atoms, full);
    unsigned arity = (unsigned)etf_read_integer(&d->in);
    if (!is_value(module) || !is_value(function))
        return NON_VALUE;
    ExportFun *fun = (ExportFun *)area_alloc(&d->local, 2);
    fun->header = header_make(KIND_EXPORT_FUN, 1);
    fun->export = export_put(module, function, arity);
    return boxed_make(fun);
}

static Term read_fun(EtfDecoder *d, bool *full) {
    reader_u32(&d->in); /* size */
    unsigned arity = reader_u8(&d->in);
    const uint8_t *uniq = reader_take(&d->in, 16);
    uint32_t index = reader_u32(&d->in), free_count = reader_u32(&d->in);
    Term module = etf_read_atom(&d->in, d->atoms, full);
    uint32_t old_index = (uint32_t)etf_read_integer(&d->in), old_uniq = (uint32_t)etf_read_integer(&d->in);
    Term creator = read_pid(d, full);
    if (!is_value(module) || !is_value(creator))
        return NON_VALUE;
    Fun *fun = (Fun *)area_alloc(&d->local, FUN_WORDS + free_count);
    fun->header = header_make(KIND_FUN, FUN_WORDS - 1 + free_count);
    fun->entry = fun_entry_put(module, old_uniq, old_index, uniq, index, arity);
    fun->ref = fun_ref_make(&d->local, fun->entry);
    fun->creator = creator;
    frame_push(d, FRAME_RUN, free_count, fun->env, NULL);
    return boxed_make(fun);
}

static Term read_large_tuple(EtfDecoder *d) {
    size_t count = reader_u32(&d->in);
    Term *p = area_alloc(&d->local, 1 + count);
    p[0] = header_make(KIND_TUPLE, count);
    frame_push(d, FRAME_RUN, count, p + 1, NULL);
    return boxed_make(p);
}

/* The place holds the number of pairs until the map is there. */
static Term read_large_map(EtfDecoder *d, Term *place) {
    size_t count = reader_u32(&d->in);
    frame_push(d, FRAME_LARGE, 2 * count, place, mem_alloc(ALLOC_TEMP, 2 * count * sizeof(Term)));
    return small_make((SWord)count);
}

/* A list of no element, which is its tail, and a term in local form: what follows these bytes takes the place. */
static Term read_what_follows(EtfDecoder *d, Term *place, size_t bytes) {
    reader_take(&d->in, bytes);
    frame_push(d, FRAME_RUN, 1, place, NULL);
    return NIL;
}

static double read_float_text(EtfDecoder *d) {
    double value = 0;
    etf_float_text(reader_take(&d->in, ETF_FLOAT_TEXT_BYTES), &value);
    return value;
}

/* The next term, which is none of those that are read by rows; what it contains is left to the frame that it pushes.
 * NON_VALUE when it cannot be built. */
static Term read_one(EtfDecoder *d, Term *place, bool *full) {
    Reader *in = &d->in;
    const uint8_t *start = in->at;
    uint8_t tag = reader_u8(in);
    switch (tag) {
    case ETF_FLOAT: return float_make(&d->local, read_float_text(d));
    case ETF_ATOM:
    case ETF_SMALL_ATOM:
    case ETF_ATOM_UTF8:
    case ETF_SMALL_ATOM_UTF8:
    case ETF_ATOM_CACHE_REF: in->at = start; return etf_read_atom(in, d->atoms, full);
    case ETF_PID:
    case ETF_NEW_PID: in->at = start; return read_pid(d, full);
    case ETF_PORT:
    case ETF_NEW_PORT:
    case ETF_V4_PORT: return read_port(d, tag, full);
    case ETF_REFERENCE:
    case ETF_NEW_REFERENCE:
    case ETF_NEWER_REFERENCE: return read_reference(d, tag, full);
    case ETF_LARGE_TUPLE: return read_large_tuple(d);
    case ETF_LIST: return read_what_follows(d, place, sizeof(uint32_t));
    case ETF_BINARY: return read_binary(d);
    case ETF_BIT_BINARY: return read_bits(d);
    case ETF_SMALL_BIG: return read_big(d, reader_u8(in));
    case ETF_LARGE_BIG: return read_big(d, reader_u32(in));
    case ETF_MAP: return read_large_map(d, place);
    case ETF_EXPORT: return read_export(d, full);
    case ETF_LOCAL_TERM: return read_what_follows(d, place, ETF_LOCAL_SUM_BYTES);
    default: return read_fun(d, full); /* ETF_NEW_FUN: the check let nothing else through */
    }
}

/* The builders get an area of their own over the reserved words, so that nothing needs to be asked for twice; what goes
 * beyond them (large maps) comes from the area behind. */
static Term *local_overflow(Area *area, size_t words) {
    EtfDecoder *d = container_of(area, EtfDecoder, local);
    return area_alloc(d->area, words);
}

static void begin_build(EtfDecoder *d, Area *area) {
    d->area = area;
    d->local = (Area){.overflow = local_overflow};
    if (d->words > 0) {
        d->local.top = area_alloc(area, d->words);
        d->local.limit = d->local.top + d->words;
    }
    d->reserved_end = d->local.limit;
    frame_push(d, FRAME_RUN, 1, &d->result, NULL);
}

static void end_build(EtfDecoder *d) {
    drop_frames(d);
    for (OffHeap *object = d->local.off_heap, *next; object != NULL; object = next) {
        next = object->next;
        area_link_off_heap(d->area, object, 0);
    }
    d->area->off_heap_bytes += d->local.off_heap_bytes;
    d->local.off_heap = NULL;
    d->local.off_heap_bytes = 0;
    area_give_back(d->area, d->local.top, d->reserved_end);
    d->local.top = d->local.limit = d->reserved_end = NULL;
}

EtfStatus etf_decoder_build(EtfDecoder *d, Area *area, int64_t *work) {
    bool full = false;
    if (d->area == NULL)
        begin_build(d, area);
    while (d->frame_count > 0) {
        if (!etf_read_rows(d, work)) {
            end_build(d);
            return ETF_BAD;
        }
        if (d->frame_count == 0)
            break;
        if ((*work)-- <= 0)
            return ETF_MORE;
        Term *place = frame_take_place(&d->frames[d->frame_count - 1]);
        *place = NIL; /* a whole object, whatever happens next */
        frame_drop_filled(d); /* before what is pushed: so nesting to the right takes no room */
        Term t = read_one(d, place, &full);
        if (!is_value(t)) {
            end_build(d);
            return full ? ETF_SYSTEM_LIMIT : ETF_BAD;
        }
        *place = t;
    }
    end_build(d);
    return ETF_DONE;
}

void etf_decoder_rebase(EtfDecoder *d, const uint8_t *bytes) {
    ptrdiff_t moved = bytes - d->input;
    d->input = bytes;
    if (d->inflated != NULL)
        return;
    d->in.at += moved;
    d->in.end += moved;
    d->terms += moved;
    d->end += moved;
    if (d->local_sum != NULL)
        d->local_sum += moved;
}

void etf_decoder_release(EtfDecoder *d) {
    if (d->frame_count > 0)
        end_build(d);
    if (d->frames != d->fixed)
        mem_free(ALLOC_TEMP, d->frames);
    mem_free(ALLOC_TEMP, d->inflated);
    d->inflated = NULL;
    d->frames = d->fixed;
}

EtfStatus etf_decode(const uint8_t *bytes, size_t size, unsigned flags, Area *area, Term *result, size_t *used) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    etf_decoder_init(&d, bytes, size, flags);
    EtfStatus status = etf_decoder_check(&d, &work);
    if (status == ETF_DONE)
        status = etf_decoder_build(&d, area, &work);
    if (used != NULL)
        *used = d.used;
    *result = d.result;
    etf_decoder_release(&d);
    return status;
}
