#include "jit/float_steps.h"

#include <string.h>

#include "emu/emu.h"
#include "insns.h"
#include "jit/operands.h"

#define LOOK_AHEAD 32 /* instructions; who is read behind them may be alive */

/* Letters for steps, which take their operands in order: L load, V convert, C copy, N negate, S store, R room for (of
 * two operands), and the four operations. */
static const struct {
    enum Insn insn;
    const char *steps;
} instructions[] = {
    {INSN_FLOAD, "L"},
    {INSN_FSTORE, "S"},
    {INSN_FCOPY, "C"},
    {INSN_FCONV, "V"},
    {INSN_FADD, "+"},
    {INSN_FSUB, "-"},
    {INSN_FMUL, "*"},
    {INSN_FDIV, "/"},
    {INSN_FNEGATE, "N"},
    {INSN_FLOAD_ADD, "L+"},
    {INSN_FLOAD_SUB, "L-"},
    {INSN_FLOAD_MUL, "L*"},
    {INSN_FLOAD_DIV, "L/"},
    {INSN_FLOAD_2, "LL"},
    {INSN_FSTORE_2, "SS"},
    {INSN_FLOAD_2_ADD, "LL+"},
    {INSN_FLOAD_2_SUB, "LL-"},
    {INSN_FLOAD_2_MUL, "LL*"},
    {INSN_FLOAD_2_DIV, "LL/"},
    {INSN_TEST_HEAP_FSTORE, "RS"},
    {INSN_TEST_HEAP_FSTORE_2, "RSS"},
};

uint8_t float_operation(char sign) { return sign == '+' ? 0x58 : sign == '*' ? 0x59 : sign == '-' ? 0x5c : 0x5e; }

static uint16_t register_of(const Word *insn, const InsnForm *form, unsigned n) {
    return (uint16_t)(operand_word(insn, form, n) / sizeof(double));
}

/* The step of a letter, whose operands begin with number *n; that goes on behind them. */
static FloatStep step_of(const Word *insn, uint16_t number, char letter, unsigned *n) {
    const InsnForm *form = &insn_forms[number];
    unsigned first = *n;
    *n += 2;
    switch (letter) {
    case 'L':
    case 'V':
        return (FloatStep){.kind = letter == 'L' ? FLOAT_LOAD : FLOAT_CONVERT,
                           .source = operand_source(insn, form, first),
                           .to = register_of(insn, form, first + 1)};
    case 'C':
    case 'N':
        return (FloatStep){.kind = letter == 'C' ? FLOAT_COPY : FLOAT_NEGATE,
                           .a = register_of(insn, form, first),
                           .to = register_of(insn, form, first + 1)};
    case 'S':
        return (FloatStep){
            .kind = FLOAT_STORE, .a = register_of(insn, form, first), .place = operand_place(insn, form, first + 1)};
    case 'R': return (FloatStep){.kind = FLOAT_ROOM, .place = operand_word(insn, form, first)};
    default:
        *n += 1;
        return (FloatStep){.kind = FLOAT_OPERATE,
                           .operation = float_operation(letter),
                           .a = register_of(insn, form, first),
                           .b = register_of(insn, form, first + 1),
                           .to = register_of(insn, form, first + 2)};
    }
}

static const char *letters_of(uint16_t form) {
    if (strchr(insn_forms[form].kinds, 'l') == NULL)
        return "";
    for (unsigned i = 0; i < array_length(instructions); i++)
        if (form_is(form, instructions[i].insn))
            return instructions[i].steps;
    return "";
}

unsigned float_steps(const Word *insn, uint16_t form, FloatStep steps[FLOAT_STEPS_MOST]) {
    const char *letters = letters_of(form);
    unsigned count = 0, n = 0;
    for (; letters[count] != '\0'; count++)
        steps[count] = step_of(insn, form, letters[count], &n);
    return count;
}

/* --- who is alive ------------------------------------------------------------------------------------------------- */

static bool reads(const FloatStep *step, uint16_t number) {
    switch (step->kind) {
    case FLOAT_COPY:
    case FLOAT_NEGATE:
    case FLOAT_STORE: return step->a == number;
    case FLOAT_OPERATE: return step->a == number || step->b == number;
    default: return false;
    }
}

static bool writes(const FloatStep *step) { return step->kind != FLOAT_ROOM && step->kind != FLOAT_STORE; }

static bool is_written(const bool *written, const FloatStep *step) {
    bool a = !reads(step, step->a) || written[step->a];
    return a && (step->kind != FLOAT_OPERATE || written[step->b]);
}

/* Whoever comes there may come from anywhere. */
static bool is_label(const InsnPlace *place) {
    return place->is_target || place->form == insn_info[INSN_FUNC_INFO].first_form;
}

bool floats_cross_labels(const Word *words, const InsnPlace *places, size_t count) {
    bool written[FLOAT_REGISTERS] = {false}, is_clear = true;
    for (size_t i = 0; i < count; i++) {
        FloatStep steps[FLOAT_STEPS_MOST];
        if (is_label(&places[i]) && !is_clear) {
            memset(written, 0, sizeof written);
            is_clear = true;
        }
        unsigned step_count = float_steps(words + places[i].word, places[i].form, steps);
        for (unsigned n = 0; n < step_count; n++) {
            if (!is_written(written, &steps[n]))
                return true;
            if (writes(&steps[n]))
                written[steps[n].to] = true, is_clear = false;
        }
    }
    return false;
}

bool float_is_dead(const Word *words, const InsnPlace *places, size_t count, uint16_t number) {
    for (size_t i = 0; i < count && i < LOOK_AHEAD; i++) {
        FloatStep steps[FLOAT_STEPS_MOST];
        if (is_label(&places[i]))
            return true;
        unsigned step_count = float_steps(words + places[i].word, places[i].form, steps);
        for (unsigned n = 0; n < step_count; n++) {
            if (reads(&steps[n], number))
                return false;
            if (writes(&steps[n]) && steps[n].to == number)
                return true;
        }
    }
    return false;
}
