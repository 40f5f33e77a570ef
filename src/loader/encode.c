#include "loader/encode.h"

#include "emu/emu.h"

#include <string.h>

#define WORDS_PER_INSN 2 /* on the average there are about as many */
#define INSNS_PER_USE 4

void encoder_init(Encoder *e, Workspace *workspace, size_t insns, bool keeps_places) {
    *e = (Encoder){.workspace = workspace, .keeps_places = keeps_places};
    e->capacity = WORDS_PER_INSN * insns + 1;
    e->words = workspace_take(workspace, e->capacity * sizeof(Word));
    e->use_capacity = insns / INSNS_PER_USE + 1;
    e->uses = workspace_take(workspace, e->use_capacity * sizeof(LabelUse));
    e->place_capacity = keeps_places ? insns + 1 : 0;
    e->places = keeps_places ? workspace_take(workspace, e->place_capacity * sizeof(InsnPlace)) : NULL;
}

static Word *add_words(Encoder *e, size_t count) {
    while (e->capacity - e->count < count)
        e->words = workspace_grow(e->workspace, e->words, &e->capacity, sizeof(Word));
    Word *at = e->words + e->count;
    e->count += count;
    return at;
}

static void add_place(Encoder *e, const InsnForm *form) {
    if (e->place_count == e->place_capacity)
        e->places = workspace_grow(e->workspace, e->places, &e->place_capacity, sizeof(InsnPlace));
    e->places[e->place_count++] = (InsnPlace){(uint32_t)e->start, (uint16_t)(form - insn_forms), false};
}

static void add_use(Encoder *e, size_t byte, uint32_t label) {
    if (e->use_count == e->use_capacity)
        e->uses = workspace_grow(e->workspace, e->uses, &e->use_capacity, sizeof(LabelUse));
    e->uses[e->use_count++] = (LabelUse){(uint32_t)byte, (uint32_t)e->start, label};
}

/* A constant that an `i` operand holds: sign-extended 32 bits, compared and used as a word. */
static bool fits_word32(Term t) { return (is_small(t) || is_atom(t) || t == NIL) && (SWord)t == (int32_t)(SWord)t; }

/* Kinds of operands as a set: a bit for each letter, small and capital. */
typedef uint64_t Kinds;
#define KIND(letter) ((Kinds)1 << ((letter) & 63))

static Kinds kinds_of_uint(Word value) {
    return KIND('w') | (value <= UINT16_MAX ? KIND('u') : 0) | (value <= UINT32_MAX ? KIND('U') : 0);
}

/* As which kinds an operand can be written. */
static Kinds kinds_of(const Operand *o) {
    const Kinds REGISTER = KIND('S') | KIND('d') | KIND('s');
    switch (o->kind) {
    case OPERAND_X: return o->value < X_REGISTERS ? KIND('x') | REGISTER : 0;
    case OPERAND_Y: return o->value < X_REGISTERS ? KIND('y') | REGISTER : 0;
    case OPERAND_FLOAT_REGISTER: return o->value < FLOAT_REGISTERS ? KIND('l') : 0;
    case OPERAND_TERM: return KIND('c') | KIND('s') | (fits_word32(o->value) ? KIND('i') : 0);
    case OPERAND_LABEL: return KIND('j') | (o->value != 0 ? KIND('f') : 0);
    case OPERAND_UINT: return kinds_of_uint(o->value);
    default: return 0;
    }
}

static Word source_word(const Operand *o) {
    return o->kind == OPERAND_X ? SOURCE_X(o->value) : o->kind == OPERAND_Y ? SOURCE_Y(o->value) : o->value;
}

