/*
 * Module unicode. Source: unicode(3), and what the stock runtime answers.
 *
 * Both conversions first make UTF-8 in a buffer; characters_to_list/2 decodes that at the end. What cannot be converted
 * is returned as `Rest`, the part of the input that was not read: so a walker is kept that remembers the tail of each
 * list it is in. A binary may end within a character that the next binary goes on with: those bytes are `held`. When
 * the slice is over, buffer and held bytes wait in an object behind a magic reference, and the continuation gets what
 * comes next and the tails.
 * Encodings other than Latin-1 and UTF-8 are the business of the module's own Erlang code.
 */
#include "base/unicode.h"
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/estack.h"
#include "bif/argument.h"
#include "bif/loop_limit.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/export.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

#include <string.h>

#define WORK_PER_REDUCTION 16 /* a character, or 16 bytes of a binary */
#define BYTES_PER_WORK 16

typedef struct {
    RefcBinary *out; /* size is the capacity */
    size_t used;
    bool latin1, to_list;
    uint8_t held[UTF8_MAX_BYTES];
    unsigned held_count;
} Conversion;

static bool conversion_release(RefcBinary *binary) {
    Conversion *c = (Conversion *)binary->bytes;
    if (c->out != NULL)
        refc_binary_release(c->out);
    return true;
}

static uint8_t *room(Conversion *c, size_t bytes) {
    if (c->out == NULL)
        c->out = refc_binary_create(bytes + 256);
    else if (c->out->size - c->used < bytes)
        c->out = refc_binary_resize(c->out, 2 * (c->used + bytes));
    return c->out->bytes + c->used;
}

static void put_character(Conversion *c, uint32_t character) {
    c->used += utf8_encode(character, room(c, UTF8_MAX_BYTES));
}

typedef enum { STEP_OK, STEP_END, STEP_ERROR, STEP_BADARG, STEP_MORE } Step;

/* Bytes that a first byte announces; 0: it cannot be one. */
static unsigned announced(uint8_t first) {
    if (first < 0x80)
        return 1;
    if ((first & 0xe0) == 0xc0)
        return 2;
    if ((first & 0xf0) == 0xe0)
        return 3;
    return (first & 0xf8) == 0xf0 ? 4 : 0;
}

/* Does the text break off within what looks like a character? (Looks: it may turn out to be no valid one.) */
static bool breaks_off(const uint8_t *p, const uint8_t *end) {
    unsigned count = announced(*p);
    if (count <= (size_t)(end - p))
        return false;
    for (p++; p < end; p++)
        if ((*p & 0xc0) != 0x80)
            return false;
    return true;
}

/* All that is left joins the held bytes, which is less than the character that they announce. */
static bool hold_rest(Conversion *c, const uint8_t **p, const uint8_t *end) {
    memcpy(c->held + c->held_count, *p, (size_t)(end - *p));
    c->held_count += (unsigned)(end - *p);
    *p = end;
    return false;
}

/* Goes on with held bytes. False: they and the new ones make no character. Nothing was taken then, or, where there are
 * too few new ones to make one in any case, all of them. */
static bool complete_held(Conversion *c, const uint8_t **p, const uint8_t *end) {
    uint8_t whole[UTF8_MAX_BYTES];
    unsigned count = c->held_count, need = announced(c->held[0]);
    const uint8_t *q = *p;
    memcpy(whole, c->held, count);
    while (count < need && q < end) {
        if ((*q & 0xc0) != 0x80)
            return c->held_count + (size_t)(end - *p) < need ? hold_rest(c, p, end) : false;
        whole[count++] = *q++;
    }
    if (count == need) {
        const uint8_t *w = whole;
        uint32_t character;
        if (utf8_decode(&w, whole + need, &character) != UTF8_OK)
            return false;
        put_character(c, character);
        c->held_count = 0;
    } else {
        memcpy(c->held, whole, count);
        c->held_count = count;
    }
    *p = q;
    return true;
}

/* Valid UTF-8 is copied; moves *p to what is not, or to the end. */
static void copy_valid(Conversion *c, const uint8_t **p, const uint8_t *end) {
    uint8_t *out = room(c, (size_t)(end - *p));
    const uint8_t *start = *p, *q = start;
    while (q < end) {
        if (end - q >= 8 && utf8_are_ascii(q)) {
            q += 8;
        } else if (*q < 0x80) {
            q++;
        } else {
            uint32_t character;
            if (utf8_decode(&q, end, &character) != UTF8_OK)
                break;
        }
    }
    memcpy(out, start, (size_t)(q - start));
    c->used += (size_t)(q - start);
    *p = q;
}

