/*
 * The encoder, form by form: every form of every instruction is chosen for operands that only it (or one before it)
 * takes, its operands are read back as the interpreter reads them, and what no form takes is refused.
 */
#include "loader/encode.h"

#include <string.h>

#include "emu/emu.h"
#include "term/float.h"
#include "unit.h"

#define ROUNDS 40

static uint64_t seed = 88172645463325252u;
static uint64_t below(uint64_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % n;
}

/* Numbers up to `most`, its ends among them. */
static Word number(Word most) {
    switch (below(4)) {
    case 0: return 0;
    case 1: return most;
    default: return below(most) + 1;
    }
}

static const char kinds[] = "xySdsicfjuUwl";

static Operand reg(OperandKind kind) { return (Operand){.kind = kind, .value = number(X_REGISTERS - 1)}; }

/* Words that are small integers or nil, as bits of 32 with a sign. */
static Term word32(void) {
    static const SWord ends[] = {0, 1, -1, INT32_MAX / 8, INT32_MIN / 8};
    return below(5) == 0 ? NIL : small_make(below(2) ? ends[below(5)] : (SWord)below(1000) - 500);
}

static Operand operand_of(char kind) {
    switch (kind) {
    case 'x': return reg(OPERAND_X);
    case 'y': return reg(OPERAND_Y);
    case 'S':
    case 'd': return reg(below(2) ? OPERAND_X : OPERAND_Y);
    case 's': return below(2) ? operand_term(small_make((SWord)number(INT64_MAX / 8))) : operand_of('S');
    case 'i': return operand_term(word32());
    case 'c': return operand_term(small_make((SWord)number(INT64_MAX / 8)));
    case 'f': return operand_label(1 + number(1000));
    case 'j': return operand_label(number(1000));
    case 'u': return operand_uint(number(UINT16_MAX));
    case 'U': return operand_uint(number(UINT32_MAX));
    case 'w': return operand_uint(number(UINT64_MAX));
    default: return (Operand){.kind = OPERAND_FLOAT_REGISTER, .value = number(FLOAT_REGISTERS - 1)};
    }
}

/* What kind of operand a form takes, told in other words than the encoder does. */
static bool takes(char kind, const Operand *o) {
    bool is_register = (o->kind == OPERAND_X || o->kind == OPERAND_Y) && o->value < X_REGISTERS;
    switch (kind) {
    case 'x': return o->kind == OPERAND_X && is_register;
    case 'y': return o->kind == OPERAND_Y && is_register;
    case 'S':
    case 'd': return is_register;
    case 's': return is_register || o->kind == OPERAND_TERM;
    case 'i':
        return o->kind == OPERAND_TERM && !is_pointer(o->value) && !is_self_float(o->value) &&
               (SWord)o->value >= INT32_MIN && (SWord)o->value <= INT32_MAX;
    case 'c': return o->kind == OPERAND_TERM;
    case 'f': return o->kind == OPERAND_LABEL && o->value > 0;
    case 'j': return o->kind == OPERAND_LABEL;
    case 'u': return o->kind == OPERAND_UINT && o->value < 1u << 16;
    case 'U': return o->kind == OPERAND_UINT && o->value < (Word)1 << 32;
    case 'w': return o->kind == OPERAND_UINT;
    default: return o->kind == OPERAND_FLOAT_REGISTER && o->value < FLOAT_REGISTERS;
    }
}

static size_t size_of(char kind) { return strchr("xySdlu", kind) != NULL ? 2 : strchr("ifjU", kind) != NULL ? 4 : 8; }

/* Operands stand behind the handler, in the instruction's words, aligned, and none on another. */
static void check_layout(const InsnForm *form, unsigned count) {
    bool used[8 * UINT8_MAX] = {true, true, true, true};
    assert_int_equal(strlen(form->kinds), count);
    for (unsigned i = 0; i < count; i++) {
        size_t size = size_of(form->kinds[i]), at = form->offsets[i];
        assert_int_equal(at % size, 0);
        assert_true(at + size <= form->words * sizeof(Word));
        for (size_t byte = at; byte < at + size; byte++) {
            assert_false(used[byte]);
            used[byte] = true;
        }
    }
}

static uint64_t bytes_at(const Word *insn, size_t offset, size_t size) {
    uint64_t value = 0;
    memcpy(&value, (const char *)insn + offset, size);
    return value;
}

