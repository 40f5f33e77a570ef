#include "jit/choice.h"

#include <string.h>

#include "insns.h"
#include "jit/operands.h"

#define LEAF_MOST 8  /* so few values are compared one by one */
#define TREE_MOST 64 /* more have a template, a loop that halves them: it is slower by half, but a quarter as large */

/* Code that is written, or measured alone: `to` is NULL then. */
typedef struct {
    const Choice *choice;
    const uint8_t *from; /* where it is executed */
    uint8_t *to;
    size_t length;
} Writer;

static void put(Writer *w, const void *bytes, size_t count) {
    if (w->to != NULL)
        memcpy(w->to + w->length, bytes, count);
    w->length += count;
}

static void put32(Writer *w, uint32_t value) { put(w, &value, sizeof value); }
#define PUT(w, ...) put(w, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static bool fits8(Word v) { return (SWord)v == (int8_t)v; }
static bool fits32(Word v) { return (SWord)v == (int32_t)v; }

static bool is_insn(const Choice *c, enum Insn insn) {
    return c->form >= insn_info[insn].first_form && c->form < insn_info[insn].first_form + insn_info[insn].form_count;
}
static const InsnForm *form_of(const Choice *c) { return &insn_forms[c->form]; }
static const Word *list_of(const Choice *c) { return c->insn + form_of(c)->words; }
static size_t count_of(const Choice *c) { return operand_word(c->insn, form_of(c), 2); }

/* --- instructions of the machine ---------------------------------------------------------------------------------- */

/* Where the words lead that stand so many bytes behind the instruction. */
static const uint8_t *code_at(const Choice *c, SWord displacement) {
    return c->block + c->at[(SWord)c->word + displacement / (SWord)sizeof(Word)];
}

/* A distance to there; it counts from behind itself. */
static void put_way(Writer *w, SWord displacement) {
    uint32_t distance = 0;
    if (w->to != NULL)
        distance = (uint32_t)(code_at(w->choice, displacement) - (w->from + w->length + sizeof distance));
    put32(w, distance);
}

static void put_fail(Writer *w) { put_way(w, (SWord)operand_word(w->choice->insn, form_of(w->choice), 1)); }

/* To where the list says for the value that was found. */
static void put_found(Writer *w, size_t i) {
    PUT(w, 0x0f, 0x84); /* je */
    put_way(w, (int32_t)list_of(w->choice)[count_of(w->choice) + i]);
}

/* The value to %rax: mov offset(%r13 or %r15), %rax */
static void put_value(Writer *w) {
    Word place = operand_word(w->choice->insn, form_of(w->choice), 0);
    char kind = form_of(w->choice)->kinds[0];
    bool is_y = kind == 'y' || (kind == 'S' && (place & 1) != 0);
    uint8_t mode = is_y ? 0x47 : 0x45;
    place &= ~(Word)1;
    if (fits8(place)) {
        PUT(w, 0x49, 0x8b, mode, (uint8_t)place);
    } else {
        PUT(w, 0x49, 0x8b, (uint8_t)(mode + 0x40));
        put32(w, (uint32_t)place);
    }
}

/* The header of the tuple in %rax to there. */
static void put_header(Writer *w) {
    _Static_assert(TAG_BOXED == 3 && TAG_MASK == 7, "pointers");
    PUT(w, 0x8d, 0x48, 0xfd, 0xf6, 0xc1, 7, 0x0f, 0x85); /* lea -3(%rax), %ecx; test $7, %cl; jne */
    put_fail(w);
    PUT(w, 0x48, 0x8b, 0x40, 0xfd); /* mov -3(%rax), %rax */
}

static void put_compare(Writer *w, Word value) {
    if (fits8(value)) {
        PUT(w, 0x48, 0x83, 0xf8, (uint8_t)value); /* cmp $value, %rax */
    } else if (fits32(value)) {
        PUT(w, 0x48, 0x3d);
        put32(w, (uint32_t)value);
    } else {
        PUT(w, 0x48, 0xb9); /* movabs $value, %rcx */
        put(w, &value, sizeof value);
        PUT(w, 0x48, 0x39, 0xc8); /* cmp %rcx, %rax */
    }
}

