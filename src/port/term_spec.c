#include "port/term_spec.h"

#include "base/estack.h"
#include "etf/decode.h"
#include "port/io_vector.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/integer.h"
#include "term/iolist.h"
#include "term/map.h"

typedef struct {
    const ErlDrvTermData *at, *end;
    Area *area;
    EStack *done; /* terms that nothing is made of yet */
} Builder;

/* Each takes its values, and puts what it makes in the place of what that is made of. False: it can not. */
typedef bool Build(Builder *b, const ErlDrvTermData *values);

static bool put(Builder *b, Term t) {
    estack_push(b->done, t);
    return is_value(t);
}

static bool has(const Builder *b, size_t count) { return estack_count(b->done) >= count; }

/* Counts are ints. */
static bool is_count(ErlDrvTermData n) { return n <= INT32_MAX; }

static bool nil(Builder *b, const ErlDrvTermData *v) { return put(b, NIL); }
static bool atom(Builder *b, const ErlDrvTermData *v) { return is_atom(v[0]) && put(b, v[0]); }
static bool port(Builder *b, const ErlDrvTermData *v) { return is_local_port(v[0]) && put(b, v[0]); }
static bool pid(Builder *b, const ErlDrvTermData *v) { return is_local_pid(v[0]) && put(b, v[0]); }
static bool int64(Builder *b, int64_t n) { return put(b, integer_from_int64(b->area, n)); }
static bool uint64(Builder *b, uint64_t n) { return put(b, integer_from_uint64(b->area, n)); }
static bool signed_value(Builder *b, const ErlDrvTermData *v) { return int64(b, (int64_t)v[0]); }
static bool unsigned_value(Builder *b, const ErlDrvTermData *v) { return uint64(b, v[0]); }
static bool int64_at(Builder *b, const ErlDrvTermData *v) { return int64(b, *(const int64_t *)v[0]); }
static bool uint64_at(Builder *b, const ErlDrvTermData *v) { return uint64(b, *(const uint64_t *)v[0]); }

static bool float_at(Builder *b, const ErlDrvTermData *v) {
    double d = *(const double *)v[0];
    return float_is_finite(d) && put(b, float_make(b->area, d));
}

static Term shared(Area *area, RefcBinary *binary, size_t offset, size_t size) {
    refc_binary_retain(binary);
    return bits_sub(area, binary_from_refc(area, binary, offset + size), 8 * offset, 8 * size);
}

static bool binary(Builder *b, const ErlDrvTermData *v) {
    ErlDrvBinary *from = (ErlDrvBinary *)v[0];
    size_t size = v[1], offset = v[2];
    if (from == NULL || offset > (size_t)from->orig_size || size > (size_t)from->orig_size - offset)
        return false;
    if (size <= HEAP_BITS_MAX_BYTES)
        return put(b, binary_from_bytes(b->area, from->orig_bytes + offset, size));
    return put(b, shared(b->area, driver_refc(from), offset, size));
}

/* Are there so many bytes? */
static bool are_bytes(const ErlDrvTermData *v) { return is_count(v[1]) && (v[0] != 0 || v[1] == 0); }

static bool copied_binary(Builder *b, const ErlDrvTermData *v) {
    return (v[0] != 0 || v[1] == 0) && put(b, binary_from_bytes(b->area, (const void *)v[0], v[1]));
}

static bool string(Builder *b, const ErlDrvTermData *v) {
    return are_bytes(v) && put(b, list_from_bytes(b->area, (const void *)v[0], v[1], NIL));
}

static bool string_before(Builder *b, const ErlDrvTermData *v) {
    if (!are_bytes(v) || !has(b, 1))
        return false;
    Term tail = estack_pop(b->done);
    return put(b, list_from_bytes(b->area, (const void *)v[0], v[1], tail));
}

static bool external(Builder *b, const ErlDrvTermData *v) {
    Term t;
    bool is_good = are_bytes(v) && etf_decode((const void *)v[0], v[1], 0, b->area, &t, NULL) == ETF_DONE;
    return is_good && put(b, t);
}

static bool tuple(Builder *b, const ErlDrvTermData *v) {
    if (!is_count(v[0]) || !has(b, v[0]))
        return false;
    const Term *elements = estack_drop(b->done, v[0]);
    return put(b, area_tuple(b->area, elements, v[0]));
}

/* The last element is the tail. */
static bool list(Builder *b, const ErlDrvTermData *v) {
    if (!is_count(v[0]) || v[0] == 0 || !has(b, v[0]))
        return false;
    const Term *elements = estack_drop(b->done, v[0]);
    Term list = elements[v[0] - 1];
    for (size_t i = v[0] - 1; i-- > 0;)
        list = area_cons(b->area, elements[i], list);
    return put(b, list);
}

/* Each key once. */
static bool map(Builder *b, const ErlDrvTermData *v) {
    if (!is_count(v[0]) || !has(b, 2 * v[0]))
        return false;
    const Term *pairs = estack_drop(b->done, 2 * v[0]);
    Term map = map_from_pairs(b->area, pairs, v[0]);
    return map_size(map) == v[0] && put(b, map);
}

static const struct {
    Build *build;
    size_t values;
} tags[] = {
    [ERL_DRV_NIL] = {nil, 0},
    [ERL_DRV_ATOM] = {atom, 1},
    [ERL_DRV_INT] = {signed_value, 1},
    [ERL_DRV_PORT] = {port, 1},
    [ERL_DRV_BINARY] = {binary, 3},
    [ERL_DRV_STRING] = {string, 2},
    [ERL_DRV_TUPLE] = {tuple, 1},
    [ERL_DRV_LIST] = {list, 1},
    [ERL_DRV_STRING_CONS] = {string_before, 2},
    [ERL_DRV_PID] = {pid, 1},
    [ERL_DRV_FLOAT] = {float_at, 1},
    [ERL_DRV_EXT2TERM] = {external, 2},
    [ERL_DRV_UINT] = {unsigned_value, 1},
    [ERL_DRV_BUF2BINARY] = {copied_binary, 2},
    [ERL_DRV_INT64] = {int64_at, 1},
    [ERL_DRV_UINT64] = {uint64_at, 1},
    [ERL_DRV_MAP] = {map, 1},
};

static bool next(Builder *b) {
    ErlDrvTermData tag = *b->at++;
    if (tag >= array_length(tags) || tags[tag].build == NULL || (size_t)(b->end - b->at) < tags[tag].values)
        return false;
    const ErlDrvTermData *values = b->at;
    b->at += tags[tag].values;
    return tags[tag].build(b, values);
}

bool term_spec_build(const ErlDrvTermData *spec, size_t length, Area *area, Term *result) {
    ESTACK(done);
    Builder b = {spec, spec + length, area, &done};
    while (b.at < b.end)
        if (!next(&b))
            return false;
    if (estack_count(&done) != 1)
        return false;
    *result = estack_pop(&done);
    return true;
}
