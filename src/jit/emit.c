#include "jit/emit.h"

#include <string.h>

#include "alloc/alloc.h"
#include "emu/emu.h"
#include "insns.h"
#include "jit/templates.h"

/* mov $here, %r14d; jmp handler */
#define STUB_BYTES 11
#define JUMP_BYTES 5
#define EXITS_MAX 8
#define WORDS_MOST (1 << 27) /* their bytes are a number of 31 bits */

bool native_is_on;

#ifdef VIV_SANITIZE
/* Programs with sanitizers stand anywhere, and what is made of their templates is not what is looked at. */
NativeBlock native_emit(const Word *words, size_t word_count, const InsnPlace *places, size_t count) {
    return (NativeBlock){0};
}
#else

typedef struct {
    const Word *words;
    size_t word_count;
    const InsnPlace *places;
    size_t count;
    const Template **chosen; /* for each place; NULL: the interpreter's */
    uint32_t *at;            /* by word: where the code of the instruction there stands in the block */
    uint8_t *block;
    size_t exits_at;         /* where the next exit stands, behind all instructions */
} Emitter;

/* --- operands ---------------------------------------------------------------------------------------------------- */

static Word operand_word(const Word *insn, const InsnForm *form, unsigned n) {
    const char *at = (const char *)insn + form->offsets[n];
    uint16_t half;
    int32_t signed32;
    uint32_t word32;
    Word word;
    switch (form->kinds[n]) {
    case 'c':
    case 's':
    case 'w': memcpy(&word, at, sizeof word); return word;
    case 'U': memcpy(&word32, at, sizeof word32); return word32;
    case 'i':
    case 'f':
    case 'j': memcpy(&signed32, at, sizeof signed32); return (Word)(SWord)signed32;
    default: memcpy(&half, at, sizeof half); return half;
    }
}

static bool fits31(Word w) { return w > 0 && w <= INT32_MAX; }

/* Which of the alternatives an operand is, and what a hole of it gets. The order is that of gen_templates.py. */
static unsigned alternative(char kind, Word *value) {
    Word w = *value;
    switch (kind) {
    case 'S':
    case 'd': *value = w & ~(Word)1; return w & 1;
    case 's':
        if ((w & TAG_MASK) != TAG_HEADER)
            return fits31(w) ? 2 : 3;
        *value = w >> 8;
        return w >> 3 & 1;
    case 'i':
    case 'c': return fits31(w) ? 0 : 1;
    case 'j': return w == 0;
    default: return 0;
    }
}

static unsigned alternative_count(char kind) { return kind == 's' ? 4 : strchr("Sdicj", kind) != NULL ? 2 : 1; }

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
    Word values[INSN_MAX_OPERANDS];
    if (count == 0)
        return NULL;
    bool is_general = strchr(templates[first].kinds, 's') != NULL;
    for (unsigned n = 0; form->kinds[n] != '\0'; n++) {
        if (is_general && form->kinds[n] == 's')
            continue;
        values[n] = operand_word(insn, form, n);
        if (form->kinds[n] == 'U' && values[n] > WORDS_MOST)
            return NULL;
        chosen = chosen * alternative_count(form->kinds[n]) + alternative(form->kinds[n], &values[n]);
    }
    chosen += first;
    if (templates[chosen].code == NULL)
        return NULL;
    const Template *other = &short_templates[chosen];
    return other->code != NULL && fits_short(other, values) ? other : &templates[chosen];
}

/* --- places ------------------------------------------------------------------------------------------------------ */

/* Does a template end by going to what follows it? */
static bool falls_through(const Template *t) {
    const TemplateHole *last = &template_holes[t->first_hole + t->hole_count - 1];
    return t->hole_count > 0 && last->kind == HOLE_NEXT && last->at + 4 == t->length &&
           ((const uint8_t *)t->code)[last->at - 1] == 0xe9;
}

static size_t length_of(const Template *t) {
    return t == NULL ? STUB_BYTES : falls_through(t) ? t->length - JUMP_BYTES : t->length;
}

static size_t place_all(Emitter *e) {
    size_t size = 0, exits = 0;
    for (size_t i = 0; i < e->count; i++) {
        const InsnPlace *place = &e->places[i];
        e->chosen[i] = choose(e->words + place->word, &insn_forms[place->form], place->form);
        e->at[place->word] = (uint32_t)size;
        size += length_of(e->chosen[i]);
        exits += e->chosen[i] != NULL ? e->chosen[i]->exit_count : 0;
    }
    e->exits_at = size;
    return size + exits * STUB_BYTES;
}

/* --- bytes ------------------------------------------------------------------------------------------------------- */

static void put32(uint8_t *at, Word value) {
    uint32_t low = (uint32_t)value;
    memcpy(at, &low, sizeof low);
}

static void put64(uint8_t *at, Word value) { memcpy(at, &value, sizeof value); }

