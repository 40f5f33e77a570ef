#include "jit/emit.h"

#include <stdio.h>
#include <string.h>

#include "alloc/alloc.h"
#include "alloc/barrier.h"
#include "emu/interp.h"
#include "insns.h"
#include "jit/choice.h"
#include "jit/float_steps.h"
#include "jit/operands.h"
#include "jit/pieces.h"
#include "jit/templates.h"

#define JUMP_BYTES 5
#define BEFORE_ENTRY 14 /* bytes, see put_entry */
#define EXITS_MAX 8

bool native_is_on;
const Template template_written[WRITTEN_KINDS] = {[WRITTEN_EXIT] = {.exit_count = 1},
                                                  [WRITTEN_EXIT | WRITTEN_FALLS] = {.exit_count = 1}};
const Template template_inside;

/* What an emitter is given. */
typedef struct {
    const Word *words;
    size_t word_count;
    const InsnPlace *places;
    size_t count;
    bool floats_cross; /* floats_cross_labels */
    Outside *outside; /* NULL: they lead to each other alone */
} Given;

/* Of an instruction what is known before anything has a place. */
static Written written_first(const Given *g, size_t i) {
    return (Written){.insn = g->words + g->places[i].word,
                     .form = g->places[i].form,
                     .word = g->places[i].word,
                     .words = g->words,
                     .word_count = g->word_count,
                     .outside = g->outside,
                     .places = g->places + i,
                     .place_count = g->count - i,
                     .floats_cross = g->floats_cross};
}

#ifdef VIV_SANITIZE
bool template_is_short(const Template *t) { return false; }

/* Programs with sanitizers stand anywhere, and what is made of their templates is not what is looked at. Pieces are
 * written all the same, each to memory of its size, and thrown away: that is looked at. */
void native_begin(void) {}

static void try_piece(Written *written) {
    Writer measured = {.written = written};
    size_t count = piece_write(&measured);
    if (count == 0)
        return;
    uint8_t *code = mem_alloc(ALLOC_LOADER, measured.length);
    written->block = written->next = written->exit = code;
    Writer w = {.written = written, .from = code, .to = code, .end = measured.length};
    require(piece_write(&w) == count && w.length == measured.length);
    mem_free(ALLOC_LOADER, code);
}

bool native_emit(Workspace *workspace, const Word *words, size_t word_count, const InsnPlace *places, size_t count,
                 NativeBlock *block, NativeLayout *layout) {
    uint32_t *at = workspace_take_zeroed(workspace, (word_count + 1) * sizeof(uint32_t));
    Given given = {words, word_count, places, count, floats_cross_labels(words, places, count), NULL};
    for (size_t i = 0; i < count; i++) {
        Written written = written_first(&given, i);
        written.at = at;
        try_piece(&written);
    }
    return true;
}

uint32_t native_emit_part(Workspace *workspace, const NativePart *part, Outside *outside, NativeBlock *block) {
    return 0;
}
#else

typedef struct {
    Given given;
    const Template **chosen; /* for each place; NULL: the interpreter's */
    uint32_t *lengths;       /* for each place: bytes of its code */
    uint32_t *at;            /* by word: where the code of the instruction there stands in the block */
    bool *is_entered;        /* by word: this module calls what begins there */
    bool *calls_outside;     /* for each place */
    uint8_t *block;   /* where it is going to be executed: all positions are of it */
    uint8_t *written; /* the same, where it is written */
    size_t exits_start, exits_at; /* behind all instructions; where the next exit stands */
    size_t end;                   /* of the instruction that was put last */
} Emitter;

void native_begin(void) {
    CodeSpan tried = code_space_take(CODE_SPACE_NATIVE, 1);
    native_is_on = tried.address != NULL && code_barrier_is_there();
    if (tried.address != NULL && !native_is_on)
        fprintf(stderr, "viv: this system has no membarrier(2) that serves code: code is interpreted\n");
    code_space_give_back(CODE_SPACE_NATIVE, tried);
}

/* --- operands ---------------------------------------------------------------------------------------------------- */

static bool fits31(Word w, bool smalls) { return w <= INT32_MAX && (!smalls || is_small(w)); }

/* Which of the alternatives an operand is, and what a hole of it gets; `smalls`: form_asks_for_smalls. The order is
 * that of gen_templates.py. */
