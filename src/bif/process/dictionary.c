/* The process dictionary. Source: erlang(3) get/0,1, put/2, erase/0,1, get_keys/0,1. */
#include "process/dictionary.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"

static Term or_undefined(Term value) { return is_value(value) ? value : am_undefined; }

Term erlang_get_0(Process *p, const Term *a) { return dictionary_to_list(p, process_area(p)); }
/* Keys are hashed and compared. */
Term erlang_get_1(Process *p, const Term *a) {
    LONG_WORK_OPEN_IF(is_pointer(a[0]));
    return or_undefined(dictionary_get(p, a[0]));
}
Term erlang_get_keys_0(Process *p, const Term *a) { return dictionary_keys(p, process_area(p)); }
Term erlang_get_keys_1(Process *p, const Term *a) { return dictionary_keys_of(p, process_area(p), a[0]); }
Term erlang_put_2(Process *p, const Term *a) {
    LONG_WORK_OPEN_IF(is_pointer(a[0]));
    return or_undefined(dictionary_put(p, a[0], a[1]));
}
Term erlang_erase_1(Process *p, const Term *a) {
    LONG_WORK_OPEN_IF(is_pointer(a[0]));
    return or_undefined(dictionary_erase(p, a[0]));
}

Term erlang_erase_0(Process *p, const Term *a) {
    Term all = dictionary_to_list(p, process_area(p));
    dictionary_erase_all(p);
    return all;
}
