#include "etf/atoms.h"

/* The upper bits of a product spread indices that follow each other (D. Knuth, The Art of Computer Programming 3,
 * 6.4). */
static inline size_t first_place(uint32_t index) { return index * 0x9e3779b1u >> 23; }
_Static_assert(ETF_ATOM_PLACES == 1 << (32 - 23), "so many bits are left of the product");

unsigned etf_atoms_put(EtfAtoms *a, Term atom) {
    uint32_t index = atom_index(atom);
    size_t at = first_place(index);
    for (; a->place[at] != ETF_ATOMS_MAX; at = (at + 1) % ETF_ATOM_PLACES)
        if (a->indices[a->place[at]] == index)
            return a->place[at];
    if (a->count == ETF_ATOMS_MAX)
        return ETF_ATOMS_MAX;
    a->indices[a->count] = index;
    a->place[at] = (uint8_t)a->count;
    return a->count++;
}
