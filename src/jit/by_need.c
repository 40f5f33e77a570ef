#include "jit/by_need.h"

#include <stdatomic.h>
#include <string.h>

#include "alloc/alloc.h"
#include "alloc/who.h"
#include "base/long_work.h"
#include "base/race_window.h"
#include "base/thread_progress.h"
#include "code/breakpoint.h"
#include "code/ranges.h"
#include "emu/interp.h"
#include "insns.h"
#include "jit/float_steps.h"
#include "jit/written.h"
#include "sys/thread.h"

/* A code of two bytes for each instruction: its form, and whether it is a target. GAP says that the next one does not
 * follow at once; in the two codes behind it stands how many words are between them. */
#define TARGET 0x8000
#define GAP 0x7fff
#define GAP_CODES 3
_Static_assert(INSN_FORM_COUNT < GAP, "a form is a number of 15 bits");

/* A call that came before the function was made: where its distance is executed, and where it is written. */
typedef struct {
    uint8_t *written;
    uint32_t site, next; /* the number of the next one of the same function, and 1; 0: none */
} Call;
typedef struct {
    uint32_t stub, calls; /* where they lead, and the first one's number, and 1; 0, 0: none */
} Unmade;

typedef struct NativeNeed {
    uint32_t *first; /* by function: the first of its codes; once more: the first one behind all */
    uint16_t *codes;
    Unmade *unmade; /* NULL, or by function */
    Call *calls;
    uint32_t call_count, call_capacity, free_calls;
    bool floats_cross;
    _Atomic size_t bytes; /* of all these tables */
} NativeNeed;

/* Instructions that nobody is held up by. */
#define QUICK_INSNS 1000
#define UNITS_PER_INSN 150
#define FIRST_CALLS 16

static Mutex need_lock = MUTEX_INITIALIZER(LOCK_NATIVE_NEED);
static uint32_t unmade_handler; /* where the first word of a function leads that has not been made */

/* A table of so many bytes in the place of one (NULL, 0: none). */
static void *table(NativeNeed *need, void *before, size_t bytes_before, size_t bytes) {
    atomic_fetch_add_explicit(&need->bytes, bytes - bytes_before, memory_order_relaxed);
    return mem_realloc(ALLOC_CODE, before, bytes);
}

/* --- codes ------------------------------------------------------------------------------------------------------- */

#define INFO_WORD (offsetof(FunctionHeader, func_info) / sizeof(Word))
#define BODY_WORD (sizeof(FunctionHeader) / sizeof(Word))

/* Of one function: the instruction of its header first. */
static size_t write_codes(uint16_t *codes, const InsnPlace *places, size_t count) {
    size_t n = 0;
    uint32_t word = places[0].word;
    for (size_t i = 0; i < count; i++) {
        uint32_t gap = places[i].word - word;
        if (gap > 0) {
            codes[n++] = GAP;
            codes[n++] = (uint16_t)gap;
            codes[n++] = (uint16_t)(gap >> 16);
        }
        codes[n++] = (uint16_t)(places[i].form | (places[i].is_target ? TARGET : 0));
        word = i == 0 ? word + (uint32_t)(BODY_WORD - INFO_WORD) : places[i].word + insn_forms[places[i].form].words;
    }
    return n;
}

/* The number of places, of words from the header on. */
static size_t read_codes(InsnPlace *places, const uint16_t *codes, size_t count) {
    size_t n = 0;
    uint32_t word = INFO_WORD;
    for (size_t i = 0; i < count; i++) {
        if (codes[i] == GAP) {
            word += codes[i + 1] | (uint32_t)codes[i + 2] << 16;
            i += GAP_CODES - 1;
            continue;
        }
        places[n] = (InsnPlace){word, codes[i] & (TARGET - 1), codes[i] & TARGET};
        word = n == 0 ? BODY_WORD : word + insn_forms[places[n].form].words;
        n++;
    }
    return n;
}

/* --- ways to other functions ------------------------------------------------------------------------------------- */

typedef struct {
    Outside outside;
    ModuleInstance *instance;
} Making;

/* A way by the word: it stands for ever. */
static const uint8_t *put_stub(Making *making, const Word *to, InsnHandler *handler) {
    NativeRoom room = native_block_room(&making->instance->native, LEAVE_BYTES);
    if (room.address == NULL)
        return NULL;
    making->outside.is_reused |= !room.is_new;
    Writer w = {.from = room.address, .to = room.written};
    writer_leave(&w, to, handler);
    return room.address;
}

static Unmade *unmade_of(ModuleInstance *m, uint32_t number) {
    NativeNeed *need = m->native.need;
    size_t bytes = m->function_count * sizeof(Unmade);
    if (need->unmade == NULL)
        need->unmade = memset(table(need, NULL, 0, bytes), 0, bytes);
    return &need->unmade[number];
}

