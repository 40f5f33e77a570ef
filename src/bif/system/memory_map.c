/*
 * The map of memory blocks (alloc/block_map.h) and the sums over them, for lib/memory/viv_memory_map.erl and
 * lib/instrument.erl. Types are numbers, from 0 on, in the order of types/0.
 */
#include "alloc/alloc.h"
#include "alloc/block_map.h"
#include "alloc/status.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "process/fail.h"
#include "process/memory_site.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

/* Records that are looked at in one call: some 40 us. */
enum { PIECE = 1024, PIDS_KEPT = 64 };

/* start(RecordBytes, Sites) -> boolean(): false when it is on. On a dirty thread. */
Term viv_memory_map_start_2(Process *p, const Term *a) {
    uint64_t bytes;
    if (!integer_to_uint64(a[0], &bytes) || (a[1] != am_true && a[1] != am_false))
        return fail_badarg(p);
    return block_map_start(bytes, a[1] == am_true) ? am_true : am_false;
}

/* On a dirty thread, since it may wait for others to get a few steps further. */
Term viv_memory_map_stop_0(Process *p, const Term *a) { return block_map_stop() ? am_true : am_false; }

static Term unsigned_tuple(Process *p, const uint64_t *values, size_t count, Term first) {
    Area *area = process_area(p);
    Term elements[8];
    elements[0] = first;
    for (size_t i = 0; i < count; i++)
        elements[1 + i] = integer_from_uint64(area, values[i]);
    return area_tuple(area, elements, 1 + count);
}

/* {IsOn, RecordBytes, RecordBytesAllowed, Records, Shift, MissedBlocks, MissedBytes} */
Term viv_memory_map_figures_0(Process *p, const Term *a) {
    BlockMapFigures f = block_map_figures();
    const uint64_t values[] = {f.record_bytes, f.record_bytes_allowed, f.records,
                               f.shift,        f.missed_blocks,        f.missed_bytes};
    return unsigned_tuple(p, values, array_length(values), f.is_on ? am_true : am_false);
}

/* snapshot() -> integer() | false */
Term viv_memory_map_snapshot_0(Process *p, const Term *a) {
    uint64_t snapshot = block_map_snapshot();
    return snapshot ? integer_from_uint64(process_area(p), snapshot) : am_false;
}

/* {0, Number, Serial} of one pid is built once in each piece. */
typedef struct {
    Area *area;
    Term pids[PIDS_KEPT], built[PIDS_KEPT];
} PidDescriptors;

static Term pid_descriptor(PidDescriptors *d, Term pid) {
    if (!pid)
        return am_undefined;
    unsigned slot = (unsigned)(pid >> IMM_SHIFT) % PIDS_KEPT;
    if (d->pids[slot] == pid)
        return d->built[slot];
    d->pids[slot] = pid;
    return d->built[slot] =
               area_tuple3(d->area, small_make(0), small_make(pid_number(pid)), small_make(pid_serial(pid)));
}

/* {TypeNo, Address, Size, PidDesc}: as the manual of R9C has it. */
static Term plain_block(PidDescriptors *d, const Block *b) {
    return area_tuple4(d->area, small_make(b->type), small_make((SWord)(uintptr_t)b->address),
                       small_make((SWord)b->bytes), pid_descriptor(d, b->owner));
}

/* {TypeNo, Address, Size, Pid | undefined, Site, Shift} */
static Term whole_block(PidDescriptors *d, const Block *b) {
    const Term elements[] = {small_make(b->type),         small_make((SWord)(uintptr_t)b->address),
                             small_make((SWord)b->bytes), b->owner ? b->owner : am_undefined,
                             small_make(b->site),         small_make(b->shift)};
    return area_tuple(d->area, elements, array_length(elements));
}

#define BLOCK_WORDS_MOST (7 + 2 + 4)
#define PLAIN_BLOCK_WORDS (5 + 2)

typedef Term BlockMaker(PidDescriptors *d, const Block *b);

/* read(Snapshot, From, Blocks) -> {Next, [Block | Blocks]} | stopped. From is 0 at first, Next at the end. */
static Term read(Process *p, const Term *a, size_t room, BlockMaker *make) {
    uint64_t snapshot;
    if (!integer_to_uint64(a[0], &snapshot) || !is_small_within(a[1], 0, UINT32_MAX))
        return fail_badarg(p);
    if (process_lacks_room(p, room))
        return bif_with_room(p, room);
    Block blocks[PIECE];
    uint32_t from = (uint32_t)small_value(a[1]);
    ptrdiff_t found = block_map_read(snapshot, &from, blocks, PIECE);
    if (found < 0)
        return am_stopped;
    PidDescriptors descriptors = {.area = process_area(p)};
    Term list = a[2];
    for (ptrdiff_t i = 0; i < found; i++)
        list = area_cons(process_area(p), make(&descriptors, &blocks[i]), list);
    long_work_count(PIECE);
    return area_tuple2(process_area(p), small_make(from), list);
}