/* Sets the instruction pointer, and goes on in the interpreter. */
static void put_stub(uint8_t *to, const Word *insn, InsnHandler *handler) {
    to[0] = 0x41;
    to[1] = 0xbe;
    put32(to + 2, (Word)(uintptr_t)insn);
    to[6] = 0xe9;
    put32(to + 7, (Word)(uintptr_t)handler - (Word)(uintptr_t)(to + STUB_BYTES));
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
    uint8_t *at = e->block + exits->first + i * STUB_BYTES;
    if (i == exits->count) {
        require(i < EXITS_MAX);
        exits->number[exits->count++] = number;
        put_stub(at, insn, template_exits[number]);
        e->exits_at += STUB_BYTES;
    }
    return at;
}

static Word hole_operand(const Word *insn, const InsnForm *form, const Template *t, unsigned n) {
    Word value = operand_word(insn, form, n);
    if (t->kinds[n] != 's')
        alternative(form->kinds[n], &value);
    return value;
}

static void fill(Emitter *e, uint8_t *to, size_t i, const TemplateHole *hole, Exits *exits) {
    const InsnPlace *place = &e->places[i];
    const Word *insn = e->words + place->word;
    const InsnForm *form = &insn_forms[place->form];
    const Template *t = e->chosen[i];
    Word value = (Word)(SWord)hole->addend;
    uint8_t *at = to + hole->at;
    int32_t old;
    switch ((HoleKind)hole->kind) {
    case HOLE_8: *at = (uint8_t)(value + hole_operand(insn, form, t, hole->operand)); return;
    case HOLE_32: put32(at, value + hole_operand(insn, form, t, hole->operand)); return;
    case HOLE_BYTES_8: *at = (uint8_t)(value + hole_operand(insn, form, t, hole->operand) * sizeof(Word)); return;
    case HOLE_BYTES_32: put32(at, value + hole_operand(insn, form, t, hole->operand) * sizeof(Word)); return;
    case HOLE_64: put64(at, value + hole_operand(insn, form, t, hole->operand)); return;
    case HOLE_DISTANCE: put32(at, value + hole_operand(insn, form, t, hole->operand) - (Word)(uintptr_t)at); return;
    case HOLE_HERE: put32(at, value + (Word)(uintptr_t)insn); return;
    case HOLE_RETURN: put32(at, value + return_address_make(insn + form->words)); return;
    case HOLE_EXIT:
        put32(at, (Word)(uintptr_t)exit_of(e, exits, insn, hole->addend) - (Word)(uintptr_t)(at + 4));
        return;
    case HOLE_TARGET: put32(at, value + (Word)(uintptr_t)insn + operand_word(insn, form, hole->operand)); return;
    case HOLE_LABEL: {
        Word target = place->word + operand_word(insn, form, hole->operand) / sizeof(Word);
        put32(at, value + (Word)(uintptr_t)(e->block + e->at[(uint32_t)target]) - (Word)(uintptr_t)at);
        return;
    }
    case HOLE_NEXT: put32(at, value + (Word)(uintptr_t)(to + length_of(t)) - (Word)(uintptr_t)at); return;
    case HOLE_ELSEWHERE:
        memcpy(&old, at, sizeof old);
        put32(at, (Word)(SWord)old + (Word)(uintptr_t)t->code - (Word)(uintptr_t)to);
        return;
    }
}

static void put(Emitter *e, size_t i) {
    const InsnPlace *place = &e->places[i];
    const Template *t = e->chosen[i];
    uint8_t *to = e->block + e->at[place->word];
    if (t == NULL) {
        put_stub(to, e->words + place->word, insn_forms[place->form].handler);
        return;
    }
    Exits exits = {.first = e->exits_at};
    size_t length = length_of(t);
    memcpy(to, (const void *)t->code, length);
    for (unsigned h = 0; h < t->hole_count; h++) {
        const TemplateHole *hole = &template_holes[t->first_hole + h];
        if (hole->at < length)
            fill(e, to, i, hole, &exits);
    }
}

/* Whoever goes to such an instruction is in native code. */
static void lead_in(const Emitter *e, Word *words) {
    for (size_t i = 0; i < e->count; i++)
        if (e->chosen[i] != NULL) {
            Word *word = words + e->places[i].word;
            *word = (*word & ~(Word)UINT32_MAX) | (uint32_t)(uintptr_t)(e->block + e->at[e->places[i].word]);
        }
}

static NativeBlock emit(Emitter *e) {
    NativeBlock block = native_block_create(place_all(e), e->word_count);
    if (block.address == NULL)
        return block;
    e->block = block.address;
    memcpy(block.words, e->words, e->word_count * sizeof(Word));
    e->words = block.words;
    for (size_t i = 0; i < e->count; i++)
        put(e, i);
    if (!native_block_seal(block)) {
        native_block_free(block);
        return (NativeBlock){0};
    }
    lead_in(e, block.words);
    return block;
}

NativeBlock native_emit(const Word *words, size_t word_count, const InsnPlace *places, size_t count) {
    if (!native_is_on || count == 0)
        return (NativeBlock){0};
    Emitter e = {.words = words, .word_count = word_count, .places = places, .count = count};
    e.chosen = mem_alloc(ALLOC_LOADER, count * sizeof(Template *));
    e.at = mem_alloc(ALLOC_LOADER, word_count * sizeof(uint32_t));
    NativeBlock block = emit(&e);
    mem_free(ALLOC_LOADER, e.chosen);
    mem_free(ALLOC_LOADER, e.at);
    return block;
}

#endif