static uint32_t add_call(NativeNeed *need) {
    if (need->free_calls != 0) {
        uint32_t number = need->free_calls;
        need->free_calls = need->calls[number - 1].next;
        return number;
    }
    if (need->call_count == need->call_capacity) {
        size_t before = need->call_capacity * sizeof(Call);
        need->call_capacity = need->call_capacity > 0 ? 2 * need->call_capacity : FIRST_CALLS;
        need->calls = table(need, need->calls, before, need->call_capacity * sizeof(Call));
    }
    return ++need->call_count;
}

static void note_call(ModuleInstance *m, Unmade *u, const uint8_t *site) {
    NativeNeed *need = m->native.need;
    uint32_t number = add_call(need), at = (uint32_t)(uintptr_t)site;
    need->calls[number - 1] = (Call){native_block_written(&m->native, at), at, u->calls};
    u->calls = number;
}

static const uint8_t *way_to_function(Making *making, const Word *entry, const uint8_t *site) {
    ModuleInstance *m = making->instance;
    uint32_t made = function_native_entry(function_of_entry(entry));
    if (made != 0)
        return (const uint8_t *)(uintptr_t)made;
    Unmade *u = unmade_of(m, range_function(m, entry));
    if (u->stub == 0)
        u->stub = (uint32_t)(uintptr_t)put_stub(making, entry, emu_enter);
    note_call(m, u, site);
    return (const uint8_t *)(uintptr_t)u->stub;
}

static const uint8_t *way(Outside *outside, const Word *to, const uint8_t *site) {
    Making *making = container_of(outside, Making, outside);
    return site != NULL ? way_to_function(making, to, site) : put_stub(making, to, emu_by_word);
}

/* A distance counts from behind itself. The rows are free then. */
static void lead_calls(NativeNeed *need, uint32_t number, uint32_t entry) {
    Unmade *u = need->unmade != NULL ? &need->unmade[number] : NULL;
    while (u != NULL && u->calls != 0) {
        uint32_t first = u->calls;
        Call *call = &need->calls[first - 1];
        uint32_t distance = entry - (call->site + (uint32_t)sizeof(uint32_t));
        __atomic_store_n((uint32_t *)call->written, distance, __ATOMIC_RELEASE);
        u->calls = call->next;
        call->next = need->free_calls;
        need->free_calls = first;
    }
}

/* --- making ------------------------------------------------------------------------------------------------------ */

static uint32_t interpreted(const NativeNeed *need, uint32_t number) {
    return (uint32_t)insn_word(&insn_forms[need->codes[need->first[number] + 1] & (TARGET - 1)]);
}

/* Of the instruction behind the function's: the next one's header's, or the last of all, one word. */
static uint32_t word_behind(const ModuleInstance *m, uint32_t number) {
    bool is_last = number + 1 == m->function_count;
    return is_last ? (uint32_t)m->word_count - 1 : m->functions[number + 1] + (uint32_t)INFO_WORD;
}

static NativePart part_of(Workspace *workspace, const ModuleInstance *m, uint32_t number) {
    const NativeNeed *need = m->native.need;
    uint32_t first = need->first[number], count = need->first[number + 1] - first + 1;
    InsnPlace *places = workspace_take(workspace, count * sizeof(InsnPlace));
    NativePart part = {.words = m->code + m->functions[number], .places = places, .floats_cross = need->floats_cross};
    part.count = read_codes(places, need->codes + first, count);
    places[part.count - 1].word = word_behind(m, number) - m->functions[number];
    return part;
}

/* Where the function's body is from now on. By one at a time. */
static uint32_t make(ModuleInstance *m, uint32_t number) {
    ALLOC_FOR_ALL;
    Workspace workspace = {0};
    Making making = {.outside.way = way, .instance = m};
    NativePart part = part_of(&workspace, m, number);
    uint32_t entry = native_emit_part(&workspace, &part, &making.outside, &m->native);
    uint32_t body = entry != 0 ? entry + NATIVE_ENTRY_BYTES : interpreted(m->native.need, number);
    workspace_end(&workspace);
    race_window("a function is made, and led to by nobody");
    breakpoint_body_is_made(m, (FunctionHeader *)instance_function(m, number), unmade_handler, body, entry);
    race_window("a function is led to, and not yet by those who were made before");
    if (entry != 0)
        lead_calls(m->native.need, number, entry);
    return body;
}

/* What others have made meanwhile may be another body. */
static uint32_t make_once(ModuleInstance *m, uint32_t number) {
    uint32_t body = breakpoint_original(instance_function(m, number));
    return body == unmade_handler ? make(m, number) : body;
}