/* Who begins to make a list of all the blocks gets room for it, or it would be collected again and again. */
Term viv_memory_map_read_3(Process *p, const Term *a) {
    size_t blocks = a[1] == small_make(0) ? block_map_figures().records : 0;
    return read(p, a, PIECE * BLOCK_WORDS_MOST + blocks * PLAIN_BLOCK_WORDS, plain_block);
}

Term viv_memory_map_read_all_3(Process *p, const Term *a) { return read(p, a, PIECE * BLOCK_WORDS_MOST, whole_block); }

/* site(Site) -> {Module, Function, Arity, Line} | undefined; the line is 0 where it is unknown. */
Term viv_memory_map_site_1(Process *p, const Term *a) {
    MemorySite site;
    if (!is_small_within(a[0], 0, UINT32_MAX))
        return fail_badarg(p);
    if (!memory_site_find((uint32_t)small_value(a[0]), &site))
        return am_undefined;
    return area_tuple4(process_area(p), site.module, site.function, small_make(site.arity), small_make(site.line));
}

static const Term class_names[ALLOC_CLASS_COUNT] = {
    [CLASS_PROCESSES] = am_processes, [CLASS_SYSTEM] = am_system, [CLASS_ATOM] = am_atom,
    [CLASS_BINARY] = am_binary,       [CLASS_CODE] = am_code,     [CLASS_ETS] = am_ets,
};

static Term type_name(unsigned type) { return atom_from_cstring(alloc_type_info[type].name); }

/* [{Type, Class, Description}], by number; classes are those of erlang:memory/0. */
Term viv_memory_map_types_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term list = NIL;
    for (unsigned type = ALLOC_TYPE_COUNT; type-- > 0;) {
        const AllocTypeInfo *info = &alloc_type_info[type];
        Term text = list_from_native_text(area, info->description);
        list = area_cons(area, area_tuple3(area, type_name(type), class_names[info->class], text), list);
    }
    return list;
}

static Term maximum(Area *area, const Maximum *m) {
    return area_tuple3(area, integer_from_int64(area, m->now), integer_from_int64(area, m->since),
                       integer_from_int64(area, m->ever));
}

static Term sum_name(unsigned sum) {
    if (sum >= SUM_TYPES)
        return type_name(sum - SUM_TYPES);
    if (sum >= SUM_CLASSES)
        return class_names[sum - SUM_CLASSES];
    return sum == SUM_TOTAL ? am_total : sum == SUM_BLOCKS ? am_sys_alloc : am_mseg_alloc;
}

static Term status_list(Area *area, unsigned first, unsigned count) {
    AllocStatus status[SUM_COUNT];
    Term list = NIL;
    if (!alloc_status(first, count, status))
        return am_false;
    for (unsigned i = count; i-- > 0;) {
        Term sizes = maximum(area, &status[i].sizes), blocks = maximum(area, &status[i].blocks);
        list = area_cons(area, area_tuple3(area, sum_name(first + i), sizes, blocks), list);
    }
    return list;
}

/* status(total | allocators | classes | types) -> [{About, Sizes, Blocks}] | false; each is {Now, SinceAsked, Ever}. */
Term viv_memory_map_status_1(Process *p, const Term *a) {
    Area *area = process_area(p);
    switch (a[0]) {
    case am_total: return status_list(area, SUM_TOTAL, 1);
    case am_allocators: return status_list(area, SUM_BLOCKS, SUM_CLASSES - SUM_BLOCKS);
    case am_classes: return status_list(area, SUM_CLASSES, SUM_TYPES - SUM_CLASSES);
    case am_types: return status_list(area, SUM_TYPES, ALLOC_TYPE_COUNT);
    default: return fail_badarg(p);
    }
}

/* [{Type, Bytes, Blocks}]: what is held, as counted always, with what allocators give beyond what was asked for. */
Term viv_memory_map_sums_0(Process *p, const Term *a) {
    Area *area = process_area(p);
    Term list = NIL;
    for (unsigned type = ALLOC_TYPE_COUNT; type-- > 0;) {
        AllocSum sum = alloc_sum((AllocType)type);
        Term bytes = integer_from_int64(area, sum.bytes), blocks = integer_from_int64(area, sum.blocks);
        list = area_cons(area, area_tuple3(area, type_name(type), bytes, blocks), list);
    }
    return list;
}
