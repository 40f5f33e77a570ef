/* Selection of frames, heap room, moves, and the building and taking apart of terms. */
#include "loader/selector.h"

#include <string.h>

#include "loader/map_keys.h"
#include "term/atom.h"
#include "term/boxed.h"
#include "term/compare.h"
#include "term/hash.h"
#include "term/map.h"

/* --- Frames --- */

void select_allocate_heap(Selector *s, const Operand *a) {
    Word need;
    if (select_need(s, &a[1], &need))
        EMIT(INSN_ALLOCATE_HEAP, a[0], operand_uint(need), a[2]);
}

static void clear_frame(Selector *s, const Operand *size) {
    Word count;
    if (!select_uint(s, size, 1023, &count) || count == 0)
        return;
    EMIT(INSN_INIT_YREGS, operand_uint(count));
    for (Word i = 0; i < count; i++)
        encode_word(&s->code, i * sizeof(Word));
}

void select_allocate_zero(Selector *s, const Operand *a) {
    EMIT(INSN_ALLOCATE, a[0], a[1]);
    clear_frame(s, &a[0]);
}

void select_allocate_heap_zero(Selector *s, const Operand *a) {
    select_allocate_heap(s, a);
    clear_frame(s, &a[0]);
}

void select_init(Selector *s, const Operand *a) { EMIT(INSN_INIT_Y_1, a[0]); }

void select_init_yregs(Selector *s, const Operand *a) {
    const Operand *list = a[0].list;
    if (a[0].kind != OPERAND_LIST) {
        select_refuse(s, "no list of registers");
        return;
    }
    if (a[0].value == 1) {
        EMIT(INSN_INIT_Y_1, list[0]);
        return;
    }
    if (a[0].value == 2) {
        EMIT(INSN_INIT_Y_2, list[0], list[1]);
        return;
    }
    EMIT(INSN_INIT_YREGS, operand_uint(a[0].value));
    for (Word i = 0; i < a[0].value; i++) {
        if (list[i].kind != OPERAND_Y)
            select_refuse(s, "no y register");
        encode_word(&s->code, list[i].value * sizeof(Word));
    }
}

void select_trim(Selector *s, const Operand *a) { EMIT(INSN_TRIM, a[0]); }

/* --- Moves --- */

bool select_element_offset(Selector *s, const Operand *index, Operand *offset) {
    Word n;
    if (!select_uint(s, index, TUPLE_ARITY_MAX - 1, &n))
        return false;
    *offset = operand_uint((n + 1) * sizeof(Word));
    return true;
}

void select_set_tuple_element(Selector *s, const Operand *a) {
    Operand offset;
    if (select_element_offset(s, &a[2], &offset))
        EMIT(INSN_SET_TUPLE_ELEMENT, a[0], a[1], offset);
}

static void encode_sources(Selector *s, const Operand *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!encode_source(&s->code, &list[i]))
            select_refuse(s, "an operand of the list does not fit");
}

void select_put_tuple2(Selector *s, const Operand *a) {
    const Operand *list = a[1].list;
    if (a[1].kind != OPERAND_LIST) {
        select_refuse(s, "no list of elements");
        return;
    }
    switch (a[1].value) {
    case 1: EMIT(INSN_PUT_TUPLE_1, a[0], list[0]); return;
    case 2: EMIT(INSN_PUT_TUPLE_2, a[0], list[0], list[1]); return;
    case 3: EMIT(INSN_PUT_TUPLE_3, a[0], list[0], list[1], list[2]); return;
    }
    EMIT(INSN_PUT_TUPLE2, a[0], operand_uint(a[1].value));
    encode_sources(s, list, a[1].value);
}

