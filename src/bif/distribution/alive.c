/* erlang:setnode/2, erts_internal:get_creation/0, get_dflags/0. Source: net_kernel(3); what dist_util asks for. */
#include "bif/argument.h"
#include "bif_table.h"
#include "distribution/alive.h"
#include "distribution/capabilities.h"
#include "distribution/node_watch.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

/* The creation has 32 bits; of more, up to what is a small integer on the stock runtime, the low ones count. */
Term erlang_setnode_2(Process *p, const Term *a) {
    if (!is_small(a[1]) || small_value(a[1]) >> 59 != 0)
        return fail_badarg(p);
    if (!alive_begin(a[0], (uint32_t)small_value(a[1])))
        return fail_badarg(p);
    node_watch_tell_this_up(a[0]);
    return am_true;
}

Term erts_internal_get_creation_0(Process *p, const Term *a) {
    uint32_t creation = node_this_creation();
    return creation == 0 ? am_undefined : integer_from_uint64(process_area(p), creation);
}

/* {erts_dflags, Default, Mandatory, Addable, Rejectable, StrictOrder} */
Term erts_internal_get_dflags_0(Process *p, const Term *a) {
    static const uint64_t sets[] = {CAPABILITIES_DEFAULT, CAPABILITIES_MANDATORY, CAPABILITIES_ADDABLE,
                                    CAPABILITIES_REJECTABLE, CAPABILITIES_STRICT_ORDER};
    Term elements[1 + array_length(sets)] = {am_erts_dflags};
    for (size_t i = 0; i < array_length(sets); i++)
        elements[1 + i] = integer_from_uint64(process_area(p), sets[i] & ~capabilities_withheld());
    return area_tuple(process_area(p), elements, array_length(elements));
}
