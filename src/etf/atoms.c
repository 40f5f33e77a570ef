#include "etf/atoms.h"

#include "base/mix.h"

unsigned etf_atoms_put(EtfAtoms *a, Term atom) {
    uint32_t index = atom_index(atom);
    size_t at = mix_word(index) % ETF_ATOM_PLACES;
    for (; a->place[at] != ETF_ATOMS_MAX; at = (at + 1) % ETF_ATOM_PLACES)
        if (a->indices[a->place[at]] == index)
            return a->place[at];
    if (a->count == ETF_ATOMS_MAX)
        return ETF_ATOMS_MAX;
    a->indices[a->count] = index;
    a->place[at] = (uint8_t)a->count;
    return a->count++;
}
