/* What became of a module's code, for lib/dis and for tests. */
#include <string.h>

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "code/module.h"
#include "loader/listing.h"
#include "loader/prepare.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"

static const FunctionHeader *find_function(const ModuleInstance *m, Term name, Term arity) {
    for (uint32_t i = 0; m != NULL && i < m->function_count; i++) {
        const FunctionHeader *f = instance_function(m, i);
        if (f->function == name && f->arity == (Word)small_value(arity))
            return f;
    }
    return NULL;
}

/* Where the words of its func_info and of its entry lead. */
Term viv_dis_code_place_3(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !is_atom(a[1]) || !is_small(a[2]))
        return fail_badarg(p);
    const Module *module = module_find(a[0]);
    const FunctionHeader *f = module == NULL ? NULL : find_function(module_current(module), a[1], a[2]);
    if (f == NULL)
        return am_undefined;
    Area *area = process_area(p);
    const uint32_t *entry = (const uint32_t *)function_entry(f);
    return area_tuple2(area, integer_from_int64(area, (int64_t)(uint32_t)f->func_info),
                       integer_from_int64(area, (int64_t)__atomic_load_n(entry, __ATOMIC_ACQUIRE)));
}

static Term listing_term(Area *area, const Listing *l, const ModuleInstance *m) {
    if (l->code_size == 0)
        return area_tuple2(area, binary_from_bytes(area, l->text.bytes, l->text.size), am_false);
    Term code = binary_from_bytes(area, m->native.code.address, l->code_size);
    Term address = integer_from_int64(area, (int64_t)(uintptr_t)m->native.code.address);
    return area_tuple2(area, binary_from_bytes(area, l->text.bytes, l->text.size), area_tuple2(area, address, code));
}

/* The module is prepared, and given up again. */
Term viv_dis_code_listing_3(Process *p, const Term *a) {
    size_t size;
    uint8_t *copy;
    char detail[200];
    if (!is_atom(a[0]) || !is_binary(a[1]) || (a[2] != am_true && a[2] != am_false))
        return fail_badarg(p);
    Area *area = process_area(p);
    const uint8_t *bytes = binary_bytes(a[1], &size, &copy);
    Listing listing;
    listing_init(&listing, a[2] == am_true);
    ModuleInstance *m = module_prepare_listed(a[0], bytes, size, detail, sizeof detail, &listing);
    Term answer = m != NULL ? area_tuple2(area, am_ok, listing_term(area, &listing, m))
                            : area_tuple2(area, am_error, binary_from_bytes(area, detail, strlen(detail)));
    if (m != NULL)
        module_instance_free(m);
    listing_release(&listing);
    mem_free(ALLOC_TEMP, copy);
    return answer;
}