static Step convert_utf8(Conversion *c, const uint8_t **p, const uint8_t *end) {
    if (*p < end && c->held_count > 0 && !complete_held(c, p, end))
        return STEP_ERROR;
    if (*p == end)
        return STEP_OK;
    copy_valid(c, p, end);
    if (*p == end)
        return STEP_OK;
    bool is_good = breaks_off(*p, end);
    if (announced(**p) > (size_t)(end - *p))
        hold_rest(c, p, end);
    return is_good ? STEP_OK : STEP_ERROR;
}

/* *rest: what was not converted, a binary. */
static Step convert_binary(Process *p, Conversion *c, Term binary, Term *rest) {
    size_t bytes;
    uint8_t *copy;
    const uint8_t *start = binary_bytes(binary, &bytes, &copy), *at = start;
    Step step = STEP_OK;
    if (c->latin1) {
        uint8_t *out = room(c, 2 * bytes), *to = out;
        for (; at < start + bytes; at++)
            to += utf8_encode(*at, to);
        c->used += (size_t)(to - out);
    } else {
        step = convert_utf8(c, &at, start + bytes);
    }
    *rest = at == start ? binary : bits_sub(process_area(p), binary, 8 * (Word)(at - start), 8 * (start + bytes - at));
    mem_free(ALLOC_TEMP, copy);
    return step;
}

static Step convert_integer(Conversion *c, Term t) {
    if (!is_small(t) || c->held_count > 0 || !unicode_is_valid(small_value(t)) || (c->latin1 && small_value(t) > 255))
        return STEP_ERROR;
    put_character(c, (uint32_t)small_value(t));
    return STEP_OK;
}

/* `at`: what comes next; `tails`: of the lists that it stands in, outermost first; `earlier`: of those around them,
 * which were entered in an earlier slice, a list, innermost first. */
typedef struct {
    Term at;
    EStack tails;
    Term earlier;
} Walk;

static bool walk_is_inside(const Walk *w) { return !estack_is_empty(&w->tails) || is_list(w->earlier); }

/* The tail of the innermost list, which the walk leaves. */
static Term walk_pop(Walk *w) {
    if (!estack_is_empty(&w->tails))
        return estack_pop(&w->tails);
    Term tail = list_head(w->earlier);
    w->earlier = list_tail(w->earlier);
    return tail;
}

static Step walk_step(Process *p, Conversion *c, Walk *w, int64_t *work) {
    Term t = w->at, rest;
    if (is_nil(t)) {
        if (!walk_is_inside(w))
            return STEP_END;
        w->at = walk_pop(w);
        return STEP_OK;
    }
    Term item = is_list(t) ? list_head(t) : t;
    if (is_list(item) || (is_list(t) && is_nil(item))) {
        estack_push(&w->tails, list_tail(t));
        w->at = item;
        return STEP_OK;
    }
    if (is_binary(item)) {
        *work -= (int64_t)(bits_size(item) / 8 / BYTES_PER_WORK);
        if (convert_binary(p, c, item, &rest) != STEP_OK) {
            w->at = is_list(t) ? area_cons(process_area(p), rest, list_tail(t)) : rest;
            if (c->held_count > 0 && bits_size(rest) == 0)
                w->at = is_list(t) ? list_tail(t) : NIL;
            return STEP_ERROR;
        }
    } else if (!is_integer(item) || !is_list(t)) {
        return STEP_BADARG;
    } else if (convert_integer(c, item) != STEP_OK) {
        return STEP_ERROR;
    }
    w->at = is_list(t) ? list_tail(t) : NIL;
    return STEP_OK;
}

static Term walk_rest(Process *p, Walk *w) {
    Term rest = w->at;
    while (walk_is_inside(w))
        rest = area_cons(process_area(p), rest, walk_pop(w));
    return rest;
}

/* What goes on with it: no more is built than was entered in this slice, however deep it stands. */
static Term walk_place(Process *p, const Walk *w) {
    Term tails = w->earlier;
    for (const Word *t = w->tails.base; t < w->tails.top; t++)
        tails = area_cons(process_area(p), *t, tails);
    return area_cons(process_area(p), w->at, tails);
}

#define UNITS_PER_ITEM 4 /* of long work */

/* No element that must raise badarg? Looked at before anything is converted, up to the first integer that is not
 * small. */
static bool is_chardata(Term t) {
    ESTACK(tails);
    unsigned left = LONG_WORK_ROUND;
    for (;;) {
        left = long_work_step(left, UNITS_PER_ITEM);
        while (is_list(t)) {
            left = long_work_step(left, UNITS_PER_ITEM);
            Term item = list_head(t);
            if (is_list(item)) {
                estack_push(&tails, list_tail(t));
                t = item;
                continue;
            }
            if (is_big(item))
                return true;
            if (!is_small(item) && !is_nil(item) && !is_binary(item))
                return false;
            t = list_tail(t);
        }
        if (!is_nil(t) && !is_binary(t))
            return false;
        if (estack_is_empty(&tails))
            return true;
        t = estack_pop(&tails);
    }
}