static unsigned alternative(char kind, bool smalls, Word *value) {
    Word w = *value;
    switch (kind) {
    case 'S':
    case 'd': *value = w & ~(Word)1; return w & 1;
    case 's':
        if ((w & TAG_MASK) != TAG_HEADER)
            return fits31(w, smalls) ? 2 : 3;
        *value = w >> 8;
        return w >> 3 & 1;
    case 'i':
    case 'c': return fits31(w, smalls) ? 0 : 1;
    case 'j': return w == 0;
    default: return 0;
    }
}

static unsigned alternative_count(char kind) {
    switch (kind) {
    case 's': return 4;
    case 'S':
    case 'd':
    case 'i':
    case 'c':
    case 'j': return 2;
    default: return 1;
    }
}

static bool has_general(const char *kinds) {
    while (*kinds != '\0' && *kinds != 's')
        kinds++;
    return *kinds == 's';
}

/* Do the offsets fit one byte? */
static bool fits_short(const Template *t, const Word *values) {
    for (unsigned n = 0; t->kinds[n] != '\0'; n++) {
        char kind = t->kinds[n];
        if (((kind == 'x' || kind == 'y' || kind == 'd') && values[n] > SHORT_OFFSET) ||
            (kind == 'b' && values[n] > SHORT_WORDS))
            return false;
    }
    return true;
}

static const Template *choose(const Word *insn, const InsnForm *form, uint16_t number) {
    unsigned first = templates_of_form[number], count = templates_of_form[number + 1] - first, chosen = 0;
    bool smalls = form_asks_for_smalls[number];
    Word values[INSN_MAX_OPERANDS];
    if (count == 0)
        return NULL;
    bool is_general = has_general(templates[first].kinds);
    for (unsigned n = 0; form->kinds[n] != '\0'; n++) {
        if (is_general && form->kinds[n] == 's')
            continue;
        values[n] = operand_word(insn, form, n);
        if (form->kinds[n] == 'U' && values[n] > NATIVE_WORDS_MOST)
            return NULL;
        chosen = chosen * alternative_count(form->kinds[n]) + alternative(form->kinds[n], smalls, &values[n]);
    }
    chosen += first;
    if (templates[chosen].code == NULL)
        return NULL;
    const Template *other = &short_templates[chosen];
    return other->code != NULL && fits_short(other, values) ? other : &templates[chosen];
}

static size_t target_of(const InsnPlace *place, const Word *insn, unsigned n) {
    return place->word + (SWord)operand_word(insn, &insn_forms[place->form], n) / (SWord)sizeof(Word);
}

static Written written_of(const Emitter *e, size_t i) { return written_first(&e->given, i); }

/* How many instructions from this one on have code that is written; 0: it gets a template. */
static size_t choose_piece(Emitter *e, size_t i) {
    Written written = written_of(e, i);
    Writer measured = {.written = &written};
    size_t count = piece_write(&measured);
    unsigned kind = (measured.has_exit ? WRITTEN_EXIT : 0) | (measured.falls ? WRITTEN_FALLS : 0);
    for (size_t n = 0; n < count; n++) {
        e->chosen[i + n] = n == 0 ? &template_written[kind] : &template_inside;
        e->lengths[i + n] = n == 0 ? (uint32_t)measured.length : 0;
    }
    return count;
}

/* The hole for an entry that it jumps to; NULL: it calls nothing by that way. */
static const TemplateHole *call_of(const Template *t) {
    for (unsigned h = 0; h < t->hole_count; h++)
        if (template_holes[t->first_hole + h].kind == HOLE_ENTER)
            return &template_holes[t->first_hole + h];
    return NULL;
}

static void choose_template(Emitter *e, size_t i) {
    const InsnPlace *place = &e->given.places[i];
    const Word *insn = e->given.words + place->word;
    const Template *t = choose(insn, &insn_forms[place->form], place->form);
    e->chosen[i] = t;
    e->lengths[i] = t == NULL ? LEAVE_BYTES : t->length;
    const TemplateHole *call = t != NULL ? call_of(t) : NULL;
    if (call == NULL)
        return;
    size_t word = target_of(place, insn, call->operand);
    if (word < e->given.word_count)
        e->is_entered[word] = true;
    else
        e->calls_outside[i] = true;
}