/* --- lists and trees ---------------------------------------------------------------------------------------------- */

static void put_leaf(Writer *w, size_t low, size_t high) {
    const Word *values = list_of(w->choice);
    for (size_t i = low; i < high; i++) {
        put_compare(w, values[i]);
        put_found(w, i);
    }
    PUT(w, 0xe9); /* jmp */
    put_fail(w);
}

/* Those in order from `low` to below `high`. */
static void put_tree(Writer *w, size_t low, size_t high) {
    if (high - low <= LEAF_MOST) {
        put_leaf(w, low, high);
        return;
    }
    size_t middle = (low + high) / 2;
    put_compare(w, list_of(w->choice)[middle]);
    put_found(w, middle);
    PUT(w, 0x0f, 0x87); /* ja: behind the lower half */
    size_t way = w->length;
    put32(w, 0);
    put_tree(w, low, middle);
    if (w->to != NULL)
        memcpy(w->to + way, &(uint32_t){(uint32_t)(w->length - way - sizeof(uint32_t))}, sizeof(uint32_t));
    put_tree(w, middle + 1, high);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* A small integer less the first one is the distance of its word from the list's. */
static void put_table(Writer *w) {
    _Static_assert(TAG_SMALL == 0 && TAG_MASK == 7 && sizeof(Word) == 8, "small integers");
    Word first = operand_word(w->choice->insn, form_of(w->choice), 3);
    PUT(w, 0xa8, 7, 0x0f, 0x85); /* test $7, %al; jne */
    put_fail(w);
    if (first != 0) {
        PUT(w, 0x48, 0x2d); /* sub $first, %rax */
        put32(w, (uint32_t)first);
    }
    PUT(w, 0x48, 0x3d); /* cmp $bytes, %rax */
    put32(w, (uint32_t)(count_of(w->choice) * sizeof(Word)));
    PUT(w, 0x0f, 0x83); /* jae */
    put_fail(w);
    PUT(w, 0x8b, 0x80); /* mov list(%rax), %eax */
    put32(w, (uint32_t)(uintptr_t)list_of(w->choice) + sizeof(uint32_t));
    PUT(w, 0xff, 0xe0); /* jmp *%rax */
}

void choice_lead(const Choice *c, Word *insn) {
    if (!is_insn(c, INSN_SELECT_TABLE))
        return;
    Word *list = insn + form_of(c)->words;
    for (size_t i = 0; i < count_of(c); i++) {
        Word lower = (uint32_t)list[i];
        list[i] = (Word)(uintptr_t)code_at(c, (int32_t)lower) << 32 | lower;
    }
}

/* --- choices ------------------------------------------------------------------------------------------------------ */

static void put_choice(Writer *w) {
    const Choice *c = w->choice;
    put_value(w);
    if (is_insn(c, INSN_SELECT_TABLE)) {
        put_table(w);
        return;
    }
    if (is_insn(c, INSN_SELECT_ARITY))
        put_header(w);
    if (is_insn(c, INSN_SELECT_BINARY))
        put_tree(w, 0, count_of(c));
    else
        put_leaf(w, 0, count_of(c));
}

static bool is_choice(const Choice *c) {
    return is_insn(c, INSN_SELECT_TABLE) ||
           ((is_insn(c, INSN_SELECT_LINEAR) || is_insn(c, INSN_SELECT_BINARY) || is_insn(c, INSN_SELECT_ARITY)) &&
            count_of(c) <= TREE_MOST);
}

size_t choice_length(const Choice *c) {
    if (!is_choice(c))
        return 0;
    Writer w = {.choice = c};
    put_choice(&w);
    return w.length;
}

void choice_put(const Choice *c, const uint8_t *from, uint8_t *to) {
    Writer w = {.choice = c, .from = from, .to = to};
    put_choice(&w);
}