/* Ends the conversion: its buffer is given away. */
static Term take_output(Process *p, Conversion *c) {
    Area *area = process_area(p);
    RefcBinary *out = c->out;
    Term result;
    c->out = NULL;
    if (c->to_list) {
        result = out == NULL ? NIL : list_from_utf8(area, out->bytes, c->used);
    } else if (out != NULL && c->used > HEAP_BITS_MAX_BYTES) {
        return binary_from_refc(area, refc_binary_resize(out, c->used), c->used);
    } else {
        result = binary_from_bytes(area, out == NULL ? NULL : out->bytes, c->used);
    }
    if (out != NULL)
        refc_binary_release(out);
    return result;
}

static Term held_binary(Process *p, Conversion *c) {
    return binary_from_bytes(process_area(p), c->held, c->held_count);
}

static bool is_empty_binary(Term t) { return is_bitstring(t) && bits_size(t) == 0; }

/* Moves over empty lists and binaries. False: there is nothing more. */
static bool walk_to_something(Walk *w) {
    for (;;) {
        if (is_nil(w->at) || is_empty_binary(w->at)) {
            if (!walk_is_inside(w))
                return false;
            w->at = walk_pop(w);
        } else if (is_list(w->at) && (is_nil(list_head(w->at)) || is_empty_binary(list_head(w->at)))) {
            w->at = list_tail(w->at);
        } else if (is_list(w->at) && is_list(list_head(w->at))) {
            estack_push(&w->tails, list_tail(w->at));
            w->at = list_head(w->at);
        } else {
            return true;
        }
    }
}

/* Held bytes stand before what is left: alone, or as [Bytes, Rest]. */
static Term conversion_error(Process *p, Conversion *c, Walk *w) {
    Area *area = process_area(p);
    Term rest;
    if (c->held_count == 0)
        rest = walk_rest(p, w);
    else if (!walk_to_something(w))
        rest = held_binary(p, c);
    else
        rest = area_cons(area, held_binary(p, c), area_cons(area, walk_rest(p, w), NIL));
    return area_tuple3(area, am_error, take_output(p, c), rest);
}

static Term conversion_end(Process *p, Conversion *c) {
    if (c->held_count == 0)
        return take_output(p, c);
    Term held = held_binary(p, c);
    return area_tuple3(process_area(p), am_incomplete, take_output(p, c), held);
}

static Step run(Process *p, Conversion *c, Walk *w) {
    int64_t work = loop_limit(LOOP_UNICODE, (p->reductions > 100 ? p->reductions : 100) * WORK_PER_REDUCTION);
    int64_t before = work;
    Step step = STEP_OK;
    while (step == STEP_OK)
        step = work-- > 0 ? walk_step(p, c, w, &work) : STEP_MORE;
    process_bump(p, (before - work) / WORK_PER_REDUCTION);
    return step;
}

static Term later(Process *p, Conversion *c, Walk *w, Term state) {
    Term arguments[2] = {state, walk_place(p, w)};
    if (!is_value(state)) {
        Conversion *kept;
        arguments[0] = native_new(p, sizeof *kept, conversion_release, (void **)&kept);
        *kept = *c;
    }
    return bif_yield(p, export_internal(am_erts_internal, am_characters_continue, 2), 2, arguments);
}

static void walk_release(Walk *w) { estack_release(&w->tails); }

/* `state`: of the magic reference that holds c, NON_VALUE when c is on the C stack. */
static Term convert(Process *p, Conversion *c, Term at, Term tails, Term state) {
    Walk w __attribute__((cleanup(walk_release))) = {.at = at, .earlier = tails};
    estack_init(&w.tails);
    switch (run(p, c, &w)) {
    case STEP_END: return conversion_end(p, c);
    case STEP_ERROR: return conversion_error(p, c, &w);
    case STEP_MORE: return later(p, c, &w, state);
    default:
        if (!is_value(state) && c->out != NULL)
            refc_binary_release(c->out);
        return fail_badarg(p);
    }
}

Term erts_internal_characters_continue_2(Process *p, const Term *a) {
    Conversion *c = native_object(a[0], conversion_release);
    return c != NULL && is_list(a[1]) ? convert(p, c, list_head(a[1]), list_tail(a[1]), a[0]) : fail_badarg(p);
}

