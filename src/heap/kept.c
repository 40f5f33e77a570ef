#include "heap/kept.h"

#include "heap/copy.h"

Kept kept_make(Term t) {
    if (!is_pointer(t))
        return (Kept){t, NULL};
    FragmentArea fa;
    fragment_area_init(&fa, term_flat_size_literals(t));
    Term own = term_copy_literals(t, &fa.area);
    return (Kept){own, fragment_area_finish(&fa)};
}

Term kept_copy(const Kept *k, Area *to) { return is_pointer(k->own) ? term_copy(k->own, to) : k->own; }

void kept_release(Kept *k) {
    fragments_free(k->data);
    *k = KEPT_NONE;
}

Term kept_adopt(Kept *k, Heap *by) {
    Term own = k->own;
    if (k->data != NULL)
        heap_adopt_fragments(by, k->data);
    *k = KEPT_NONE;
    return own;
}

Term kept_append(Kept *k, Fragment *to) {
    Term own = k->own;
    if (k->data != NULL) {
        k->data->next = to->next;
        to->next = k->data;
    }
    *k = KEPT_NONE;
    return own;
}
