#include "jit/names.h"

#include <string.h>

#include "alloc/alloc.h"
#include "jit/gdb.h"
#include "jit/perf.h"
#include "jit/templates.h"
#include "term/atom.h"
#include "term/text.h"

/* Of one block. */
typedef struct NativeNames {
    PerfLines lines;
    struct GdbFile *gdb; /* NULL: none */
} NativeNames;

static NamesFlags told;

bool names_flags_perf(NamesFlags *flags, const char *value) {
    bool is_all = strcmp(value, "true") == 0, is_map = strcmp(value, "map") == 0, is_dump = strcmp(value, "dump") == 0;
    flags->perf_map = is_all || is_map;
    flags->perf_dump = is_all || is_dump;
    return is_all || is_map || is_dump || strcmp(value, "false") == 0;
}

void native_names_start(const NamesFlags *flags) {
    told.perf_map = flags->perf_map && perf_map_start();
    told.perf_dump = flags->perf_dump && perf_dump_start();
    told.gdb = flags->gdb;
}

/* --- ranges ------------------------------------------------------------------------------------------------------ */

/* What ends a name, or a line, in a file of others' is not in it: atoms may hold anything. */
static void put_atom(Text *t, Term atom) {
    const AtomName *name = atom_name(atom);
    for (size_t i = 0; i < name->byte_count; i++)
        text_byte(t, name->bytes[i] < ' ' || name->bytes[i] == 127 ? '?' : (char)name->bytes[i]);
}

static size_t put_name(Text *names, const FunctionHeader *f, const char *suffix) {
    size_t at = names->size;
    put_atom(names, f->module);
    text_byte(names, ':');
    put_atom(names, f->function);
    text_format(names, "/%u%s", (unsigned)f->arity, suffix);
    text_byte(names, '\0');
    return at;
}

static void add_range(NativeRanges *r, Text *names, uint32_t function, const char *suffix, NativeRange range) {
    if (range.size == 0)
        return;
    range.name = (const char *)put_name(names, instance_function(r->instance, function), suffix); /* placed later */
    r->ranges[r->count++] = range;
}

/* The first place at or behind `word`. */
static size_t place_at(const InsnPlace *places, size_t count, size_t from, uint32_t word) {
    while (from < count && places[from].word < word)
        from++;
    return from;
}

static void find_ranges(NativeRanges *r, Text *names, const InsnPlace *places, size_t count) {
    const ModuleInstance *m = r->instance;
    const NativeLayout *layout = r->layout;
    const uint8_t *block = m->native.code.address;
    size_t place = place_at(places, count, 0, m->functions[0]);
    for (uint32_t i = 0; i < m->function_count; i++) {
        bool is_last = i + 1 == m->function_count;
        uint32_t end_word = is_last ? (uint32_t)m->word_count : m->functions[i + 1];
        size_t next = place_at(places, count, place, end_word);
        uint32_t start = layout->at[places[place].word];
        uint32_t end = next == count ? layout->exits[0] : layout->at[places[next].word];
        uint32_t exits = layout->exits[place], exits_end = layout->exits[next];
        add_range(r, names, i, "", (NativeRange){NULL, block + start, end - start, m->functions[i], end_word});
        add_range(r, names, i, "-exits", (NativeRange){NULL, block + exits, exits_end - exits, 0, 0});
        place = next;
    }
}

/* --- telling ----------------------------------------------------------------------------------------------------- */

static void tell(ModuleInstance *m, const NativeRanges *ranges) {
    NativeNames *names = m->native.names = mem_calloc(ALLOC_CODE, sizeof *names);
    if (told.perf_map)
        names->lines = perf_map_tell(ranges);
    if (told.perf_dump)
        perf_dump_tell(ranges);
    if (told.gdb)
        names->gdb = gdb_tell(ranges);
}

bool native_names_are_told(void) { return told.perf_map || told.perf_dump || told.gdb; }

void native_names_tell(ModuleInstance *m, const NativeLayout *layout, const InsnPlace *places, size_t count) {
    if (layout->at == NULL || m->function_count == 0 || !native_names_are_told())
        return;
    TEXT(names);
    NativeRanges r = {.instance = m, .layout = layout};
    r.ranges = mem_alloc(ALLOC_LOADER, 2 * (size_t)m->function_count * sizeof(NativeRange));
    find_ranges(&r, &names, places, count);
    for (size_t i = 0; i < r.count; i++)
        r.ranges[i].name = names.bytes + (size_t)r.ranges[i].name;
    tell(m, &r);
    mem_free(ALLOC_LOADER, r.ranges);
}

void native_names_forget(NativeBlock *block) {
    if (block->names == NULL)
        return;
    perf_map_forget(block->names->lines);
    gdb_forget(block->names->gdb);
    mem_free(ALLOC_CODE, block->names);
    block->names = NULL;
}