/* The hint is ignored: a copy is always right. */
void select_update_record(Selector *s, const Operand *a) {
    const Operand *list = a[4].list;
    if (a[4].kind != OPERAND_LIST || a[4].value % 2 != 0) {
        select_refuse(s, "no list of elements");
        return;
    }
    Operand r = select_register(s, &a[2], 0);
    EMIT(INSN_UPDATE_RECORD, a[1], r, a[3], operand_uint(a[4].value / 2));
    for (Word i = 0; i < a[4].value; i += 2) {
        if (list[i].kind != OPERAND_UINT || list[i].value == 0 || list[i].value > a[1].value)
            select_refuse(s, "no such element");
        encode_word(&s->code, list[i].value * sizeof(Word));
        encode_sources(s, &list[i + 1], 1);
    }
}

/* --- Maps --- */

static void put_map(Selector *s, enum Insn insn, const Operand *a) {
    if (a[4].kind != OPERAND_LIST || a[4].value % 2 != 0) {
        select_refuse(s, "no list of keys and values");
        return;
    }
    EMIT(insn, a[0], a[1], a[2], a[3], operand_uint(a[4].value));
    encode_sources(s, a[4].list, a[4].value);
}

void select_put_map_assoc(Selector *s, const Operand *a) {
    Operand pairs[2 * MAP_FLAT_MAX];
    size_t count = a[4].value / 2;
    bool is_sorted = a[4].kind == OPERAND_LIST && a[4].value % 2 == 0 && map_keys_sort(a[4].list, count, 2, pairs);
    if (a[1].kind != OPERAND_MAP_KEYS) {
        Operand sorted[5]; /* a small map takes them in one go then */
        memcpy(sorted, a, sizeof sorted);
        if (is_sorted)
            sorted[4].list = pairs;
        put_map(s, INSN_PUT_MAP_ASSOC, sorted);
        return;
    }
    require(is_sorted); /* as it was for the tuple of keys (loader/map_keys.h) */
    EMIT(INSN_NEW_MAP, a[2], a[3], operand_term(a[1].value), operand_uint(count));
    for (size_t i = 0; i < count; i++)
        encode_sources(s, &pairs[2 * i + 1], 1);
}

/* Of several keys that are missing the first one in the order of keys is named. (The compiler sorts them too, but takes
 * an integer and the float that is equal to it as they come.) */
void select_put_map_exact(Selector *s, const Operand *a) {
    Operand pairs[2 * MAP_FLAT_MAX], sorted[5];
    memcpy(sorted, a, sizeof sorted);
    if (a[4].kind == OPERAND_LIST && a[4].value % 2 == 0 && map_keys_sort(a[4].list, a[4].value / 2, 2, pairs))
        sorted[4].list = pairs;
    put_map(s, INSN_PUT_MAP_EXACT, sorted);
}

/* Several keys of one instruction of the file, which words compare, are sought from the last one to the first, as one
 * search finds them (jit/map_gets.h). In which order it fetches can be seen in its registers, where a key is missing:
 * to beam_validator they are inconsistent then, and no compiler looks at them.
 *
 * An instruction for each key is code, so of a few only. */
enum { MAX_PLAIN = 12 };

/* Keys that stand in a list, at each `step`. */
static bool are_plain(const Operand *list, size_t size, size_t step) {
    for (size_t i = 0; i < size; i += step)
        if (list[i].kind != OPERAND_TERM || !map_key_is_plain(list[i].value))
            return false;
    return size <= MAX_PLAIN * step;
}

void select_has_map_fields(Selector *s, const Operand *a) {
    if (a[2].kind != OPERAND_LIST) {
        select_refuse(s, "no list of keys");
        return;
    }
    Operand r = select_register(s, &a[1], 0);
    if (are_plain(a[2].list, a[2].value, 1)) {
        Operand sorted[MAX_PLAIN];
        const Operand *keys = map_keys_sort(a[2].list, a[2].value, 1, sorted) ? sorted : a[2].list;
        for (Word i = a[2].value; i-- > 0;)
            EMIT(INSN_HAS_MAP_FIELD_PLAIN, a[0], r, keys[i], operand_uint(term_hash(keys[i].value)));
        return;
    }
    EMIT(INSN_HAS_MAP_FIELDS, a[0], r, operand_uint(a[2].value));
    encode_sources(s, a[2].list, a[2].value);
}

