#include "bif/alive.h"

#include "bif_table.h"
#include "term/atom.h"
#include "term/node.h"

bool is_alive_or_to_be(Process *p) {
    if (likely(node_is_alive()))
        return true;
    Term key = area_tuple2(process_area(p), am_erts_internal, am_dynamic_node_name);
    return persistent_term_get_2(p, (Term[]){key, am_false}) != am_false;
}
