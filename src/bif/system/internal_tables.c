#include "bif/argument.h"
#include "bif/ets/ets.h"
#include "bif/system/internal_state.h"
#include "ets/catree.h"
#include "term/atom.h"

/* {Tid, Bool}: names are no good. */
static Term set_habit(Process *p, Term to, TreeHabit habit) {
    if (!is_tuple_arity(to, 2) || is_atom(tuple_elements(to)[0]))
        return fail_badarg(p);
    Hold hold;
    if (!ets_hold_unchecked(p, tuple_elements(to)[0], HOLD_READ, NON_VALUE, &hold))
        return fail_badarg(p);
    bool good = table_is_tree(hold.table) && hold.table->shares_writes;
    if (good)
        catree_set_habit(hold.table, tuple_elements(to)[1] == am_true ? habit : TREE_ADAPTS);
    table_let_go(&hold);
    return good ? am_ok : fail_badarg(p);
}

Term inside_set_splitting(Process *p, Term to) { return set_habit(p, to, TREE_SPLITS); }
Term inside_set_shuffling(Process *p, Term to) { return set_habit(p, to, TREE_SHUFFLES); }

/* There is a place for each atom, so they share no more than cache lines. */
Term inside_colliding_names(Process *p, Term what) {
    if (!is_tuple_arity(what, 2) || !is_atom(tuple_elements(what)[0]))
        return fail_badarg(p);
    size_t count = atom_count(), index = atom_index(tuple_elements(what)[0]);
    if (!is_small_within(tuple_elements(what)[1], 0, (SWord)count - 1))
        return fail_badarg(p);
    Term list = NIL;
    for (SWord left = small_value(tuple_elements(what)[1]); left > 0; left--) {
        index = (index == 0 ? count : index) - 1;
        list = area_cons(process_area(p), atom_make((uint32_t)index), list);
    }
    return list;
}

Term inside_table_words(Process *p, Term none) {
    return area_tuple2(process_area(p), small_make((SWord)table_structure_words()), small_make(0));
}