static void choose_all(Emitter *e) {
    size_t i = 0;
    while (i < e->given.count) {
        size_t written = choose_piece(e, i);
        if (written == 0)
            choose_template(e, i);
        i += written > 0 ? written : 1;
    }
}

bool template_is_short(const Template *t) {
    return t >= short_templates && t < short_templates + templates_of_form[INSN_FORM_COUNT];
}

/* --- places ------------------------------------------------------------------------------------------------------ */

/* Does it end by going to what follows it? */
static bool falls_through(const Template *t) {
    if (t != NULL && template_is_written(t))
        return (t - template_written) & WRITTEN_FALLS;
    if (t == NULL || t->hole_count == 0)
        return false;
    const TemplateHole *last = &template_holes[t->first_hole + t->hole_count - 1];
    return last->kind == HOLE_NEXT && last->at + 4 == t->length && ((const uint8_t *)t->code)[last->at - 1] == 0xe9;
}

/* The last one that the code of this one does. */
static size_t last_of(const Emitter *e, size_t i) {
    while (i + 1 < e->given.count && e->chosen[i + 1] == &template_inside)
        i++;
    return i;
}

/* Nothing stands between it and the next one. */
static bool is_followed(const Emitter *e, size_t i) {
    size_t next = last_of(e, i) + 1;
    return next < e->given.count && !e->is_entered[e->given.places[next].word];
}

static const uint8_t *next_of(const Emitter *e, size_t i) {
    return e->block + (i + 1 < e->given.count ? e->at[e->given.places[i + 1].word] : e->exits_start);
}

static Written written_at(const Emitter *e, size_t i) {
    Written written = written_of(e, i);
    written.block = e->block;
    written.at = e->at;
    written.next = next_of(e, last_of(e, i));
    written.exit = e->block + e->exits_at;
    return written;
}

/* Bytes that stand before a call, so that its distance lies in one quadword: an even number before an entry. */
static size_t pad_of(const Emitter *e, size_t i, size_t at) {
    if (!e->calls_outside[i])
        return 0;
    size_t step = e->is_entered[e->given.places[i].word] ? 2 : 1, pad = 0;
    while ((at + pad + call_of(e->chosen[i])->at) % sizeof(Word) > sizeof(Word) - sizeof(uint32_t))
        pad += step;
    return pad;
}

static size_t place_all(Emitter *e) {
    size_t size = 0, exits = 0;
    for (size_t i = 0; i < e->given.count; i++) {
        uint32_t word = e->given.places[i].word;
        if (e->is_entered[word])
            size = (size + 1) / 2 * 2 + BEFORE_ENTRY + NATIVE_ENTRY_BYTES;
        size += pad_of(e, i, size);
        e->at[word] = (uint32_t)size;
        if (falls_through(e->chosen[i]) && is_followed(e, i))
            e->lengths[i] -= JUMP_BYTES;
        size += e->lengths[i];
        exits += e->chosen[i] != NULL ? e->chosen[i]->exit_count : 0;
    }
    e->exits_start = e->exits_at = size;
    return size + exits * LEAVE_BYTES;
}

/* --- bytes ------------------------------------------------------------------------------------------------------- */

static void put_bytes(const Emitter *e, const uint8_t *at, const void *bytes, size_t count) {
    memcpy(e->written + (at - e->block), bytes, count);
}

static void put8(const Emitter *e, const uint8_t *at, Word value) { put_bytes(e, at, &(uint8_t){(uint8_t)value}, 1); }

