/* Selection of the bit syntax instructions. Bytes of strings go into the code behind the instruction that uses them. */
#include "loader/selector.h"

#include "base/unicode.h"
#include "emu/emu.h"
#include "loader/fields.h"
#include "term/atom.h"

static const Operand no_label = {.kind = OPERAND_LABEL, .value = 0};

static bool is_all(const Operand *o) { return o->kind == OPERAND_TERM && o->value == am_all; }
/* No bitstring has as many bits; what is beyond stands for it. */
#define BITS_BEYOND ((Word)SMALL_MAX)

static bool is_fixed(const Operand *o) {
    return o->kind == OPERAND_TERM && is_small(o->value) && small_value(o->value) >= 0;
}

/* A number of bits that is written as a number, BITS_BEYOND at most. False: it is none. */
static bool number_of_bits(const Operand *o, Word *bits) {
    bool is_large =
        o->kind == OPERAND_HUGE || (o->kind == OPERAND_TERM && is_big(o->value) && !integer_is_negative(o->value));
    if (!is_large && !is_fixed(o) && o->kind != OPERAND_UINT)
        return false;
    *bits = is_large ? BITS_BEYOND : is_fixed(o) ? (Word)small_value(o->value) : o->value;
    if (*bits > BITS_BEYOND)
        *bits = BITS_BEYOND;
    return true;
}

/* Bits of a fixed size, BITS_BEYOND at most. */
static bool fixed_bits(const Operand *size, const Operand *unit, Word *bits) {
    if (!is_fixed(size) || unit->kind != OPERAND_UINT)
        return false;
    if (__builtin_mul_overflow((Word)small_value(size->value), unit->value, bits) || *bits > BITS_BEYOND)
        *bits = BITS_BEYOND;
    return true;
}

/* --- Starting, positions, tails --- */

void select_bs_start_match3(Selector *s, const Operand *a) {
    Operand source = select_register(s, &a[1], 0);
    EMIT(INSN_BS_START_MATCH, a[0], source, a[2], a[3]);
}

/* In the label's place stands `resume` (it is a context already) or `no_fail` (it is a bitstring or a context). */
void select_bs_start_match4(Selector *s, const Operand *a) {
    bool atom = a[0].kind == OPERAND_TERM;
    if (atom && a[0].value == am_resume) {
        EMIT(INSN_MOVE, a[2], a[3]);
        return;
    }
    if (!operand_is_register(&a[2]) || (atom && a[0].value != am_no_fail)) {
        select_refuse(s, "an operand does not fit");
        return;
    }
    EMIT(INSN_BS_START_MATCH, atom ? no_label : a[0], a[2], a[1], a[3]);
}

void select_bs_get_position(Selector *s, const Operand *a) { EMIT(INSN_BS_GET_POSITION, a[0], a[1]); }

/* --- Strings --- */

static void encode_bytes(Selector *s, const uint8_t *bytes, Word count) {
    for (Word i = 0; i < count; i += WORD_BYTES) {
        Word word = 0;
        memcpy(&word, bytes + i, count - i < WORD_BYTES ? count - i : WORD_BYTES);
        encode_word(&s->code, word);
    }
}

/* The bytes at an offset of StrT; NULL when they are not all there. */
static const uint8_t *string_at(Selector *s, const Operand *offset, Word bits) {
    Word at = offset->value, bytes = bits / 8 + (bits % 8 != 0);
    if ((offset->kind == OPERAND_STRING || offset->kind == OPERAND_UINT) && at <= s->module->strings_size &&
        bytes <= s->module->strings_size - at)
        return s->module->strings + at;
    select_refuse(s, "a string lies outside of the strings");
    return NULL;
}

/* --- Fields --- */

/* Of a field whose size is a number; false: it is another one. */
static bool fixed_field(const Operand *a, Word *bits, Word *flags) {
    *flags = a[5].value & (FIELD_LITTLE | FIELD_SIGNED | FIELD_NATIVE);
    return a[5].kind == OPERAND_UINT && a[5].value <= 255 && fixed_bits(&a[3], &a[4], bits);
}

