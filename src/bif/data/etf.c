/*
 * term_to_binary and binary_to_term. Source: erlang(3).
 *
 * What is too much for the rest of a time slice goes on in a state object behind a magic reference: the function traps
 * to a continuation with that reference and what must live in the meantime (the terms still to be encoded; the input
 * binary). An interrupted decoder builds in fragments of its own, which join the heap at the end.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/export.h"
#include "etf/encode.h"
#include "heap/heap.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/stock_word.h"

#define WORK_PER_REDUCTION 16
#define DIRECT_BYTES_MAX 32768 /* smaller input is decoded at once */

/* What the process may still do in this slice; pay() takes off what was done of it. */
static int64_t budget(const Process *p) { return (p->reductions > 100 ? p->reductions : 100) * WORK_PER_REDUCTION; }
static void pay(Process *p, int64_t before, int64_t after) { process_bump(p, (before - after) / WORK_PER_REDUCTION); }

/* Encoding */

typedef enum { TO_BINARY, TO_IOVEC, TO_SIZE } EncodeKind;
typedef struct {
    EncodeKind kind;
    unsigned minor, level;
    unsigned flags;
    bool compress;
} EncodeOptions;
typedef struct {
    EtfEncoder encoder;
    EncodeOptions options;
} EncodeState;

static bool encode_state_release(RefcBinary *binary) {
    etf_encoder_release(&((EncodeState *)binary->bytes)->encoder);
    return true;
}

/* A size does not say which bytes those are: it is of terms that are not compressed. */
static bool takes_all_options(const EncodeOptions *o) {
    return o->kind != TO_SIZE || release_has(RELEASE_SIZES_WITH_OPTIONS);
}

/* The stock runtime looks at the low half of a small. */
static bool take_level(EncodeOptions *o, Term value) {
    int32_t level = is_stock_small(value) ? (int32_t)small_value(value) : -1;
    o->compress = level != 0 && o->kind != TO_SIZE;
    o->level = (unsigned)level;
    return level >= 0 && level <= 9;
}

static bool take_pair_option(EncodeOptions *o, Term name, Term value) {
    SWord v = is_small(value) ? small_value(value) : -1;
    if (name == am_minor_version) {
        o->minor = (unsigned)v;
        return v >= 0 && v <= (takes_all_options(o) ? ETF_MINOR_MAX : 1);
    }
    return name == am_compressed && takes_all_options(o) && take_level(o, value);
}

static bool take_encode_options(EncodeOptions *o, Term list) {
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (is_tuple_arity(option, 2)) {
            if (!take_pair_option(o, tuple_elements(option)[0], tuple_elements(option)[1]))
                return false;
        } else if (option == am_compressed && takes_all_options(o)) {
            o->compress = o->kind != TO_SIZE;
            o->level = 6;
        } else if (option == am_deterministic && takes_all_options(o)) {
            o->flags |= ETF_DETERMINISTIC;
        } else if (option == am_local && release_has(RELEASE_LOCAL_TERMS)) {
            o->flags |= ETF_LOCAL;
        } else {
            return false;
        }
    }
    return is_nil(list) && o->flags != (ETF_DETERMINISTIC | ETF_LOCAL);
}

/* With `compressed`, term_to_iovec gives one binary that is not in a list: so does OTP 25. */
static Term encode_result(Process *p, EtfEncoder *e, const EncodeOptions *o) {
    Area *area = process_area(p);
    Term result;
    if (o->compress) {
        LONG_WORK_OPEN;
        process_bump(p, (int64_t)etf_encoder_total(e) / 256);
        etf_encoder_compress(e, o->level);
    }
    if (o->kind == TO_SIZE)
        result = integer_from_uint64(area, etf_encoder_total(e));
    else if (e->mode == ETF_PIECES)
        result = etf_encoder_pieces(e, area);
    else
        result = etf_encoder_binary(e, area);
    etf_encoder_release(e);
    return result;
}

static Term encode_failed(Process *p, EtfEncoder *e) {
    etf_encoder_release(e);
    return fail_system_limit(p);
}

/* Nobody waits for it meanwhile. */
static EtfStatus encode_on(Process *p, EtfEncoder *e) {
    LONG_WORK_OPEN;
    int64_t work = budget(p), before = work;
    EtfStatus status = etf_encoder_run(e, process_area(p), &work);
    pay(p, before, work);
    return status;
}