static void put32(const Emitter *e, const uint8_t *at, Word value) {
    put_bytes(e, at, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
}

static void put64(const Emitter *e, const uint8_t *at, Word value) { put_bytes(e, at, &value, sizeof value); }

static Writer writer_at(const Emitter *e, const uint8_t *to) {
    return (Writer){.from = to, .to = e->written + (to - e->block)};
}

static void put_leave(const Emitter *e, const uint8_t *to, const Word *insn, InsnHandler *handler) {
    Writer w = writer_at(e, to);
    writer_leave(&w, insn, handler);
}

/*
 * What stands before an instruction that the module calls. It counts the reduction, for all who call.
 *
 *     over:  inc %rsi              the slice is over: emu_enter takes the reduction once more, and sees that
 *     word:  mov $insn, %r14d
 *            jmp emu_enter
 *     entry: nop                   2 bytes; or jmp word (code/native_block.h)
 *            dec %rsi
 *            jle over
 */
static void put_entry(const Emitter *e, const uint8_t *before_insn, const Word *insn) {
    static const uint8_t over[] = {0x48, 0xff, 0xc6}, count[] = {0x48, 0xff, 0xce, 0x7e, 0xeb};
    static const uint16_t first = NATIVE_ENTRY_STRAIGHT;
    const uint8_t *entry = before_insn - NATIVE_ENTRY_BYTES;
    put_bytes(e, entry - BEFORE_ENTRY, over, sizeof over);
    put_leave(e, entry - LEAVE_BYTES, insn, emu_enter);
    put_bytes(e, entry, &first, sizeof first);
    put_bytes(e, entry + sizeof first, count, sizeof count);
}

static void put_exit(Emitter *e, const Word *insn, InsnHandler *handler) {
    put_leave(e, e->block + e->exits_at, insn, handler);
    e->exits_at += LEAVE_BYTES;
}

/* Few: who falls through to what stands behind them runs them. */
static void put_nops(const Emitter *e, const uint8_t *from, const uint8_t *to) {
    static const uint8_t nops[] = {0x0f, 0x1f, 0x40, 0x00, 0x66, 0x90, 0x90}; /* of 4, 2, and 1 bytes */
    for (; to - from >= 4; from += 4)
        put_bytes(e, from, nops, 4);
    for (; to - from >= 2; from += 2)
        put_bytes(e, from, nops + 4, 2);
    if (to > from)
        put_bytes(e, from, nops + 6, 1);
}

/* Of one instruction: which exit stands where. */
typedef struct {
    size_t first;
    unsigned count;
    int32_t number[EXITS_MAX];
} Exits;

static const uint8_t *exit_of(Emitter *e, Exits *exits, const Word *insn, int32_t number) {
    unsigned i = 0;
    while (i < exits->count && exits->number[i] != number)
        i++;
    const uint8_t *at = e->block + exits->first + i * LEAVE_BYTES;
    if (i == exits->count) {
        require(i < EXITS_MAX);
        exits->number[exits->count++] = number;
        put_exit(e, insn, template_exits[number]);
    }
    return at;
}

/* Where an instruction returns to. Behind the last one there is no code. */
static Term way_back(const Emitter *e, size_t i, const Word *insn, const InsnForm *form) {
    const InsnPlace *place = &e->given.places[i];
    if (i + 1 == e->given.count || place[1].word != place->word + form->words)
        return return_address_make(insn + form->words);
    return written_return(insn + form->words, e->block + e->at[place[1].word]);
}

static Word hole_operand(const Word *insn, const InsnForm *form, const Template *t, unsigned n) {
    Word value = operand_word(insn, form, n);
    if (t->kinds[n] != 's')
        alternative(form->kinds[n], false, &value);
    return value;
}

/* The code of the word that an operand leads to; or, for a call at `site`, the entry before it. */
static const uint8_t *way_to(const Emitter *e, const InsnPlace *place, const Word *insn, unsigned n,
                             const uint8_t *site) {
    size_t word = target_of(place, insn, n);
    if (word >= e->given.word_count)
        return outside_way(e->given.outside, e->given.words + (SWord)word, site);
    return e->block + e->at[word] - (site != NULL ? NATIVE_ENTRY_BYTES : 0);
}

static void fill(Emitter *e, const uint8_t *to, size_t i, const TemplateHole *hole, Exits *exits) {
    const InsnPlace *place = &e->given.places[i];
    const Word *insn = e->given.words + place->word;
    const InsnForm *form = &insn_forms[place->form];
    const Template *t = e->chosen[i];
    Word value = (Word)(SWord)hole->addend;
    const uint8_t *at = to + hole->at;
    int32_t old;
    switch ((HoleKind)hole->kind) {
    case HOLE_8: put8(e, at, value + hole_operand(insn, form, t, hole->operand)); return;
    case HOLE_32: put32(e, at, value + hole_operand(insn, form, t, hole->operand)); return;
    case HOLE_BYTES_8: put8(e, at, value + hole_operand(insn, form, t, hole->operand) * sizeof(Word)); return;
    case HOLE_BYTES_32: put32(e, at, value + hole_operand(insn, form, t, hole->operand) * sizeof(Word)); return;
    case HOLE_64: put64(e, at, value + hole_operand(insn, form, t, hole->operand)); return;
    case HOLE_DISTANCE: put32(e, at, value + hole_operand(insn, form, t, hole->operand) - (Word)(uintptr_t)at); return;
    case HOLE_HERE: put32(e, at, value + (Word)(uintptr_t)insn); return;
    case HOLE_RETURN: put64(e, at, way_back(e, i, insn, form)); return;
    case HOLE_EXIT:
        put32(e, at, (Word)(uintptr_t)exit_of(e, exits, insn, hole->addend) - (Word)(uintptr_t)(at + 4));
        return;
    case HOLE_TARGET: put32(e, at, value + (Word)(uintptr_t)insn + operand_word(insn, form, hole->operand)); return;
    case HOLE_LABEL:
    case HOLE_ENTER: {
        const uint8_t *target = way_to(e, place, insn, hole->operand, hole->kind == HOLE_ENTER ? at : NULL);
        put32(e, at, value + (Word)(uintptr_t)target - (Word)(uintptr_t)at);
        return;
    }
    case HOLE_NEXT: put32(e, at, value + (Word)(uintptr_t)next_of(e, i) - (Word)(uintptr_t)at); return;
    case HOLE_ELSEWHERE:
        memcpy(&old, (const uint8_t *)t->code + hole->at, sizeof old);
        put32(e, at, (Word)(SWord)old + (Word)(uintptr_t)t->code - (Word)(uintptr_t)to);
        return;
    }
}

static void put(Emitter *e, size_t i) {
    const InsnPlace *place = &e->given.places[i];
    const Template *t = e->chosen[i];
    const uint8_t *to = e->block + e->at[place->word], *before = to;
    if (e->is_entered[place->word]) {
        before -= BEFORE_ENTRY + NATIVE_ENTRY_BYTES;
        put_entry(e, to, e->given.words + place->word);
    }
    put_nops(e, e->block + e->end, before);
    if (t == &template_inside)
        return;
    size_t length = e->lengths[i];
    e->end = e->at[place->word] + length;
    if (t == NULL) {
        put_leave(e, to, e->given.words + place->word, insn_forms[place->form].handler);
        return;
    }
    if (template_is_written(t)) {
        Written written = written_at(e, i);
        Writer w = writer_at(e, to);
        w.written = &written;
        w.end = length;
        require(piece_write(&w) > 0 && w.length == length);
        if (w.has_exit)
            put_exit(e, e->given.words + place->word, insn_forms[place->form].handler);
        return;
    }
    Exits exits = {.first = e->exits_at};
    put_bytes(e, to, (const void *)t->code, length);
    for (unsigned h = 0; h < t->hole_count; h++) {
        const TemplateHole *hole = &template_holes[t->first_hole + h];
        if (hole->at < length)
            fill(e, to, i, hole, &exits);
    }
}

/* A label that is no function's may be called as well, though no compiler does. */
static bool is_function(const Emitter *e, size_t i) {
    static const size_t between = (sizeof(FunctionHeader) - offsetof(FunctionHeader, func_info)) / sizeof(Word);
    const InsnPlace *info = &e->given.places[i] - 1;
    return i > 0 && info->form == insn_info[INSN_FUNC_INFO].first_form && info->word + between == info[1].word;
}

static uint32_t code_of(const Emitter *e, size_t i) {
    return (uint32_t)(uintptr_t)e->block + e->at[e->given.places[i].word];
}

/* Where the word of an instruction is to lead: who goes there is in native code, if there is some. */
static uint32_t lead_of(const Emitter *e, size_t i) {
    bool begins = e->chosen[i] != NULL && e->chosen[i] != &template_inside;
    return begins ? code_of(e, i) : (uint32_t)insn_word(&insn_forms[e->given.places[i].form]);
}

static void lead_choice(const Emitter *e, size_t i, Word *words) {
    if (e->chosen[i] == NULL || !template_is_written(e->chosen[i]))
        return;
    Written written = written_at(e, i);
    choice_lead(&written, words + e->given.places[i].word);
}

/* Somebody may run the words, if they are a part's; whichever of the two he finds is right. */
static void lead(const Emitter *e, size_t i, Word *words) {
    __atomic_store_n((uint32_t *)&words[e->given.places[i].word], lead_of(e, i), __ATOMIC_RELAXED);
}

static void lead_in(const Emitter *e, Word *words) {
    for (size_t i = 0; i < e->given.count; i++) {
        Word *word = words + e->given.places[i].word;
        lead(e, i, words);
        lead_choice(e, i, words);
        if (e->is_entered[e->given.places[i].word] && is_function(e, i))
            function_set_native_entry((FunctionHeader *)(uintptr_t)function_of_entry(word),
                                      code_of(e, i) - NATIVE_ENTRY_BYTES);
    }
}

static Word *place_words(NativeBlock block, const Word *words, size_t word_count) {
    return memcpy(block.words.address, words, word_count * sizeof(Word));
}

static NativeBlock words_alone(const Word *words, size_t word_count) {
    NativeBlock block = native_block_create(0, word_count);
    if (block.words.address != NULL)
        place_words(block, words, word_count);
    return block;
}

static NativeBlock emit(Emitter *e) {
    choose_all(e);
    NativeBlock block = native_block_create(place_all(e), e->given.word_count);
    if (block.words.address == NULL)
        return block;
    Word *words = place_words(block, e->given.words, e->given.word_count);
    if (block.code.address == NULL)
        return block;
    e->given.words = words;
    e->block = block.code.address;
    e->written = block.code.written;
    for (size_t i = 0; i < e->given.count; i++)
        put(e, i);
    native_block_seal(block);
    lead_in(e, words);
    return block;
}

static uint32_t *exits_of(const Emitter *e, Workspace *workspace, size_t end) {
    uint32_t *exits = workspace_take(workspace, (e->given.count + 1) * sizeof(uint32_t));
    exits[e->given.count] = (uint32_t)end;
    for (size_t i = e->given.count; i-- > 0;)
        exits[i] = exits[i + 1] - (e->chosen[i] != NULL ? e->chosen[i]->exit_count * LEAVE_BYTES : 0);
    return exits;
}

static Emitter emitter(Workspace *workspace, const Given *given) {
    Emitter e = {.given = *given};
    e.chosen = workspace_take(workspace, given->count * sizeof(Template *));
    e.lengths = workspace_take(workspace, given->count * sizeof(uint32_t));
    e.at = workspace_take(workspace, given->word_count * sizeof(uint32_t));
    e.is_entered = workspace_take_zeroed(workspace, given->word_count * sizeof(bool));
    e.calls_outside = workspace_take_zeroed(workspace, given->count * sizeof(bool));
    return e;
}

bool native_emit(Workspace *workspace, const Word *words, size_t word_count, const InsnPlace *places, size_t count,
                 NativeBlock *block, NativeLayout *layout) {
    if (word_count == 0)
        return true;
    if (!native_is_on || count == 0) {
        *block = words_alone(words, word_count);
        return block->words.address != NULL;
    }
    Given given = {words, word_count, places, count, floats_cross_labels(words, places, count), NULL};
    Emitter e = emitter(workspace, &given);
    *block = emit(&e);
    if (block->code.address != NULL && layout != NULL)
        *layout = (NativeLayout){.at = e.at, .exits = exits_of(&e, workspace, e.exits_at), .chosen = e.chosen};
    return block->words.address != NULL;
}

/* What goes on behind the last instruction, a call that never returns, say, is the interpreter's. */
uint32_t native_emit_part(Workspace *workspace, const NativePart *part, Outside *outside, NativeBlock *block) {
    const InsnPlace *places = part->places;
    Given given = {part->words, places[part->count - 1].word + 1, places, part->count, part->floats_cross, outside};
    Emitter e = emitter(workspace, &given);
    choose_all(&e);
    require(is_function(&e, 1));
    e.is_entered[places[1].word] = true;
    NativeRoom room = native_block_room(block, place_all(&e));
    if (room.address == NULL)
        return 0;
    e.block = room.address;
    e.written = room.written;
    for (size_t i = 0; i < part->count; i++)
        put(&e, i);
    for (size_t i = 0; i < part->count; i++)
        lead_choice(&e, i, part->words);
    if (outside->has_failed)
        return 0;
    if (!room.is_new || outside->is_reused)
        code_barrier();
    for (size_t i = 2; i < part->count; i++)
        lead(&e, i, part->words);
    return code_of(&e, 1) - NATIVE_ENTRY_BYTES;
}

#endif