static bool add_integer(FieldGroup *g, const Operand *a) {
    Word bits, flags;
    return fixed_field(a, &bits, &flags) && fields_add_integer(g, bits, flags, &a[6]);
}

static bool add_skip(FieldGroup *g, const Operand *a) {
    Word bits;
    return fixed_bits(&a[2], &a[3], &bits) && fields_add_skip(g, bits);
}

static bool add_string(Selector *s, FieldGroup *g, const Operand *a) {
    if (a[2].kind != OPERAND_UINT || a[2].value > FIELDS_MOST_BITS - g->bits || a[2].value == 0)
        return false;
    const uint8_t *bytes = string_at(s, &a[3], a[2].value);
    return bytes != NULL && fields_add_value(g, a[2].value, bits_get(bytes, 0, (unsigned)a[2].value));
}

static bool ends_fields(FieldGroup *g, const GenericInsn *i) {
    const Operand *last = &i->operands[2];
    if (last->kind != OPERAND_UINT)
        return false;
    return (i->op == GENOP_BS_TEST_UNIT && last->value == 8 && fields_end(g, FIELDS_BYTES_BEHIND)) ||
           (i->op == GENOP_BS_TEST_TAIL2 && last->value == 0 && fields_end(g, FIELDS_NONE_BEHIND));
}

/* Those that follow, on the same context and with the same label. */
static void add_following(Selector *s, FieldGroup *g) {
    for (const GenericInsn *i; !s->failed && (i = select_peek(s)) != NULL; s->next++) {
        const Operand *a = i->operands;
        bool is_one = i->op == GENOP_BS_GET_INTEGER2 || i->op == GENOP_BS_SKIP_BITS2 ||
                      i->op == GENOP_BS_MATCH_STRING || i->op == GENOP_BS_TEST_UNIT || i->op == GENOP_BS_TEST_TAIL2;
        if (!is_one || !operands_are_same(&a[0], &g->label) || !operands_are_same(&a[1], &g->context))
            return;
        if (!(i->op == GENOP_BS_GET_INTEGER2   ? add_integer(g, a)
              : i->op == GENOP_BS_SKIP_BITS2   ? add_skip(g, a)
              : i->op == GENOP_BS_MATCH_STRING ? add_string(s, g, a)
                                               : ends_fields(g, i)))
            return;
    }
}

/* No group takes it. */
static void lone_integer(Selector *s, const Operand *a) {
    Word bits, flags;
    if (!select_uint(s, &a[5], 255, &flags))
        return;
    if (fixed_field(a, &bits, &flags) && bits > 0 && bits < SMALL_BITS)
        EMIT(INSN_BS_GET_INTEGER_SMALL, a[0], a[1], operand_uint(bits), operand_uint(flags), a[6]);
    else
        EMIT(INSN_BS_GET_INTEGER, a[0], a[1], a[2], a[3], a[4], operand_uint(flags), a[6]);
}

void select_bs_get_integer2(Selector *s, const Operand *a) {
    FieldGroup group;
    fields_init(&group, a[0], a[1], 0);
    if (!add_integer(&group, a)) {
        lone_integer(s, a);
        return;
    }
    add_following(s, &group);
    fields_emit(s, &group);
}

