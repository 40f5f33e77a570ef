#include "bif/argument.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/estack.h"
#include "base/long_work.h"
#include "base/unicode.h"
#include "code/export.h"
#include "sys/native_text.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/cells.h"

#define UNITS_PER_CELL 2 /* of long work */
#define UNITS_PER_BYTE 4

int64_t list_length(Term list) {
    int64_t n = 0;
    unsigned left = LONG_WORK_ROUND;
    Word stride = CELL_STRIDE;
    for (; is_list(list); list = next_cell(list, &stride)) {
        n++;
        left = long_work_step(left, UNITS_PER_CELL);
    }
    long_work_rest(left, UNITS_PER_CELL);
    return is_nil(list) ? n : -1;
}

Term list_from_utf8(Area *area, const uint8_t *utf8, size_t bytes) {
    long_work_count_large(bytes, UNITS_PER_BYTE);
    int64_t count = utf8_count(utf8, bytes, NULL);
    require(count >= 0);
    if (count == 0)
        return NIL;
    const uint8_t *end = utf8 + bytes;
    Term *cells = area_alloc(area, 2 * (size_t)count), *cell = cells;
    for (int64_t i = 0; i < count; i++, cell += 2) {
        uint32_t c;
        require(utf8_decode(&utf8, end, &c) == UTF8_OK);
        cell[0] = small_make(c);
        cell[1] = list_make(cell + 2);
    }
    cell[-1] = NIL;
    return list_make(cells);
}

Term list_from_native(Area *area, const char *text, size_t bytes) {
    const uint8_t *from = (const uint8_t *)text;
    bool is_utf8 = !native_text.is_latin1 && utf8_count(from, bytes, NULL) >= 0;
    return is_utf8 ? list_from_utf8(area, from, bytes) : list_from_bytes(area, from, bytes, NIL);
}

Term list_from_native_text(Area *area, const char *text) { return list_from_native(area, text, strlen(text)); }

bool text_from_latin1_list(Text *to, Term list) {
    unsigned left = LONG_WORK_ROUND;
    for (; is_list(list); list = list_tail(list)) {
        left = long_work_step(left, UNITS_PER_BYTE);
        if (!is_small_within(list_head(list), 0, 255))
            return false;
        text_byte(to, (char)small_value(list_head(list)));
    }
    return is_nil(list);
}

static bool is_character(Term c) { return is_small(c) && unicode_is_valid(small_value(c)); }

static void put_character(Text *to, Term c) {
    uint8_t utf8[UTF8_MAX_BYTES];
    text_bytes(to, utf8, utf8_encode((uint32_t)small_value(c), utf8));
}

CharactersResult text_from_characters(Text *to, Term list, size_t max) {
    size_t n = 0;
    for (; is_list(list); list = list_tail(list)) {
        Term c = list_head(list);
        if (!is_character(c))
            return CHARACTERS_BAD;
        if (n++ == max)
            return CHARACTERS_TOO_MANY;
        put_character(to, c);
    }
    return is_nil(list) ? CHARACTERS_OK : CHARACTERS_BAD;
}

/* False: it cannot be written. */
static bool put_native(Text *to, uint32_t character) {
    uint8_t bytes[UTF8_MAX_BYTES];
    size_t count = native_text_put(character, bytes);
    text_bytes(to, bytes, count);
    return count > 0;
}

bool native_from_utf8(Text *to, const uint8_t *utf8, size_t bytes) {
    uint32_t c;
    for (const uint8_t *end = utf8 + bytes; utf8 < end;)
        if (utf8_decode(&utf8, end, &c) != UTF8_OK || !put_native(to, c))
            return false;
    return true;
}

bool native_from_characters(Text *to, Term list) {
    ESTACK(rests);
    for (estack_push(&rests, list); !estack_is_empty(&rests);) {
        Term rest = estack_pop(&rests);
        while (is_list(rest)) {
            Term head = list_head(rest);
            bool is_deeper = is_list(head);
            rest = list_tail(rest);
            if (is_deeper) {
                estack_push(&rests, rest);
                rest = head;
            } else if (is_character(head)) {
                if (!put_native(to, (uint32_t)small_value(head)))
                    return false;
            } else if (!is_nil(head)) {
                return false;
            }
        }
        if (!is_nil(rest))
            return false;
    }
    return true;
}

bool text_from_binary(Text *to, Term t) {
    if (!is_binary(t))
        return false;
    BitsView view;
    bits_view(t, &view);
    size_t bytes = view.bit_size / 8;
    if (bytes > 0)
        bits_copy((uint8_t *)text_extend(to, bytes), 0, view.bytes, view.bit_offset, view.bit_size);
    return true;
}

Term bif_go_dirty(Process *p, Term twin, unsigned arity, const Term *a) {
    return bif_trap(p, export_internal(am_erts_internal, twin, arity), arity, a);
}

Term bif_later(Process *p, Term module, Term function, unsigned arity, const Term *a) {
    return bif_yield(p, export_put(module, function, arity), arity, a);
}

Term bif_result_for(Process *p, Term result, Term module, Term function, Term arguments) {
    if (is_value(result) || p->fail.reason == FAIL_TRAP || p->fail.reason == FAIL_YIELD_TRAP)
        return result;
    return fail_for(p, export_put(module, function, (unsigned)list_length(arguments)), arguments);
}

Term arith_result(Process *p, Term result, ArithFail fail) {
    if (likely(is_value(result)))
        return result;
    switch (fail) {
    case ARITH_BADARG: return fail_badarg(p);
    case ARITH_SYSTEM_LIMIT: return fail_system_limit(p);
    default: return fail_badarith(p);
    }
}