/* `call`: the list of the arguments. */
static Term encode_later(Process *p, EtfEncoder *e, Term state, Term call) {
    Term arguments[3] = {state, etf_encoder_suspend(e, process_area(p)), call};
    return bif_yield(p, export_internal(am_erts_internal, am_etf_encode_continue, 3), 3, arguments);
}

/* With an encoder that has begun, or is to begin. */
static Term encode(Process *p, EtfEncoder *e, const Term *a, unsigned arity, const EncodeOptions *o) {
    EtfStatus status = encode_on(p, e);
    if (status == ETF_DONE)
        return encode_result(p, e, o);
    if (unlikely(status == ETF_SYSTEM_LIMIT))
        return encode_failed(p, e);
    EncodeState *s;
    Term state = native_new(p, sizeof *s, encode_state_release, (void **)&s);
    etf_encoder_move(&s->encoder, e);
    s->options = *o;
    return encode_later(p, &s->encoder, state, area_list(process_area(p), a, arity));
}

static Term encode_step(Process *p, EncodeState *s, const Term *a) {
    etf_encoder_resume(&s->encoder, a[1]);
    EtfStatus status = encode_on(p, &s->encoder);
    if (status == ETF_DONE)
        return encode_result(p, &s->encoder, &s->options);
    return status == ETF_SYSTEM_LIMIT ? encode_failed(p, &s->encoder) : encode_later(p, &s->encoder, a[0], a[2]);
}

static const Term encoding[] = {
    [TO_BINARY] = am_term_to_binary, [TO_IOVEC] = am_term_to_iovec, [TO_SIZE] = am_external_size};

Term erts_internal_etf_encode_continue_3(Process *p, const Term *a) {
    EncodeState *s = native_object(a[0], encode_state_release);
    if (s == NULL || !is_tuple(a[1]) || !is_list(a[2]))
        return fail_badarg(p);
    return bif_result_for(p, encode_step(p, s, a), am_erlang, encoding[s->options.kind], a[2]);
}

static Term encode_with(Process *p, EncodeKind kind, const Term *a, unsigned arity) {
    EncodeOptions o = {.kind = kind, .minor = ETF_MINOR_DEFAULT};
    if (!take_encode_options(&o, arity == 2 ? a[1] : NIL))
        return fail_badarg(p);
    EtfEncoder e;
    EtfMode mode = kind == TO_SIZE ? ETF_COUNT : kind == TO_IOVEC && !o.compress ? ETF_PIECES : ETF_WRITE;
    etf_encoder_init(&e, a[0], mode, o.minor, o.flags);
    return encode(p, &e, a, arity, &o);
}

Term erlang_term_to_binary_1(Process *p, const Term *a) { return encode_with(p, TO_BINARY, a, 1); }
Term erlang_term_to_binary_2(Process *p, const Term *a) { return encode_with(p, TO_BINARY, a, 2); }
Term erlang_term_to_iovec_1(Process *p, const Term *a) { return encode_with(p, TO_IOVEC, a, 1); }
Term erlang_term_to_iovec_2(Process *p, const Term *a) { return encode_with(p, TO_IOVEC, a, 2); }
/* Most terms are small, and take no long work. */
#define WORK_OF_SMALL 1000

Term erlang_external_size_1(Process *p, const Term *a) {
    EncodeOptions o = {.kind = TO_SIZE, .minor = ETF_MINOR_DEFAULT};
    EtfEncoder e;
    int64_t work = WORK_OF_SMALL;
    size_t bytes;
    bool is_done = etf_encoder_init_count(&e, a[0], o.minor, &work, &bytes);
    pay(p, WORK_OF_SMALL, work);
    return is_done ? integer_from_uint64(process_area(p), bytes) : encode(p, &e, a, 1, &o);
}

Term erlang_external_size_2(Process *p, const Term *a) { return encode_with(p, TO_SIZE, a, 2); }

/* Decoding */

typedef struct {
    EtfDecoder decoder;
    FragmentArea fragments;
    uint8_t *copy; /* of an input that is not aligned to bytes */
    bool used, checked, finished;
} DecodeState;

static bool decode_state_release(RefcBinary *binary) {
    DecodeState *s = (DecodeState *)binary->bytes;
    if (!s->finished) {
        etf_decoder_release(&s->decoder);
        fragment_area_drop(&s->fragments);
    }
    mem_free(ALLOC_TEMP, s->copy);
    return true;
}

static Term decode_failed(Process *p, EtfStatus status) {
    return status == ETF_SYSTEM_LIMIT ? fail_system_limit(p) : fail_badarg(p);
}