/* As emu/interp.h reads it; labels are looked at apart. */
static void check_operand(const Word *insn, char kind, size_t offset, const Operand *o) {
    uint64_t got = bytes_at(insn, offset, size_of(kind));
    bool is_y = o->kind == OPERAND_Y;
    switch (kind) {
    case 'x':
    case 'y':
    case 'l': assert_int_equal(got, 8 * o->value); break;
    case 'S':
    case 'd': assert_int_equal(got, 8 * o->value + is_y); break;
    case 's':
        if (o->kind == OPERAND_TERM) {
            assert_int_equal(got, o->value);
        } else {
            assert_int_equal(got & TAG_MASK, TAG_HEADER);
            assert_int_equal((got & 8) != 0, is_y);
            assert_int_equal(got >> 8, 8 * o->value);
        }
        break;
    case 'i': assert_int_equal((SWord)(int32_t)(uint32_t)got, (SWord)o->value); break;
    default: assert_int_equal(got, o->value);
    }
}

static const InsnForm *expected_form(const InsnInfo *info, const Operand *operands) {
    for (unsigned f = 0; f < info->form_count; f++) {
        const InsnForm *form = &insn_forms[info->first_form + f];
        bool good = true;
        for (unsigned i = 0; i < info->operand_count; i++)
            good = good && takes(form->kinds[i], &operands[i]);
        if (good)
            return form;
    }
    return NULL;
}

static bool is_label(char kind) { return kind == 'f' || kind == 'j'; }

static void check_insn(Encoder *e, enum Insn insn, const Operand *operands) {
    const InsnInfo *info = &insn_info[insn];
    const InsnForm *form = expected_form(info, operands);
    size_t before = e->count, uses = e->use_count;
    if (form == NULL) {
        assert_false(encode_insn(e, insn, operands, info->operand_count));
        assert_int_equal(e->count, before);
        assert_int_equal(e->use_count, uses);
        return;
    }
    assert_true(encode_insn(e, insn, operands, info->operand_count));
    assert_int_equal(e->count, before + form->words);
    assert_int_equal(e->start, before);
    const Word *at = e->words + before;
    assert_int_equal((uint32_t)*at, (uint32_t)insn_word(form));
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (!is_label(form->kinds[i])) {
            check_operand(at, form->kinds[i], form->offsets[i], &operands[i]);
        } else if (operands[i].value != 0) {
            const LabelUse *use = &e->uses[uses++];
            assert_int_equal(use->at, before * sizeof(Word) + form->offsets[i]);
            assert_int_equal(use->start, before);
            assert_int_equal(use->label, operands[i].value);
        } else {
            assert_int_equal(bytes_at(at, form->offsets[i], 4), 0);
        }
    }
    assert_int_equal(e->use_count, uses);
}

static void every_form_holds_its_operands(void **state) {
    Encoder e;
    Workspace workspace = {0};
    encoder_init(&e, &workspace, 1, true);
    for (int insn = 0; insn < INSN_COUNT; insn++) {
        const InsnInfo *info = &insn_info[insn];
        assert_true(info->form_count > 0 && info->operand_count <= INSN_MAX_OPERANDS);
        for (unsigned f = 0; f < info->form_count; f++) {
            const InsnForm *form = &insn_forms[info->first_form + f];
            check_layout(form, info->operand_count);
            for (unsigned round = 0; round < ROUNDS; round++) {
                Operand operands[INSN_MAX_OPERANDS] = {0};
                for (unsigned i = 0; i < info->operand_count; i++)
                    operands[i] = operand_of(form->kinds[i]);
                assert_non_null(expected_form(info, operands));
                check_insn(&e, insn, operands);
            }
        }
    }
    workspace_end(&workspace);
}

