#include "code/ranges.h"

#include "code/journal.h"
#include "code/range_table.h"

static RangeTable tables[CODE_GENERATIONS];

typedef struct {
    Range range;
    bool removed;
} RangeChange;
static Journal journals[2];

const ModuleInstance *range_find(const Word *address) {
    const Range *r = range_table_find(&tables[code_active()], address);
    return r == NULL ? NULL : r->instance;
}

/* The last item of an ascending table whose key is not above `word`; -1 when there is none. What nobody can guess is
 * no jump. */
static int64_t last_at(const uint32_t *first_key, size_t stride, uint32_t count, uint32_t word) {
    const char *base = (const char *)first_key;
    if (count == 0 || word < *first_key)
        return -1;
    for (uint32_t left = count; left > 1;) {
        uint32_t half = left / 2;
        const char *middle = base + half * stride;
        base = *(const uint32_t *)middle <= word ? middle : base;
        left -= half;
    }
    return (int64_t)((size_t)(base - (const char *)first_key) / stride);
}

bool range_place(const Word *address, CodePlace *place) {
    const ModuleInstance *m = range_find(address);
    return m != NULL && range_place_in(m, address, place);
}

/* -1: it is in front of all. */
static int64_t function_at(const ModuleInstance *m, uint32_t word) {
    return last_at(m->functions, sizeof(uint32_t), m->function_count, word);
}

uint32_t range_function(const ModuleInstance *m, const Word *address) {
    int64_t function = function_at(m, (uint32_t)(address - m->code));
    require(function >= 0);
    return (uint32_t)function;
}

const FunctionHeader *range_header(const Word *address) {
    const ModuleInstance *m = range_find(address);
    int64_t function = m != NULL ? function_at(m, (uint32_t)(address - m->code)) : -1;
    return function < 0 ? NULL : instance_function(m, (uint32_t)function);
}

bool range_place_in(const ModuleInstance *m, const Word *address, CodePlace *place) {
    if (address < m->code || address >= m->code + m->word_count)
        return false;
    uint32_t word = (uint32_t)(address - m->code);
    int64_t function = function_at(m, word);
    if (function < 0)
        return false;
    *place = (CodePlace){.instance = m, .function = instance_function(m, (uint32_t)function)};
    int64_t line = m->line_count == 0 ? -1 : last_at(&m->lines[0].word, sizeof(CodeLine), m->line_count, word);
    if (line < 0 || m->lines[line].line == 0 || m->lines[line].word < m->functions[function])
        return true;
    place->line = m->lines[line].line;
    uint32_t file = m->lines[line].file;
    if (file > 0) {
        place->file = m->files[file - 1].bytes;
        place->file_bytes = m->files[file - 1].size;
    }
    return true;
}

static void apply(RangeTable *table, const RangeChange *change) {
    if (change->removed)
        range_table_remove(table, change->range.start);
    else
        range_table_add(table, change->range);
}

/* The instances behind the changes may have been freed since: only their addresses count. */
static void redo(const Journal *journal) {
    const RangeChange *changes = journal->items;
    for (size_t i = 0; i < journal->count; i++)
        apply(&tables[code_staging()], &changes[i]);
}

void ranges_stage_begin(void) {
    redo(&journals[1]);
    redo(&journals[0]);
    journals_turn(journals);
}

static void stage(RangeChange change) {
    *(RangeChange *)journal_add(&journals[0], sizeof change) = change;
    apply(&tables[code_staging()], &change);
}

static Range range_of(const ModuleInstance *instance) {
    return (Range){instance->code, instance->code + instance->word_count, instance};
}

void ranges_stage_add(const ModuleInstance *instance) { stage((RangeChange){range_of(instance), false}); }

void ranges_stage_remove(const ModuleInstance *instance) { stage((RangeChange){range_of(instance), true}); }
