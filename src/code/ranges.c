#include "code/ranges.h"

#include <string.h>

#include "alloc/alloc.h"

typedef struct {
    const Word *start, *end;
    const ModuleInstance *instance;
} Range;
typedef struct {
    size_t count;
    Range ranges[];
} RangeArray;

static RangeArray *arrays[CODE_GENERATIONS];

static const Range *search(const RangeArray *array, const Word *address) {
    size_t low = 0, high = array == NULL ? 0 : array->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const Range *r = &array->ranges[middle];
        if (address < r->start)
            high = middle;
        else if (address >= r->end)
            low = middle + 1;
        else
            return r;
    }
    return NULL;
}

const ModuleInstance *range_find(const Word *address) {
    const Range *r = search(__atomic_load_n(&arrays[code_active()], __ATOMIC_ACQUIRE), address);
    return r == NULL ? NULL : r->instance;
}

/* The last item of an ascending table whose key is not above `word`; -1 when there is none. */
static int64_t last_at(const uint32_t *first_key, size_t stride, uint32_t count, uint32_t word) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        uint32_t key = *(const uint32_t *)((const char *)first_key + (size_t)middle * stride);
        if (key <= word)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

bool range_place(const Word *address, CodePlace *place) {
    const ModuleInstance *m = range_find(address);
    if (m == NULL)
        return false;
    uint32_t word = (uint32_t)(address - m->code);
    int64_t function = last_at(m->functions, sizeof(uint32_t), m->function_count, word);
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

static RangeArray *array_create(size_t count) {
    RangeArray *array = mem_alloc(ALLOC_MODULE, sizeof *array + count * sizeof(Range));
    array->count = count;
    return array;
}

void ranges_stage_begin(void) {
    const RangeArray *active = arrays[code_active()];
    size_t count = active == NULL ? 0 : active->count;
    RangeArray *copy = array_create(count);
    if (count > 0)
        memcpy(copy->ranges, active->ranges, count * sizeof(Range));
    mem_free(ALLOC_MODULE, arrays[code_staging()]);
    arrays[code_staging()] = copy;
}

void ranges_stage_add(const ModuleInstance *instance) {
    RangeArray *array = arrays[code_staging()];
    if (search(array, instance->code) != NULL)
        return;
    size_t i = array->count;
    array = mem_realloc(ALLOC_MODULE, array, sizeof *array + (i + 1) * sizeof(Range));
    for (; i > 0 && array->ranges[i - 1].start > instance->code; i--)
        array->ranges[i] = array->ranges[i - 1];
    array->ranges[i] = (Range){instance->code, instance->code + instance->word_count, instance};
    array->count++;
    arrays[code_staging()] = array;
}

void ranges_stage_remove(const ModuleInstance *instance) {
    RangeArray *array = arrays[code_staging()];
    Range *r = (Range *)search(array, instance->code);
    if (r == NULL)
        return;
    size_t after = (size_t)(array->ranges + array->count - (r + 1));
    memmove(r, r + 1, after * sizeof(Range));
    array->count--;
}

void ranges_commit(void) {
    /* The array is complete before the index that leads to it is stored. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
}
