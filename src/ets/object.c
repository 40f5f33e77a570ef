#include "ets/object.h"

#include "alloc/alloc.h"
#include "heap/copy.h"
#include "term/refc_binary.h"

static Term *no_overflow(Area *area, size_t words) { panic("a table object's size was computed wrong"); }

Object *object_create(Term tuple) {
    size_t words = term_flat_size_literals(tuple);
    Object *o = mem_alloc(ALLOC_ETS_OBJECT, sizeof *o + words * WORD_BYTES);
    Area area = {.top = o->tuple_words, .limit = o->tuple_words + words, .overflow = no_overflow};
    Term copy = term_copy_literals(tuple, &area);
    require(boxed_ptr(copy) == o->tuple_words); /* the root comes first */
    o->link[0] = o->link[1] = NULL;
    o->hash = 0;
    o->deleted = false;
    o->balance = 0;
    o->words = (uint32_t)words;
    o->off_heap = area.off_heap;
    return o;
}

void object_free(Object *object) {
    for (OffHeap *next, *o = object->off_heap; o; o = next) {
        next = o->next;
        off_heap_release(o);
    }
    mem_free(ALLOC_ETS_OBJECT, object);
}