/* Operands of kinds that the instruction may not take, and values that are too large for their kind. */
static void what_fits_no_form_is_refused(void **state) {
    Encoder e;
    Workspace workspace = {0};
    encoder_init(&e, &workspace, 1, true);
    unsigned refused = 0;
    for (int insn = 0; insn < INSN_COUNT; insn++) {
        const InsnInfo *info = &insn_info[insn];
        Operand operands[INSN_MAX_OPERANDS + 1] = {0};
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (unsigned i = 0; i < info->operand_count; i++) {
                operands[i] = operand_of(insn_forms[info->first_form + info->form_count - 1].kinds[i]);
                if (below(4) == 0)
                    operands[i] = operand_of(kinds[below(sizeof kinds - 1)]);
                if (below(8) == 0)
                    operands[i].value = operands[i].kind == OPERAND_TERM ? operands[i].value : below(1 << 20);
                if (below(20) == 0)
                    operands[i].kind = OPERAND_LIST;
            }
            refused += expected_form(info, operands) == NULL;
            check_insn(&e, insn, operands);
        }
        assert_false(encode_insn(&e, insn, operands, info->operand_count + 1));
        if (info->operand_count > 0)
            assert_false(encode_insn(&e, insn, operands, info->operand_count - 1));
    }
    assert_true(refused > 1000);
    workspace_end(&workspace);
}

/* An instruction with a label among its operands, with which the others are of kinds that any value fits. */
static enum Insn insn_with_label(unsigned *place) {
    for (int insn = 0; insn < INSN_COUNT; insn++) {
        const InsnInfo *info = &insn_info[insn];
        if (info->operand_count == 1 && is_label(insn_forms[info->first_form].kinds[0])) {
            *place = insn_forms[info->first_form].offsets[0];
            return (enum Insn)insn;
        }
    }
    fail_msg("no instruction has a label alone");
    return INSN_COUNT;
}

static void labels_count_from_their_instruction(void **state) {
    Encoder e;
    unsigned offset;
    enum Insn jump = insn_with_label(&offset);
    uint32_t labels[300], missing = 0, count = 300;
    size_t starts[300];
    Workspace workspace = {0};
    encoder_init(&e, &workspace, 1, true);
    for (uint32_t i = 0; i < count; i++) { /* to all places, forwards and back, and one from a list */
        Operand to = operand_label(1 + (i * 7 + 3) % (count - 1));
        starts[i] = e.count;
        labels[i] = (uint32_t)e.count;
        assert_true(encode_insn(&e, jump, &to, 1));
        encode_label(&e, 1 + (i * 11 + 5) % (count - 1));
        encode_word(&e, i);
    }
    assert_true(encoder_resolve(&e, labels, &missing));
    for (uint32_t i = 0; i < count; i++) {
        const Word *insn = e.words + starts[i];
        size_t length = (i + 1 < count ? starts[i + 1] : e.count) - starts[i];
        const Word *direct = (const Word *)((const char *)insn + (int32_t)bytes_at(insn, offset, 4));
        const Word *listed = (const Word *)((const char *)insn + (int32_t)insn[length - 2]);
        assert_ptr_equal(direct, e.words + labels[1 + (i * 7 + 3) % (count - 1)]);
        assert_ptr_equal(listed, e.words + labels[1 + (i * 11 + 5) % (count - 1)]);
        assert_int_equal(insn[length - 1], i);
    }
    labels[17] = UINT32_MAX;
    assert_false(encoder_resolve(&e, labels, &missing));
    assert_int_equal(missing, 17);
    workspace_end(&workspace);
}

static void sources_of_lists(void **state) {
    Encoder e;
    Workspace workspace = {0};
    encoder_init(&e, &workspace, 1, true);
    const Operand good[] = {{.kind = OPERAND_X, .value = 0},
                            {.kind = OPERAND_X, .value = X_REGISTERS - 1},
                            {.kind = OPERAND_Y, .value = 3},
                            operand_term(NIL),
                            operand_term(small_make(-1))};
    const Operand bad[] = {operand_uint(1),
                           operand_label(1),
                           {.kind = OPERAND_X, .value = X_REGISTERS},
                           {.kind = OPERAND_FLOAT_REGISTER},
                           {.kind = OPERAND_LIST}};
    for (size_t i = 0; i < array_length(good); i++) {
        assert_true(encode_source(&e, &good[i]));
        check_operand(e.words + i, 's', 0, &good[i]);
    }
    for (size_t i = 0; i < array_length(bad); i++)
        assert_false(encode_source(&e, &bad[i]));
    assert_int_equal(e.count, array_length(good));
    workspace_end(&workspace);
}

UNIT_TESTS(unit(every_form_holds_its_operands), unit(what_fits_no_form_is_refused),
           unit(labels_count_from_their_instruction), unit(sources_of_lists))