static void put(Encoder *e, char kind, const Operand *o, char *at) {
    uint16_t half = 0;
    uint32_t word32 = (uint32_t)o->value;
    Word word = o->value;
    switch (kind) {
    case 'S':
    case 'd':
        half = o->kind == OPERAND_Y ? PLACE_Y(o->value) : PLACE_X(o->value);
        memcpy(at, &half, sizeof half);
        break;
    case 'x':
    case 'y':
    case 'l':
        half = PLACE_X(o->value);
        memcpy(at, &half, sizeof half);
        break;
    case 'u':
        half = (uint16_t)o->value;
        memcpy(at, &half, sizeof half);
        break;
    case 'f':
    case 'j':
        word32 = 0;
        memcpy(at, &word32, sizeof word32);
        if (o->value != 0)
            add_use(e, (size_t)(at - (char *)e->words), (uint32_t)o->value);
        break;
    case 'i':
    case 'U': memcpy(at, &word32, sizeof word32); break;
    default: word = kind == 's' ? source_word(o) : o->value; memcpy(at, &word, sizeof word);
    }
}

static bool form_fits(const InsnForm *form, const Kinds *kinds, unsigned count) {
    Kinds fit = 1;
    for (unsigned i = 0; i < count; i++)
        fit &= kinds[i] >> (form->kinds[i] & 63);
    return fit != 0;
}

static const InsnForm *find_form(const InsnInfo *info, const Operand *operands) {
    Kinds kinds[INSN_MAX_OPERANDS];
    for (unsigned i = 0; i < info->operand_count; i++)
        kinds[i] = kinds_of(&operands[i]);
    for (unsigned f = 0; f < info->form_count; f++)
        if (form_fits(&insn_forms[info->first_form + f], kinds, info->operand_count))
            return &insn_forms[info->first_form + f];
    return NULL;
}

bool encode_insn(Encoder *e, enum Insn insn, const Operand *operands, unsigned count) {
    const InsnInfo *info = &insn_info[insn];
    const InsnForm *form = count == info->operand_count ? find_form(info, operands) : NULL;
    if (form == NULL)
        return false;
    e->start = e->count;
    if (e->keeps_places)
        add_place(e, form);
    Word *words = add_words(e, form->words);
    memset(words, 0, form->words * sizeof(Word));
    words[0] = insn_word(form);
    for (unsigned i = 0; i < count; i++)
        put(e, form->kinds[i], &operands[i], (char *)words + form->offsets[i]);
    return true;
}

void encode_word(Encoder *e, Word w) { *add_words(e, 1) = w; }

bool encode_source(Encoder *e, const Operand *operand) {
    if (!(kinds_of(operand) & KIND('s')))
        return false;
    encode_word(e, source_word(operand));
    return true;
}

void encode_label(Encoder *e, uint32_t label) {
    encode_word(e, 0);
    add_use(e, (e->count - 1) * sizeof(Word), label);
}

/* Those that stand first at a word that a label leads to, or behind it. */
static void note_targets(Encoder *e, const bool *is_led_to) {
    size_t word = 0;
    for (size_t i = 0; i < e->place_count; i++)
        for (; word <= e->places[i].word; word++)
            e->places[i].is_target |= is_led_to[word];
}

static bool resolve(Encoder *e, const uint32_t *labels, bool *is_led_to, uint32_t *missing) {
    for (size_t i = 0; i < e->use_count; i++) {
        const LabelUse *use = &e->uses[i];
        uint32_t word = labels[use->label];
        if (word == UINT32_MAX) {
            *missing = use->label;
            return false;
        }
        is_led_to[word] = true;
        int32_t distance = ((int32_t)word - (int32_t)use->start) * (int32_t)sizeof(Word);
        memcpy((char *)e->words + use->at, &distance, sizeof distance);
    }
    return true;
}

bool encoder_resolve(Encoder *e, const uint32_t *labels, uint32_t *missing) {
    bool *is_led_to = workspace_take(e->workspace, e->count + 1); /* a label may stand behind everything */
    memset(is_led_to, 0, e->count + 1);
    bool resolved = resolve(e, labels, is_led_to, missing);
    if (resolved)
        note_targets(e, is_led_to);
    return resolved;
}