static bool is_same_register(const Operand *a, const Operand *b) { return a->kind == b->kind && a->value == b->value; }

/* Does the map stay where it is until the last value is fetched, and has each value a register of its own? */
static bool keeps(const Operand *map, const Operand *list, size_t size) {
    for (size_t i = 1; i + 2 < size; i += 2) {
        if (is_same_register(&list[i], map))
            return false;
        for (size_t j = i + 2; j < size; j += 2)
            if (is_same_register(&list[i], &list[j]))
                return false;
    }
    return true;
}

static void get_one(Selector *s, Operand fail, Operand map, const Operand *pair) {
    if (pair[0].kind == OPERAND_TERM && map_key_is_plain(pair[0].value))
        EMIT(INSN_GET_MAP_ELEMENT_PLAIN, fail, map, pair[1], pair[0], operand_uint(term_hash(pair[0].value)));
    else if (pair[0].kind == OPERAND_TERM)
        EMIT(INSN_GET_MAP_ELEMENT_HASHED, fail, map, operand_uint(term_hash(pair[0].value)), pair[1], pair[0]);
    else
        EMIT(INSN_GET_MAP_ELEMENT, fail, map, pair[0], pair[1]);
}

/* The value that takes the map's place is fetched last. */
static void get_plain(Selector *s, Operand fail, Operand map, const Operand *list, size_t size) {
    Operand sorted[2 * MAX_PLAIN];
    size_t others = size > 0 && is_same_register(&list[size - 1], &map) ? size - 2 : size;
    const Operand *pairs = map_keys_sort(list, others / 2, 2, sorted) ? sorted : list;
    for (size_t i = others; i > 0; i -= 2)
        get_one(s, fail, map, &pairs[i - 2]);
    if (others < size)
        get_one(s, fail, map, &list[others]);
}

void select_get_map_elements(Selector *s, const Operand *a) {
    const Operand *list = a[2].list;
    if (a[2].kind != OPERAND_LIST || a[2].value % 2 != 0) {
        select_refuse(s, "no list of keys and registers");
        return;
    }
    Operand r = select_register(s, &a[1], 0);
    if (a[2].value == 2) {
        get_one(s, a[0], r, list);
        return;
    }
    for (Word i = 0; i < a[2].value; i += 2)
        if (list[i].kind != OPERAND_TERM)
            select_refuse(s, "one of several keys is no constant"); /* as stock has it */
    if (are_plain(list, a[2].value, 2) && keeps(&r, list, a[2].value)) {
        get_plain(s, a[0], r, list, a[2].value);
        return;
    }
    EMIT(INSN_GET_MAP_ELEMENTS, a[0], r, operand_uint(a[2].value));
    for (Word i = 0; i < a[2].value; i += 2) {
        encode_sources(s, &list[i], 1);
        const Operand *to = &list[i + 1];
        if (!operand_is_register(to))
            select_refuse(s, "no register for a value");
        encode_word(&s->code, to->kind == OPERAND_Y ? PLACE_Y(to->value) : PLACE_X(to->value));
    }
}

/* --- Floats --- */

void select_fconv(Selector *s, const Operand *a) { EMIT(INSN_FCONV, a[0], a[1]); }
void select_fadd(Selector *s, const Operand *a) { EMIT(INSN_FADD, a[1], a[2], a[3]); }
void select_fsub(Selector *s, const Operand *a) { EMIT(INSN_FSUB, a[1], a[2], a[3]); }
void select_fmul(Selector *s, const Operand *a) { EMIT(INSN_FMUL, a[1], a[2], a[3]); }
void select_fdiv(Selector *s, const Operand *a) { EMIT(INSN_FDIV, a[1], a[2], a[3]); }
void select_fnegate(Selector *s, const Operand *a) { EMIT(INSN_FNEGATE, a[1], a[2]); }