void select_bs_get_float2(Selector *s, const Operand *a) {
    EMIT(INSN_BS_GET_FLOAT, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

static bool good_unit(Selector *s, const Operand *unit) {
    if (unit->kind == OPERAND_UINT && unit->value >= 1 && unit->value <= 256)
        return true;
    select_refuse(s, "a unit is out of range");
    return false;
}

void select_bs_get_binary2(Selector *s, const Operand *a) {
    if (!good_unit(s, &a[4]))
        return;
    if (is_all(&a[3]))
        EMIT(INSN_BS_GET_BINARY_ALL, a[0], a[1], a[2], a[4], a[6]);
    else
        EMIT(INSN_BS_GET_BINARY, a[0], a[1], a[2], a[3], a[4], a[6]);
}

void select_bs_skip_bits2(Selector *s, const Operand *a) {
    Word bits;
    FieldGroup group;
    fields_init(&group, a[0], a[1], 0);
    if (!good_unit(s, &a[3]))
        return;
    if (is_all(&a[2])) {
        EMIT(INSN_BS_SKIP_ALL, a[0], a[1], a[3]);
    } else if (add_skip(&group, a)) {
        add_following(s, &group);
        fields_emit(s, &group);
    } else if (fixed_bits(&a[2], &a[3], &bits)) {
        EMIT(INSN_BS_SKIP_FIXED, a[0], a[1], operand_uint(bits));
    } else {
        EMIT(INSN_BS_SKIP, a[0], a[1], a[2], a[3]);
    }
}

void select_bs_test_unit(Selector *s, const Operand *a) {
    if (!good_unit(s, &a[2]))
        return;
    if (a[2].value == 8)
        EMIT(INSN_BS_TEST_BYTES, a[0], a[1]);
    else
        EMIT(INSN_BS_TEST_UNIT, a[0], a[1], a[2]);
}

void select_bs_test_tail2(Selector *s, const Operand *a) {
    Word bits;
    if (number_of_bits(&a[2], &bits))
        EMIT(INSN_BS_TEST_TAIL, a[0], a[1], operand_uint(bits));
    else
        select_refuse(s, "a number of bits is none");
}

/* --- Those that are matched, and put --- */

void select_bs_match_string(Selector *s, const Operand *a) {
    Word bits;
    FieldGroup group;
    fields_init(&group, a[0], a[1], 0);
    if (!select_uint(s, &a[2], UINT32_MAX, &bits))
        return;
    if (add_string(s, &group, a)) {
        add_following(s, &group);
        fields_emit(s, &group);
        return;
    }
    const uint8_t *bytes = string_at(s, &a[3], bits);
    if (bytes == NULL)
        return;
    EMIT(INSN_BS_MATCH_STRING, a[0], a[1], a[2]);
    encode_bytes(s, bytes, bits / 8 + (bits % 8 != 0));
}

void select_bs_put_string(Selector *s, const Operand *a) {
    Word bytes;
    if (!select_uint(s, &a[0], UINT32_MAX / 8, &bytes))
        return;
    const uint8_t *string = string_at(s, &a[1], bytes * 8);
    if (string == NULL)
        return;
    EMIT(INSN_BS_PUT_STRING, operand_uint(bytes * 8));
    encode_bytes(s, string, bytes);
}

/* --- Unicode --- */

void select_bs_get_utf8(Selector *s, const Operand *a) { EMIT(INSN_BS_GET_UTF8, a[0], a[1], a[4]); }
void select_bs_get_utf16(Selector *s, const Operand *a) { EMIT(INSN_BS_GET_UTF16, a[0], a[1], a[3], a[4]); }
void select_bs_get_utf32(Selector *s, const Operand *a) { EMIT(INSN_BS_GET_UTF32, a[0], a[1], a[3], a[4]); }
void select_bs_skip_utf8(Selector *s, const Operand *a) { EMIT(INSN_BS_SKIP_UTF8, a[0], a[1]); }
void select_bs_skip_utf16(Selector *s, const Operand *a) { EMIT(INSN_BS_SKIP_UTF16, a[0], a[1], a[3]); }
void select_bs_skip_utf32(Selector *s, const Operand *a) { EMIT(INSN_BS_SKIP_UTF32, a[0], a[1], a[3]); }

/* --- bs_match: a list of commands on one context --- */

typedef struct {
    const Operand *at, *end;
    Operand label, context;
    Word taken; /* bits that the commands before took: how far a failing comparison goes back */
    FieldGroup group; /* of the last ones, not emitted yet */
} Commands;

/* What comes next is in no group with what was. */
static void end_group(Selector *s, Commands *c) {
    fields_emit(s, &c->group);
    fields_init(&c->group, c->label, c->context, c->taken);
}

static const Operand *command_operands(Selector *s, Commands *c, unsigned count) {
    if (c->end - c->at < (ptrdiff_t)count) {
        select_refuse(s, "the list of commands ends early");
        return NULL;
    }
    const Operand *a = c->at;
    c->at += count;
    return a;
}

/* In commands, numbers may be written as integers or as unsigned numbers. */
static bool command_number(Selector *s, const Operand *o, Word most, Word *value) {
    if (number_of_bits(o, value) && *value <= most)
        return true;
    select_refuse(s, "a number in a command is out of range");
    return false;
}

/* A literal list of flag names, or the number that older instructions use. */
static bool field_flags(Selector *s, const Operand *o, Word *flags) {
    *flags = 0;
    if (o->kind == OPERAND_UINT) {
        *flags = o->value & 0xff;
        return true;
    }
    Term t = o->kind == OPERAND_TERM ? o->value : NON_VALUE;
    for (; is_list(t); t = list_tail(t)) {
        Term name = list_head(t);
        *flags |= name == am_little   ? FIELD_LITTLE
                  : name == am_signed ? FIELD_SIGNED
                  : name == am_native ? FIELD_NATIVE
                                      : 0;
    }
    if (t == NIL)
        return true;
    select_refuse(s, "flags are no list");
    return false;
}

static void command_ensure(Selector *s, Commands *c, bool exactly) {
    const Operand *a = command_operands(s, c, exactly ? 1 : 2);
    Word bits, unit = 1;
    end_group(s, c);
    if (a == NULL || !command_number(s, &a[0], BITS_BEYOND, &bits))
        return;
    if (exactly) {
        EMIT(INSN_BS_TEST_TAIL, c->label, c->context, operand_uint(bits));
    } else if (command_number(s, &a[1], 256, &unit)) {
        if (unit == 0)
            select_refuse(s, "a unit is out of range");
        EMIT(INSN_BS_ENSURE, c->label, c->context, operand_uint(bits), operand_uint(unit));
    }
}

/* Behind BITS_BEYOND no command is reached. */
static void take(Commands *c, Word bits) {
    c->taken = bits < BITS_BEYOND - c->taken ? c->taken + bits : BITS_BEYOND;
    if (c->group.count == 0)
        fields_init(&c->group, c->label, c->context, c->taken);
}

static void take_field(Commands *c, const Operand *a) {
    Word bits;
    if (fixed_bits(&a[3], &a[4], &bits))
        take(c, bits);
}

/* integer: Live Flags Size Unit Dst; binary: the same. */
static void command_field(Selector *s, Commands *c, bool integer) {
    const Operand *a = command_operands(s, c, 5);
    Word live, flags, size, unit;
    if (a == NULL || !command_number(s, &a[0], X_REGISTERS, &live) || !field_flags(s, &a[1], &flags) ||
        !command_number(s, &a[2], BITS_BEYOND, &size) || !command_number(s, &a[3], 256, &unit))
        return;
    Operand as_old[7] = {c->label,
                         c->context,
                         operand_uint(live),
                         operand_term(small_make((SWord)size)),
                         operand_uint(unit),
                         operand_uint(flags),
                         a[4]};
    if (!(integer && add_integer(&c->group, as_old))) {
        end_group(s, c);
        if (!integer)
            select_bs_get_binary2(s, as_old);
        else if (!add_integer(&c->group, as_old))
            lone_integer(s, as_old);
    }
    take_field(c, as_old);
}

/* Live Size Value */
static void command_equal(Selector *s, Commands *c) {
    const Operand *a = command_operands(s, c, 3);
    Word bits, value = 0;
    if (a == NULL || !command_number(s, &a[1], 64, &bits))
        return;
    if (a[2].kind == OPERAND_UINT) {
        value = a[2].value;
    } else if (a[2].kind != OPERAND_TERM || !is_integer(a[2].value) || !integer_to_uint64(a[2].value, &value)) {
        select_refuse(s, "a value to compare with is no number of 64 bits");
        return;
    }
    if (!fields_add_value(&c->group, bits, value)) {
        end_group(s, c);
        if (!fields_add_value(&c->group, bits, value))
            EMIT(INSN_BS_MATCH_VALUE, c->label, c->context, operand_uint(bits), operand_uint(c->taken),
                 operand_uint(value));
    }
    take(c, bits);
}

static void command_skip(Selector *s, Commands *c) {
    const Operand *a = command_operands(s, c, 1);
    Word bits;
    if (a == NULL || !command_number(s, &a[0], BITS_BEYOND, &bits))
        return;
    if (!fields_add_skip(&c->group, bits)) {
        end_group(s, c);
        if (!fields_add_skip(&c->group, bits))
            EMIT(INSN_BS_SKIP_FIXED, c->label, c->context, operand_uint(bits));
    }
    take(c, bits);
}

static void command(Selector *s, Commands *c) {
    const Operand *name = c->at++;
    const Operand *a;
    Word bits;
    Term what = name->kind == OPERAND_TERM ? name->value : NON_VALUE;
    if (what == am_ensure_at_least) {
        command_ensure(s, c, false);
    } else if (what == am_ensure_exactly) {
        command_ensure(s, c, true);
    } else if (what == am_integer || what == am_binary) {
        command_field(s, c, what == am_integer);
    } else if (what == am_identical) {
        command_equal(s, c);
    } else if (what == am_skip) {
        command_skip(s, c);
    } else if (what == am_get_tail) {
        end_group(s, c);
        if ((a = command_operands(s, c, 3)) != NULL && command_number(s, &a[0], X_REGISTERS, &bits))
            EMIT(INSN_BS_GET_TAIL, c->context, a[2], operand_uint(bits));
    } else {
        select_refuse(s, "unknown command");
    }
}

void select_bs_match(Selector *s, const Operand *a) {
    if (a[2].kind != OPERAND_LIST) {
        select_refuse(s, "the commands are no list");
        return;
    }
    Commands c = {.at = a[2].list, .end = a[2].list + a[2].value, .label = a[0], .context = a[1]};
    fields_init(&c.group, c.label, c.context, 0);
    while (c.at < c.end && !s->failed)
        command(s, &c);
    fields_emit(s, &c.group);
}

/* --- Building --- */

static const struct {
    Term name;
    SegmentKind kind;
} segment_kinds[] = {
    {am_append, SEGMENT_APPEND}, {am_private_append, SEGMENT_PRIVATE_APPEND},
    {am_binary, SEGMENT_BINARY}, {am_integer, SEGMENT_INTEGER},
    {am_float, SEGMENT_FLOAT},   {am_string, SEGMENT_STRING},
    {am_utf8, SEGMENT_UTF8},     {am_utf16, SEGMENT_UTF16},
    {am_utf32, SEGMENT_UTF32},
};

static bool segment_kind(Selector *s, const Operand *o, SegmentKind *kind) {
    for (unsigned i = 0; i < array_length(segment_kinds); i++) {
        if (o->kind == OPERAND_TERM && o->value == segment_kinds[i].name) {
            *kind = segment_kinds[i].kind;
            return true;
        }
    }
    select_refuse(s, "unknown kind of segment");
    return false;
}

#define SEGMENT_OPERANDS 6 /* kind, number, unit, flags, source, size */

/* Bytes of a string segment; refuses what is none. */
static bool string_segment(Selector *s, const Operand *a, Word *bytes) {
    if (!is_fixed(&a[5]) || (Word)small_value(a[5].value) > UINT32_MAX / 8) {
        select_refuse(s, "the size of a string is no number");
        return false;
    }
    *bytes = (Word)small_value(a[5].value);
    return string_at(s, &a[4], *bytes * 8) != NULL;
}

static void encode_segment(Selector *s, const Operand *a, SegmentKind kind, Word *string_word) {
    Word number, unit, flags, bytes;
    if (!select_uint(s, &a[1], UINT32_MAX, &number) || !select_uint(s, &a[2], 256, &unit) ||
        !field_flags(s, &a[3], &flags))
        return;
    if (unit == 0 && kind <= SEGMENT_BINARY) {
        select_refuse(s, "a unit is out of range");
        return;
    }
    encode_word(&s->code, (Word)kind | flags << 8 | unit << 16 | number << 32);
    if (kind == SEGMENT_STRING) {
        if (!string_segment(s, a, &bytes))
            return;
        encode_word(&s->code, *string_word);
        *string_word += bytes_to_words(bytes);
    } else if (!encode_source(&s->code, &a[4])) {
        select_refuse(s, "a source is no source");
    }
    if (!encode_source(&s->code, &a[5]))
        select_refuse(s, "a size is no source");
}

/* A binary, all of it if it is whole bytes. */
static bool appends_all(Selector *s, const Operand *a) {
    SegmentKind kind;
    Word unit;
    return segment_kind(s, a, &kind) && kind <= SEGMENT_PRIVATE_APPEND && a[5].kind == OPERAND_TERM &&
           a[5].value == am_all && select_uint(s, &a[2], 256, &unit) && unit != 0 && 8 % unit == 0;
}

/* At most, of an integer of known size whose first byte weighs most, or of a character in UTF-8; 0: of none. */
static Word few_bits(Selector *s, const Operand *a) {
    SegmentKind kind;
    Word unit, flags;
    if (segment_kind(s, a, &kind) && kind == SEGMENT_UTF8)
        return 8 * UTF8_MAX_BYTES;
    if (!segment_kind(s, a, &kind) || kind != SEGMENT_INTEGER || !is_fixed(&a[5]) || small_value(a[5].value) > 64 ||
        !select_uint(s, &a[2], 256, &unit) || !field_flags(s, &a[3], &flags))
        return 0;
    Word bits = (Word)small_value(a[5].value) * unit;
    return bits <= 8 || !(flags & (FIELD_LITTLE | FIELD_NATIVE)) ? bits : 0;
}

/* How many bits of such, whole bytes, go behind a binary at most; 0: something else is built. */
#define FEW_BITS_MAX 56
static Word appended_bits(Selector *s, const Operand *segments, Word count) {
    Word sum = 0, bits = 1;
    if (count < 2 || !appends_all(s, segments))
        return 0;
    for (Word i = 1; i < count && bits > 0 && sum <= FEW_BITS_MAX; i++)
        sum += bits = few_bits(s, segments + i * SEGMENT_OPERANDS);
    return bits > 0 && sum <= FEW_BITS_MAX && sum % 8 == 0 ? sum : 0;
}

static enum Insn create_bin_insn(Selector *s, const Operand *segments, Word count) {
    Word bits = appended_bits(s, segments, count);
    if (bits == 0)
        return INSN_BS_CREATE_BIN;
    return bits == 8 && count == 2 ? INSN_BS_APPEND_BYTE : INSN_BS_APPEND_BYTES;
}

/* Fail Words Live Unit Dst Segments */
void select_bs_create_bin(Selector *s, const Operand *a) {
    Word words;
    if (!select_need(s, &a[1], &words))
        return;
    if (a[5].kind != OPERAND_LIST || a[5].value % SEGMENT_OPERANDS != 0) {
        select_refuse(s, "the segments are no list of segments");
        return;
    }
    Word count = a[5].value / SEGMENT_OPERANDS, list_words = count * SEGMENT_WORDS, bytes;
    SegmentKind kind;
    for (Word i = 0; i < count; i++) {
        const Operand *segment = a[5].list + i * SEGMENT_OPERANDS;
        if (!segment_kind(s, segment, &kind))
            return;
        if (kind == SEGMENT_STRING) {
            if (!string_segment(s, segment, &bytes))
                return;
            list_words += bytes_to_words(bytes);
        }
    }
    EMIT(create_bin_insn(s, a[5].list, count), a[0], operand_uint(words), a[2], operand_uint(count),
         operand_uint(list_words), a[4]);
    Word string_word = count * SEGMENT_WORDS;
    for (Word i = 0; i < count && !s->failed; i++) {
        const Operand *segment = a[5].list + i * SEGMENT_OPERANDS;
        segment_kind(s, segment, &kind);
        encode_segment(s, segment, kind, &string_word);
    }
    for (Word i = 0; i < count && !s->failed; i++) {
        const Operand *segment = a[5].list + i * SEGMENT_OPERANDS;
        segment_kind(s, segment, &kind);
        if (kind == SEGMENT_STRING) {
            bytes = (Word)small_value(segment[5].value);
            encode_bytes(s, string_at(s, &segment[4], bytes * 8), bytes);
        }
    }
}

/* --- What older compilers built with --- */

/* A size may be written as an unsigned number. */
static Operand size_operand(const Operand *o) {
    Word size;
    if (o->kind != OPERAND_UINT && o->kind != OPERAND_HUGE)
        return *o;
    number_of_bits(o, &size);
    return operand_term(small_make((SWord)size));
}

static void begin(Selector *s, const Operand *a, Word unit) {
    Word words;
    if (select_need(s, &a[2], &words))
        EMIT(INSN_BS_INIT, a[0], size_operand(&a[1]), operand_uint(unit), a[3], operand_uint(words), a[5]);
}
void select_bs_init2(Selector *s, const Operand *a) { begin(s, a, 8); }
void select_bs_init_bits(Selector *s, const Operand *a) { begin(s, a, 1); }

/* Fail Size Extra Live Unit Bin Flags Dst */
void select_bs_append(Selector *s, const Operand *a) {
    Word words;
    if (select_need(s, &a[2], &words) && good_unit(s, &a[4]))
        EMIT(INSN_BS_APPEND, a[0], size_operand(&a[1]), operand_uint(words), a[3], a[4], a[5], a[7]);
}

/* Fail Size Unit Bin Flags Dst */
void select_bs_private_append(Selector *s, const Operand *a) {
    EMIT(INSN_BS_PRIVATE_APPEND, a[0], size_operand(&a[1]), a[2], a[3], a[5]);
}

static void put(Selector *s, const Operand *a, SegmentKind kind) {
    Word flags;
    if (good_unit(s, &a[2]) && field_flags(s, &a[3], &flags))
        EMIT(INSN_BS_PUT, a[0], size_operand(&a[1]), a[2], operand_uint(flags), operand_uint(kind), a[4]);
}
void select_bs_put_integer(Selector *s, const Operand *a) { put(s, a, SEGMENT_INTEGER); }
void select_bs_put_float(Selector *s, const Operand *a) { put(s, a, SEGMENT_FLOAT); }
void select_bs_put_binary(Selector *s, const Operand *a) { put(s, a, SEGMENT_BINARY); }

/* Fail Flags Source */
static void put_utf(Selector *s, const Operand *a, SegmentKind kind) {
    Word flags;
    if (field_flags(s, &a[1], &flags))
        EMIT(INSN_BS_PUT, a[0], operand_term(am_undefined), operand_uint(1), operand_uint(flags), operand_uint(kind),
             a[2]);
}
void select_bs_put_utf8(Selector *s, const Operand *a) { put_utf(s, a, SEGMENT_UTF8); }
void select_bs_put_utf16(Selector *s, const Operand *a) { put_utf(s, a, SEGMENT_UTF16); }
void select_bs_put_utf32(Selector *s, const Operand *a) { put_utf(s, a, SEGMENT_UTF32); }

void select_bs_utf8_size(Selector *s, const Operand *a) {
    EMIT(INSN_BS_UTF_SIZE, a[1], operand_uint(SEGMENT_UTF8), a[2]);
}
void select_bs_utf16_size(Selector *s, const Operand *a) {
    EMIT(INSN_BS_UTF_SIZE, a[1], operand_uint(SEGMENT_UTF16), a[2]);
}

/* Fail {Left, Right, Unit} Dst */
void select_bs_add(Selector *s, const Operand *a) { EMIT(INSN_BS_ADD, a[0], a[1], a[2], a[3], a[4]); }
