/*
 * Sorting maps of memory blocks by address: ten million blocks in about a second, where lists:keysort takes five. By
 * digits (least significant first), so blocks of the same address stay in order, as with keysort.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "process/fail.h"
#include "term/atom.h"
#include "term/boxed.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, AT_ONCE = 4096, UNITS_PER_BLOCK = 10 };

typedef struct {
    Word address;
    Term block;
} Item;

static bool is_sortable(Term block) {
    return is_tuple_arity(block, 4) && is_small(tuple_elements(block)[1]) && small_value(tuple_elements(block)[1]) >= 0;
}

/* -1: it is no list of blocks, or has addresses that are no small integers. */
static ptrdiff_t count_blocks(Term list) {
    ptrdiff_t count = 0;
    for (; is_list(list) && is_sortable(list_head(list)); list = list_tail(list))
        if (++count % AT_ONCE == 0)
            long_work_count(AT_ONCE * UNITS_PER_BLOCK);
    return list == NIL ? count : -1;
}

/* Gives the bits in which addresses differ. */
static Word take_blocks(Item *to, Term list) {
    Word first = (Word)small_value(tuple_elements(list_head(list))[1]), differ = 0;
    for (size_t i = 0; list != NIL; list = list_tail(list), i++) {
        to[i] = (Item){(Word)small_value(tuple_elements(list_head(list))[1]), list_head(list)};
        differ |= to[i].address ^ first;
        if (i % AT_ONCE == 0)
            long_work_count(AT_ONCE * UNITS_PER_BLOCK);
    }
    return differ;
}

static void sort_by_digit(const Item *from, Item *to, size_t count, unsigned shift) {
    size_t starts[DIGITS] = {0}, at = 0;
    for (size_t i = 0; i < count; i++)
        starts[from[i].address >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0, size; digit < DIGITS; digit++, at += size) {
        size = starts[digit];
        starts[digit] = at;
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[from[i].address >> shift & (DIGITS - 1)]++] = from[i];
        if (i % AT_ONCE == 0)
            long_work_count(AT_ONCE * UNITS_PER_BLOCK);
    }
}

/* `items` has twice the room. Gives where they are at last. */
static Item *sort_items(Item *items, size_t count, Word differ) {
    Item *from = items, *to = items + count;
    for (unsigned shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1)))
            continue;
        sort_by_digit(from, to, count, shift);
        Item *sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

static Term list_of(Area *area, const Item *items, size_t count) {
    Term list = NIL;
    while (count-- > 0) {
        list = area_cons(area, items[count].block, list);
        if (count % AT_ONCE == 0)
            long_work_count(AT_ONCE * UNITS_PER_BLOCK);
    }
    return list;
}

/* sort([{TypeNo, Address, Size, PidDesc}]) -> the same by Address | false: no such list, or no memory for it. */
Term viv_memory_map_sort_1(Process *p, const Term *a) {
    ptrdiff_t count = count_blocks(a[0]);
    if (count <= 0)
        return count < 0 ? am_false : NIL;
    size_t words = (size_t)count * 2;
    if (process_lacks_room(p, words))
        return bif_with_room(p, words);
    Item *items = mem_try_alloc(ALLOC_TEMP, words * sizeof *items);
    if (!items)
        return am_false;
    Word differ = take_blocks(items, a[0]);
    Term sorted = list_of(process_area(p), sort_items(items, (size_t)count, differ), (size_t)count);
    mem_free(ALLOC_TEMP, items);
    return sorted;
}
