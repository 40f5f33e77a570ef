/* The process dictionary. Source: erlang(3) get/0,1, put/2, erase/0,1, get_keys/0,1. */
#include "process/dictionary.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"

static Term or_undefined(Term value) { return is_value(value) ? value : am_undefined; }

Term erlang_get_0(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return dictionary_to_list(p, process_area(p));
}
/* Keys are hashed and compared. */
Term erlang_get_1(Process *p, const Term *a) {
    LONG_WORK_OPEN_IF(is_pointer(a[0]));
    return or_undefined(dictionary_get(p, a[0]));
}
Term erlang_get_keys_0(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return dictionary_keys(p, process_area(p));
}
Term erlang_get_keys_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    return dictionary_keys_of(p, process_area(p), a[0]);
}

/* What the pairs take counts for max_heap_size, which is looked at by collections; but what is put may need no room on
 * the heap, and no collection would come. */
static bool has_grown_much(const Process *p, size_t before) {
    return p->heap.max_words > 0 && dictionary_bytes(p) > before && dictionary_words_beside(p) > p->heap.max_words / 8;
}
Term erlang_put_2(Process *p, const Term *a) {
    LONG_WORK_OPEN_IF(is_pointer(a[0]));
    size_t before = dictionary_bytes(p);
    Term old = or_undefined(dictionary_put(p, a[0], a[1]));
    return unlikely(has_grown_much(p, before)) ? bif_return_collected(p, old, COLLECT_AUTO) : old;
}
Term erlang_erase_1(Process *p, const Term *a) {
    LONG_WORK_OPEN_IF(is_pointer(a[0]));
    return or_undefined(dictionary_erase(p, a[0]));
}

Term erlang_erase_0(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    Term all = dictionary_to_list(p, process_area(p));
    dictionary_erase_all(p);
    return all;
}
