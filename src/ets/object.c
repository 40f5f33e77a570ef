#include "ets/object.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "ets/packed.h"
#include "heap/copy.h"
#include "term/compare.h"
#include "term/refc_binary.h"

/* Where an element is packed: it begins `offset` bytes behind the words. Not a term: those special ones end at 1. */
#define FIRST_PLACE 2
static Term place_make(size_t offset) { return (Term)(offset + FIRST_PLACE) << IMM_SHIFT | IMM_SPECIAL; }
static bool is_place(Term t) { return (t & IMM_MASK) == IMM_SPECIAL && t >> IMM_SHIFT >= FIRST_PLACE; }

static const uint8_t *packed_bytes(const Object *o, Term place) {
    return (const uint8_t *)(o->tuple_words + o->term_words) + ((place >> IMM_SHIFT) - FIRST_PLACE);
}

static Term *no_overflow(Area *area, size_t words) { panic("a table object's size was computed wrong"); }

/* Of long work, beside the copy. */
#define UNITS_TO_CREATE 100
#define UNITS_TO_FREE 50
#define UNITS_PER_OFF_HEAP 30

/* `tuple` may have places for elements; `bytes` is what they are places in. */
static Object *create(Term tuple, const void *bytes, size_t byte_count) {
    size_t term_words = term_flat_size_literals(tuple), words = term_words + bytes_to_words(byte_count);
    long_work_count(UNITS_TO_CREATE);
    Object *o = mem_alloc(ALLOC_ETS_OBJECT, sizeof *o + words * WORD_BYTES);
    Area area = {.top = o->tuple_words, .limit = o->tuple_words + term_words, .overflow = no_overflow};
    Term copy = term_copy_literals_sized(tuple, term_words, &area);
    require(boxed_ptr(copy) == o->tuple_words); /* the root comes first */
    memcpy(o->tuple_words + term_words, bytes, byte_count);
    o->link[0] = o->link[1] = NULL;
    o->hash = 0;
    o->noted = false;
    o->packed = byte_count > 0;
    o->balance = 0;
    o->words = (uint32_t)words;
    o->term_words = (uint32_t)term_words;
    o->off_heap = area.off_heap;
    return o;
}

Object *object_create(Term tuple) { return create(tuple, "", 0); }

/* The place, or the element itself when packing it gains nothing. */
static Term pack_element(Text *bytes, Term element) {
    size_t before = bytes->size;
    if (is_immediate(element))
        return element;
    if (term_pack(bytes, element) &&
        bytes->size - before < term_unpacked_words((const uint8_t *)bytes->bytes + before) * WORD_BYTES)
        return place_make(before);
    bytes->size = before;
    return element;
}

Object *object_create_packed(Term tuple, uint32_t keypos) {
    TEXT(bytes);
    size_t arity = tuple_arity(tuple);
    Term *words = mem_alloc(ALLOC_TEMP, (1 + arity) * WORD_BYTES);
    words[0] = boxed_header(tuple);
    for (size_t i = 1; i <= arity; i++)
        words[i] = i == keypos ? boxed_ptr(tuple)[i] : pack_element(&bytes, boxed_ptr(tuple)[i]);
    Object *o = create(boxed_make(words), bytes.bytes, bytes.size);
    mem_free(ALLOC_TEMP, words);
    return o;
}

void object_free(Object *object) {
    long_work_count(UNITS_TO_FREE);
    unsigned left = LONG_WORK_ROUND;
    for (OffHeap *next, *o = object->off_heap; o; o = next, left = long_work_step(left, UNITS_PER_OFF_HEAP)) {
        next = o->next;
        off_heap_release(o);
    }
    mem_free(ALLOC_ETS_OBJECT, object);
}

size_t object_element_words(const Object *o, size_t position) {
    Term t = o->tuple_words[position];
    return is_place(t) ? term_unpacked_words(packed_bytes(o, t)) : 0;
}

size_t object_copy_words(const Object *o) {
    size_t words = o->term_words;
    for (size_t i = 1; o->packed && i <= object_arity(o); i++)
        words += object_element_words(o, i);
    return words;
}

Term object_copy_element(const Object *o, size_t position, Area *area) {
    Term t = o->tuple_words[position];
    return is_place(t) ? term_unpack(packed_bytes(o, t), area) : term_copy(t, area);
}

/* A few immediate terms: it takes no more words than they do. */
static Term copy_plain(const Object *o, Area *area) {
    Term *words = area_alloc(area, o->term_words);
    for (size_t i = 0; i < o->term_words; i++)
        words[i] = o->tuple_words[i];
    return boxed_make(words);
}

Term object_copy(const Object *o, Area *area) {
    if (o->words == 1 + object_arity(o) && o->words <= 1 + OBJECT_PLAIN_MAX)
        return copy_plain(o, area);
    if (likely(!o->packed))
        return term_copy_block(o->tuple_words, o->term_words, area);
    size_t arity = object_arity(o);
    Term *words = area_alloc(area, 1 + arity);
    words[0] = o->tuple_words[0];
    for (size_t i = 1; i <= arity; i++)
        words[i] = object_copy_element(o, i, area);
    return boxed_make(words);
}

void object_expand(const Object *o, Term *words, Area *area) {
    words[0] = o->tuple_words[0];
    for (size_t i = 1; i <= object_arity(o); i++) {
        Term t = o->tuple_words[i];
        words[i] = is_place(t) ? term_unpack(packed_bytes(o, t), area) : t;
    }
}

Term object_view_slow(const Object *o, ObjectView *view) {
    fragment_area_init(&view->area, 1 + object_arity(o) + 4 * (o->words - o->term_words));
    view->is_used = true;
    Term *words = area_alloc(&view->area.area, 1 + object_arity(o));
    object_expand(o, words, &view->area.area);
    return boxed_make(words);
}

void object_view_free(ObjectView *view) { fragment_area_drop(&view->area); }

#define FEW_ELEMENTS 8 /* which are not counted */

/* Of a tuple as large, its elements by their order; those that are packed are passed over, and so are all but the first
 * of many. False: they are not the same. */
force_inline bool same_at_first(const Object *o, const Term *words, bool plainly) {
    size_t arity = object_arity(o);
    for (size_t i = 1; i <= arity && i <= FEW_ELEMENTS; i++) {
        Term a = o->tuple_words[i], b = words[i];
        if (a == b || is_place(a) || is_place(b))
            continue;
        if (plainly ? term_differs_plainly(a, b) : !term_identical(a, b))
            return false;
    }
    return true;
}

bool object_equals(const Object *o, Term tuple) {
    const Term *words = boxed_ptr(tuple);
    if (o->tuple_words[0] != words[0])
        return false;
    if (likely(!o->packed && object_arity(o) <= FEW_ELEMENTS))
        return same_at_first(o, words, false);
    if (!same_at_first(o, words, true))
        return false;
    ObjectView view;
    bool same = term_identical(object_view(o, &view), tuple);
    object_view_release(&view);
    return same;
}

bool objects_equal(const Object *a, const Object *b) {
    if (!b->packed)
        return object_equals(a, boxed_make(b->tuple_words));
    if (a->tuple_words[0] != b->tuple_words[0] || !same_at_first(a, b->tuple_words, true))
        return false;
    ObjectView view;
    bool same = object_equals(a, object_view(b, &view));
    object_view_release(&view);
    return same;
}