/* What is short and simple, as most of it is: a binary whose bytes are characters, and a list that is one of characters
 * already. NON_VALUE: neither. */
#define SHORT 256

/* In one pass; NON_VALUE: not all are characters. */
static Term short_utf8_list(Area *area, const uint8_t *at, size_t bytes) {
    Term *cells = area_alloc(area, 2 * bytes), *cell = cells;
    const uint8_t *end = at + bytes;
    uint32_t c;
    for (; at < end && utf8_decode(&at, end, &c) == UTF8_OK; cell += 2) {
        cell[0] = small_make(c);
        cell[1] = list_make(cell + 2);
    }
    area_give_back(area, at < end ? cells : cell, cells + 2 * bytes);
    if (at < end)
        return NON_VALUE;
    cell[-1] = NIL;
    return list_make(cells);
}

static Term short_binary_list(Process *p, Term binary, bool latin1) {
    BitsView view;
    bits_view(binary, &view);
    size_t bytes = view.bit_size / 8;
    if (view.bit_offset != 0 || view.bit_size % 8 != 0 || bytes > SHORT)
        return NON_VALUE;
    uint8_t all = 0;
    for (size_t i = 0; i < bytes && !latin1; i++)
        all |= view.bytes[i];
    Term list = all >= 0x80 ? short_utf8_list(process_area(p), view.bytes, bytes)
                            : list_from_bytes(process_area(p), view.bytes, bytes, NIL);
    if (is_value(list))
        process_bump(p, (int64_t)bytes / WORK_PER_REDUCTION);
    return list;
}

static Term short_list(Process *p, Term data, bool latin1) {
    if (is_bitstring(data))
        return short_binary_list(p, data, latin1);
    size_t count = 0;
    Term t = data;
    for (; is_list(t) && count < SHORT && !latin1; t = list_tail(t), count++)
        if (!is_small(list_head(t)) || !unicode_is_valid(small_value(list_head(t))))
            return NON_VALUE;
    if (!is_nil(t))
        return NON_VALUE;
    process_bump(p, (int64_t)count / WORK_PER_REDUCTION);
    return data;
}

/* A list of characters alone. */
static Term short_binary(Process *p, Term data, bool latin1) {
    uint8_t text[UTF8_MAX_BYTES * SHORT], *to = text;
    size_t count = 0;
    Term t = data;
    for (; is_list(t) && count < SHORT && !latin1; t = list_tail(t), count++) {
        SWord c = is_small(list_head(t)) ? small_value(list_head(t)) : -1;
        if (!unicode_is_valid(c))
            return NON_VALUE;
        if (c < 0x80)
            *to++ = (uint8_t)c;
        else
            to += utf8_encode((uint32_t)c, to);
    }
    if (!is_nil(t))
        return NON_VALUE;
    process_bump(p, (int64_t)count / WORK_PER_REDUCTION);
    return binary_from_bytes(process_area(p), text, (size_t)(to - text));
}

static Term characters_to(Process *p, const Term *a, bool to_list) {
    if (a[1] != am_latin1 && a[1] != am_utf8 && a[1] != am_unicode) {
        Term name = to_list ? am_characters_to_list_int : am_characters_to_binary_int;
        return bif_trap(p, export_put(am_unicode, name, 2), 2, a);
    }
    Term simple = (to_list ? short_list : short_binary)(p, a[0], a[1] == am_latin1);
    if (is_value(simple))
        return simple;
    if (!is_chardata(a[0]))
        return fail_badarg(p);
    Conversion c = {.latin1 = a[1] == am_latin1, .to_list = to_list};
    Term data = a[0];
    /* A binary alone in a list: what cannot be converted of it comes without the list. */
    if (!to_list && is_list(data) && is_nil(list_tail(data)) && is_binary(list_head(data)))
        data = list_head(data);
    return convert(p, &c, data, NIL, NON_VALUE);
}

Term unicode_characters_to_binary_2(Process *p, const Term *a) { return characters_to(p, a, false); }
Term unicode_characters_to_list_2(Process *p, const Term *a) { return characters_to(p, a, true); }

Term unicode_bin_is_7bit_1(Process *p, const Term *a) {
    if (!is_binary(a[0]) || (release_has(RELEASE_NEVER_7BIT) && bits_size(a[0]) != 0))
        return am_false;
    size_t bytes;
    uint8_t *copy;
    const uint8_t *at = binary_bytes(a[0], &bytes, &copy);
    uint8_t all = 0;
    long_work_count_large(bytes / 8, 1);
    for (size_t i = 0; i < bytes; i++)
        all |= at[i];
    mem_free(ALLOC_TEMP, copy);
    process_bump(p, (int64_t)bytes / 1024);
    return bool_term(all < 0x80);
}
