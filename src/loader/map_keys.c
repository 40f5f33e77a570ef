#include "loader/map_keys.h"

#include <string.h>

#include "base/mix.h"
#include "genops.h"
#include "term/compare.h"
#include "term/hash.h"
#include "term/map.h"

bool map_keys_sort(const Operand *list, size_t count, size_t step, Operand *sorted) {
    if (count > MAP_FLAT_MAX)
        return false;
    for (size_t i = 0; i < count * step; i += step) {
        if (list[i].kind != OPERAND_TERM)
            return false;
        size_t at = i;
        int order = -1;
        for (; at > 0 && (order = term_compare_keys(sorted[at - step].value, list[i].value)) > 0; at -= step)
            memcpy(&sorted[at], &sorted[at - step], step * sizeof *sorted);
        if (order == 0)
            return false;
        memcpy(&sorted[at], &list[i], step * sizeof *sorted);
    }
    return true;
}

size_t map_keys_most(const DecodedCode *decoded) {
    size_t count = 0;
    for (size_t i = 0; i < decoded->count; i++)
        count += decoded->code[i].op == GENOP_PUT_MAP_ASSOC;
    return count;
}

/* The tuples so far, by what is in them (of two zeros the first one shows, as on the stock runtime): a table that is at
 * most half full. */
typedef struct {
    uint32_t *numbers; /* of terms; 0: nothing */
    size_t mask;
    Term *terms;
    size_t count;
    Area *area;
} Tuples;

static uint64_t hash_of(const Operand *pairs, size_t count) {
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = mix_word(hash ^ term_hash(pairs[2 * i].value));
    return hash;
}

static bool are_keys(Term tuple, const Operand *pairs, size_t count) {
    bool are = tuple_arity(tuple) == count;
    for (size_t i = 0; are && i < count; i++)
        are = term_identical(tuple_elements(tuple)[i], pairs[2 * i].value);
    return are;
}

static Term make(Area *area, const Operand *pairs, size_t count) {
    Term *tuple = area_alloc(area, 1 + count);
    tuple[0] = header_make(KIND_TUPLE, count);
    for (size_t i = 0; i < count; i++)
        tuple[1 + i] = pairs[2 * i].value;
    return boxed_make(tuple);
}

/* The number of the term that has these keys. */
static uint32_t number_of(Tuples *tuples, const Operand *pairs, size_t count) {
    size_t at = hash_of(pairs, count) & tuples->mask;
    for (; tuples->numbers[at] != 0; at = (at + 1) & tuples->mask)
        if (are_keys(tuples->terms[tuples->numbers[at] - 1], pairs, count))
            return tuples->numbers[at] - 1;
    tuples->terms[tuples->count++] = make(tuples->area, pairs, count);
    tuples->numbers[at] = (uint32_t)tuples->count;
    return (uint32_t)tuples->count - 1;
}

static bool is_empty_map(const Operand *o) {
    return o->kind == OPERAND_TERM && is_flat_map(o->value) && flat_map_size(o->value) == 0;
}

size_t map_keys_add(DecodedCode *decoded, Workspace *workspace, Area *area, size_t most, Term *terms, size_t count) {
    size_t capacity = 2;
    while (capacity < 2 * most)
        capacity *= 2;
    Tuples tuples = {.mask = capacity - 1, .terms = terms, .count = count, .area = area};
    tuples.numbers = workspace_take_zeroed(workspace, capacity * sizeof(uint32_t));
    for (size_t i = 0; i < decoded->count; i++) {
        if (decoded->code[i].op != GENOP_PUT_MAP_ASSOC)
            continue;
        Operand pairs[2 * MAP_FLAT_MAX], *from = &decoded->code[i].operands[1], *list = from + 3;
        if (!is_empty_map(from) || list->kind != OPERAND_LIST || list->value % 2 != 0 ||
            !map_keys_sort(list->list, list->value / 2, 2, pairs))
            continue;
        decoded_add_patch(decoded, workspace, from, number_of(&tuples, pairs, list->value / 2));
        from->kind = OPERAND_MAP_KEYS;
    }
    return tuples.count;
}