static Term decode_result(Process *p, EtfDecoder *d, bool used) {
    Term result = d->result;
    return used ? area_tuple2(process_area(p), result, small_make((SWord)d->used)) : result;
}

static EtfStatus build(DecodeState *s, int64_t *work) {
    LONG_WORK_OPEN;
    return etf_decoder_build(&s->decoder, &s->fragments.area, work);
}

/* `call`: the list of the arguments, of which the first is the binary. */
static Term decode_step(Process *p, DecodeState *s, Term state, Term call) {
    int64_t work = budget(p), before = work;
    EtfStatus status = ETF_DONE;
    if (!s->checked) {
        status = etf_decoder_check(&s->decoder, &work);
        s->checked = status == ETF_DONE;
    }
    if (status == ETF_DONE)
        status = build(s, &work);
    pay(p, before, work);
    if (status == ETF_MORE) {
        Term arguments[2] = {state, call};
        return bif_yield(p, export_internal(am_erts_internal, am_etf_decode_continue, 2), 2, arguments);
    }
    s->finished = true;
    etf_decoder_release(&s->decoder);
    heap_adopt_fragments(&p->heap, fragment_area_finish(&s->fragments));
    return status == ETF_DONE ? decode_result(p, &s->decoder, s->used) : decode_failed(p, status);
}

Term erts_internal_etf_decode_continue_2(Process *p, const Term *a) {
    DecodeState *s = native_object(a[0], decode_state_release);
    if (s == NULL || !is_list(a[1]))
        return fail_badarg(p);
    if (s->copy == NULL) {
        size_t size;
        uint8_t *copy;
        etf_decoder_rebase(&s->decoder, binary_bytes(list_head(a[1]), &size, &copy));
    }
    return bif_result_for(p, decode_step(p, s, a[0], a[1]), am_erlang, am_binary_to_term, a[1]);
}

/* Its bytes, which are copied where they are not aligned to bytes (*copy). */
static const uint8_t *input_bytes(Term binary, size_t *size, uint8_t **copy) {
    LONG_WORK_OPEN;
    return binary_bytes(binary, size, copy);
}

static void open_input(EtfDecoder *d) {
    LONG_WORK_OPEN;
    etf_decoder_open(d);
}

static Term decode_at_once(Process *p, const uint8_t *bytes, size_t size, unsigned flags, bool used) {
    EtfDecoder d;
    int64_t work = INT64_MAX;
    etf_decoder_init(&d, bytes, size, flags);
    EtfStatus status = etf_decoder_check(&d, &work);
    if (status == ETF_DONE)
        status = etf_decoder_build(&d, process_area(p), &work);
    pay(p, INT64_MAX, work);
    Term result = status == ETF_DONE ? decode_result(p, &d, used) : decode_failed(p, status);
    etf_decoder_release(&d);
    return result;
}

/* The call's arguments are `binary` and `options`, a list in front of NIL, or NIL. */
static Term decode(Process *p, Term binary, Term options, unsigned flags, bool used) {
    if (!is_binary(binary))
        return fail_badarg(p);
    size_t size;
    uint8_t *copy;
    const uint8_t *bytes = input_bytes(binary, &size, &copy);
    if (size <= DIRECT_BYTES_MAX && !etf_is_compressed(bytes, size)) {
        Term result = decode_at_once(p, bytes, size, flags, used);
        mem_free(ALLOC_TEMP, copy);
        return result;
    }
    DecodeState *s;
    Term state = native_new(p, sizeof *s, decode_state_release, (void **)&s);
    s->copy = copy;
    s->used = used;
    etf_decoder_init(&s->decoder, bytes, size, flags);
    open_input(&s->decoder);
    fragment_area_init(&s->fragments, 0);
    return decode_step(p, s, state, area_cons(process_area(p), binary, options));
}

Term erlang_binary_to_term_1(Process *p, const Term *a) { return decode(p, a[0], NIL, 0, false); }

Term erlang_binary_to_term_2(Process *p, const Term *a) {
    unsigned flags = 0;
    bool used = false;
    Term list = a[1];
    for (; is_list(list); list = list_tail(list)) {
        if (list_head(list) == am_safe)
            flags |= ETF_SAFE;
        else if (list_head(list) == am_used)
            used = true;
        else
            return fail_badarg_cause(p, am_badopt);
    }
    if (!is_nil(list))
        return fail_badarg_cause(p, am_badopt);
    return decode(p, a[0], area_cons(process_area(p), a[1], NIL), flags, used);
}