/* Not by who is no scheduler, and does one instruction of somebody else's code. */
static bool try_to_make(ModuleInstance *m, uint32_t number, uint32_t *body) {
    if (thread_kind != THREAD_SCHEDULER || !mutex_try_lock(&need_lock))
        return false;
    *body = make_once(m, number);
    mutex_unlock(&need_lock);
    return true;
}

/* The instance is found by the function's header: its funs may be called before it is in the ranges of code. */
static uint32_t by_need(const Word *entry) {
    ModuleInstance *m = function_of_entry(entry)->instance;
    const NativeNeed *need = m->native.need;
    uint32_t number = range_function(m, entry), body = interpreted(need, number);
    thread_progress_enter(); /* breakpoints */
    bool is_made = try_to_make(m, number, &body);
    thread_progress_leave();
    if (is_made)
        long_work_count((need->first[number + 1] - need->first[number]) * UNITS_PER_INSN);
    return body;
}

/* --- modules ----------------------------------------------------------------------------------------------------- */

void native_need_begin(void) {
    unmade_handler = (uint32_t)insn_word(&insn_forms[insn_info[INSN_NATIVE_BY_NEED].first_form]);
    native_make = by_need;
}

/* The first place at or behind `word`. */
static size_t place_at(const InsnPlace *places, size_t from, uint32_t word) {
    while (places[from].word < word)
        from++;
    return from;
}

/* Behind the last function one more instruction stands, which is not to be run. */
static NativeNeed *need_create(const ModuleInstance *m, Workspace *workspace, const InsnPlace *places, size_t count) {
    NativeNeed *need = mem_calloc(ALLOC_CODE, sizeof *need);
    need->bytes = sizeof *need;
    need->first = table(need, NULL, 0, (m->function_count + 1) * sizeof(uint32_t));
    uint16_t *codes = workspace_take(workspace, (1 + GAP_CODES) * count * sizeof(uint16_t));
    size_t at = place_at(places, 0, m->functions[0]), used = 0;
    for (uint32_t i = 0; i < m->function_count; i++) {
        size_t end = i + 1 < m->function_count ? place_at(places, at, m->functions[i + 1]) : count - 1;
        need->first[i] = (uint32_t)used;
        used += write_codes(codes + used, places + at, end - at);
        at = end;
    }
    need->first[m->function_count] = (uint32_t)used;
    used += write_codes(codes + used, places + at, 1);
    need->codes = table(need, NULL, 0, used * sizeof(uint16_t));
    memcpy(need->codes, codes, used * sizeof(uint16_t));
    return need;
}

/* One that has nothing but its header, or another's body, is left as it is. */
static bool is_made_by_need(const NativeNeed *need, uint32_t number) {
    uint32_t first = need->first[number];
    return need->first[number + 1] > first + 1 &&
           (need->codes[first + 1] & (TARGET - 1)) != insn_info[INSN_CALL_BIF].first_form;
}

static void set_by_need(ModuleInstance *m, uint32_t number) {
    FunctionHeader *header = (FunctionHeader *)instance_function(m, number);
    header->instance = m;
    *(uint32_t *)(header + 1) = unmade_handler;
    if (m->native.need->first[number + 1] - m->native.need->first[number] > QUICK_INSNS)
        make(m, number);
}

bool native_need_place(ModuleInstance *m, Workspace *workspace, const Word *words, const InsnPlace *places,
                       size_t count) {
    m->native = native_block_create(0, m->word_count);
    if (m->native.words.address == NULL)
        return false;
    m->code = memcpy(m->native.words.address, words, m->word_count * sizeof(Word));
    m->native.need = need_create(m, workspace, places, count);
    m->native.need->floats_cross = floats_cross_labels(words, places, count);
    for (uint32_t i = 0; i < m->function_count; i++)
        if (is_made_by_need(m->native.need, i))
            set_by_need(m, i);
    return true;
}

size_t native_need_bytes(const NativeBlock *block) {
    size_t bytes = block->code.size;
    for (const NativePiece *p = __atomic_load_n(&block->pieces, __ATOMIC_ACQUIRE); p != NULL; p = p->next)
        bytes += sizeof *p + p->span.size;
    return bytes + (block->need != NULL ? atomic_load_explicit(&block->need->bytes, memory_order_relaxed) : 0);
}

void native_need_free(NativeBlock *block) {
    NativeNeed *need = block->need;
    if (need == NULL)
        return;
    mem_free(ALLOC_CODE, need->codes);
    mem_free(ALLOC_CODE, need->unmade);
    mem_free(ALLOC_CODE, need->calls);
    mem_free(ALLOC_CODE, need->first);
    mem_free(ALLOC_CODE, need);
    block->need = NULL;
}
