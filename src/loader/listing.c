#include "loader/listing.h"

#include <inttypes.h>
#include <string.h>

#include "code/export.h"
#include "code/module.h"
#include "insns.h"
#include "jit/templates.h"
#include "term/atom.h"
#include "term/print.h"

void listing_init(Listing *l, bool has_native) {
    l->has_native = has_native;
    l->code_size = 0;
    text_init(&l->text);
}

void listing_release(Listing *l) { text_release(&l->text); }

static const InsnInfo *info_of(uint16_t form) {
    const InsnInfo *info = insn_info;
    while (form >= info->first_form + info->form_count)
        info++;
    return info;
}

/* An untagged word: the entry of a function that the module imports, or a number. */
static void put_word(Text *t, const GenericModule *module, Word word) {
    for (uint32_t i = 0; i < module->import_count; i++) {
        const GenericImport *import = &module->imports[i];
        if ((Word)(uintptr_t)export_find(import->module, import->function, import->arity) == word) {
            print_atom(t, import->module);
            text_byte(t, ':');
            print_atom(t, import->function);
            text_format(t, "/%u", (unsigned)import->arity);
            return;
        }
    }
    text_format(t, word <= UINT16_MAX ? "%" PRIu64 : "0x%" PRIx64, word);
}

static void put_register(Text *t, char kind, unsigned offset) {
    text_format(t, "%c%u", kind, offset / (unsigned)sizeof(Word));
}

static void put_operand(Listing *l, const GenericModule *module, const Word *insn, uint32_t at, char kind,
                        const char *from) {
    uint16_t half;
    uint32_t word32;
    int32_t signed32;
    Word word;
    memcpy(&half, from, sizeof half);
    switch (kind) {
    case 'x':
    case 'y': put_register(&l->text, kind, half); return;
    case 'l': put_register(&l->text, 'f', half); return;
    case 'S':
    case 'd': put_register(&l->text, half & 1 ? 'y' : 'x', half & ~1u); return;
    case 'u': text_format(&l->text, "%u", half); return;
    case 'U':
        memcpy(&word32, from, sizeof word32);
        text_format(&l->text, "%u", word32);
        return;
    case 'i':
        memcpy(&signed32, from, sizeof signed32);
        print_term(&l->text, (Term)(SWord)signed32);
        return;
    case 'f':
    case 'j':
        memcpy(&signed32, from, sizeof signed32);
        if (signed32 == 0)
            text_string(&l->text, "none");
        else
            text_format(&l->text, "@%d", (int)at + signed32 / (int)sizeof(Word));
        return;
    default: memcpy(&word, from, sizeof word);
    }
    if (kind == 'w')
        put_word(&l->text, module, word);
    else if (kind == 's' && (word & TAG_MASK) == TAG_HEADER)
        text_format(&l->text, "%c%u", word >> 3 & 1 ? 'y' : 'x', (unsigned)(word >> 11));
    else
        print_term(&l->text, word);
}

static void put_insn(Listing *l, const ModuleInstance *m, const GenericModule *module, const EmittedCode *e, size_t i) {
    const InsnPlace *place = &e->places[i];
    const InsnForm *form = &insn_forms[place->form];
    const Word *insn = m->code + place->word;
    uint32_t end = i + 1 < e->place_count ? e->places[i + 1].word : (uint32_t)m->word_count;
    text_format(&l->text, "i\t%u\t%s", place->word, info_of(place->form)->name);
    for (unsigned n = 0; form->kinds[n] != '\0'; n++) {
        text_byte(&l->text, '\t');
        put_operand(l, module, insn, place->word, form->kinds[n], (const char *)insn + form->offsets[n]);
    }
    if (place->form == insn_info[INSN_FUNC_INFO].first_form) /* the next function's header has words before it */
        end = place->word + form->words;
    else if (i + 1 < e->place_count && e->places[i + 1].form == insn_info[INSN_FUNC_INFO].first_form)
        end -= offsetof(FunctionHeader, func_info) / sizeof(Word);
    if (end > place->word + form->words)
        text_format(&l->text, "\t[%u]", end - place->word - form->words);
    text_byte(&l->text, '\n');
}

static void put_native(Listing *l, const EmittedCode *e, const NativeLayout *layout, size_t i) {
    const Template *t = layout->chosen[i];
    uint32_t at = layout->at[e->places[i].word];
    uint32_t end = i + 1 < e->place_count ? layout->at[e->places[i + 1].word] : layout->exits[0];
    uint32_t exits = layout->exits[i], exits_end = layout->exits[i + 1];
    if (t == NULL)
        text_format(&l->text, "n\t%u\t%u\tinterpreter\n", at, end - at);
    else if (t == &template_inside)
        text_format(&l->text, "n\t%u\t%u\tinside\n", at, end - at);
    else if (template_is_written(t))
        text_format(&l->text, "n\t%u\t%u\twritten\n", at, end - at);
    else
        text_format(&l->text, "n\t%u\t%u\t%s %s\n", at, end - at, template_is_short(t) ? "short" : "long", t->kinds);
    if (exits_end > exits)
        text_format(&l->text, "x\t%u\t%u\n", exits, exits_end - exits);
}

void listing_put(Listing *l, const ModuleInstance *m, const GenericModule *module, const EmittedCode *emitted,
                 const NativeLayout *layout) {
    bool has_native = l->has_native && layout->at != NULL;
    l->code_size = has_native ? layout->exits[emitted->place_count] : 0;
    for (size_t i = 0; i < module->code_count && emitted->starts != NULL; i++) {
        if (emitted->starts[i] == EMIT_NOWHERE)
            text_string(&l->text, "o\t-\n");
        else
            text_format(&l->text, "o\t%u\n", emitted->starts[i]);
    }
    for (size_t i = 0; i < emitted->place_count; i++) {
        put_insn(l, m, module, emitted, i);
        if (has_native)
            put_native(l, emitted, layout, i);
    }
}
