/*
 * `--`: the left list without the first occurrence of each element of the right one. O(n log n).
 *
 * A short right list is searched linearly. A long one becomes a table of distinct elements with counts: by hash where
 * all are words that are the same only as words, else sorted; a walk over the left list looks each element up and drops
 * it while its count lasts.
 */
#include <stdlib.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/mix.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/float.h"

#define SHORT_RIGHT 12
#define UNITS_PER_ELEMENT 40 /* of long work, beside comparisons: to sort and to look up */

typedef struct {
    Term element;
    size_t count; /* still to be dropped */
} Entry;

typedef struct {
    Entry *entries;
    size_t size; /* distinct elements, in exact term order; by hash: places, of which at most half are taken */
    size_t left; /* sum of the counts */
    bool is_hash;
} Table;

static int entry_compare(const void *a, const void *b) {
    return term_compare_exact(((const Entry *)a)->element, ((const Entry *)b)->element);
}

static void table_fill(Table *table, Term list) {
    Entry *to = table->entries;
    for (; is_list(list); list = list_tail(list))
        *to++ = (Entry){list_head(list), 1};
}

static void table_sort(Table *table) {
    size_t last = 0;
    qsort(table->entries, table->left, sizeof(Entry), entry_compare);
    for (size_t i = 1; i < table->left; i++) {
        if (term_identical(table->entries[last].element, table->entries[i].element))
            table->entries[last].count++;
        else
            table->entries[++last] = table->entries[i];
    }
    table->size = last + 1;
}

static Entry *table_find(Table *table, Term element) {
    size_t low = 0, high = table->size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = term_compare_exact(element, table->entries[middle].element);
        if (order == 0)
            return &table->entries[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Pointers and zeros may be the same term as another word. */
static bool is_word(Term t) { return !is_pointer(t) && !is_zero_float(t); }

static bool are_words(Term list) {
    while (is_list(list) && is_word(list_head(list)))
        list = list_tail(list);
    return is_nil(list);
}

/* That of the element, or a free one. The table's address is a secret to who chooses the elements. */
static Entry *hash_place(const Table *table, Term element) {
    size_t mask = table->size - 1, i = mix_word(element ^ (uintptr_t)table->entries);
    while (table->entries[i & mask].count != 0 && table->entries[i & mask].element != element)
        i++;
    return &table->entries[i & mask];
}

/* Count 1 is none left: a place stays taken. */
static void hash_fill(Table *table, Term list) {
    for (; is_list(list); list = list_tail(list)) {
        Entry *entry = hash_place(table, list_head(list));
        entry->element = list_head(list);
        entry->count += entry->count == 0 ? 2 : 1;
    }
}

static bool hash_take(Table *table, Term element) {
    Entry *entry = is_word(element) ? hash_place(table, element) : NULL;
    if (entry == NULL || entry->count <= 1)
        return false;
    entry->count--;
    table->left--;
    return true;
}

static Entry *table_scan(Table *table, Term element) {
    for (size_t i = 0; i < table->size; i++)
        if (table->entries[i].count > 0 && term_identical(element, table->entries[i].element))
            return &table->entries[i];
    return NULL;
}

/* Should this element go? */
static bool table_take(Table *table, Term element) {
    if (table->is_hash)
        return hash_take(table, element);
    Entry *entry = table->size <= SHORT_RIGHT ? table_scan(table, element) : table_find(table, element);
    if (!entry || entry->count == 0)
        return false;
    entry->count--;
    table->left--;
    return true;
}

/* `list`, of `length` cells, without what the table takes; once the table is used up the rest is shared. */
static Term filtered(Process *p, Term list, size_t length, Table *table) {
    Term *cells = area_alloc(process_area(p), 2 * length), *to = cells, *end = cells + 2 * length;
    Term result = NIL, *link = &result;
    unsigned left = LONG_WORK_ROUND;
    for (; is_list(list) && table->left > 0; list = list_tail(list)) {
        left = long_work_step(left, UNITS_PER_ELEMENT);
        if (table_take(table, list_head(list)))
            continue;
        to[0] = list_head(list);
        *link = list_make(to);
        link = to + 1;
        to += 2;
    }
    *link = list;
    long_work_rest(left, UNITS_PER_ELEMENT);
    area_give_back(process_area(p), to, end);
    return result;
}

static void table_make(Table *table, Term list, size_t length) {
    long_work_count_large(length, UNITS_PER_ELEMENT);
    table->left = table->size = length;
    table->is_hash = are_words(list);
    if (table->is_hash) {
        table->size = (size_t)1 << (65 - __builtin_clzll(length));
        table->entries = mem_calloc(ALLOC_TEMP, table->size * sizeof(Entry));
        hash_fill(table, list);
    } else {
        table->entries = mem_alloc(ALLOC_TEMP, length * sizeof(Entry));
        table_fill(table, list);
        table_sort(table);
    }
}

static Term subtracted(Process *p, const Term *a, int64_t left, int64_t right) {
    Entry few[SHORT_RIGHT];
    bool is_short = right <= SHORT_RIGHT;
    Table table = {few, (size_t)right, (size_t)right, false};
    if (is_short)
        table_fill(&table, a[1]);
    else
        table_make(&table, a[1], (size_t)right);
    Term result = filtered(p, a[0], (size_t)left, &table);
    if (!is_short)
        mem_free(ALLOC_TEMP, table.entries);
    process_bump(p, (left + right) / 4);
    return result;
}

Term erlang_subtract_2(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    int64_t left = list_length(a[0]), right = list_length(a[1]);
    if (left < 0 || right < 0)
        return fail_badarg(p);
    if (left == 0 || right == 0)
        return a[0];
    return subtracted(p, a, left, right);
}
