#include "loader/decode.h"

#include "code/compact.h"
#include "genops.h"
#include "term/integer.h"

#define BYTES_PER_INSN 5  /* on the average there are less */
#define REGISTER_MAX 1023 /* of x and y: what the compiler keeps to */
#define FLOAT_REGISTER_MAX 1023

enum { EXTENDED_LIST = 1, EXTENDED_FLOAT_REGISTER, EXTENDED_ALLOC, EXTENDED_LITERAL, EXTENDED_TYPED_REGISTER };

typedef struct {
    BeamFile *file;
    DecodedCode *out;
    Reader reader;
    uint8_t *label_seen;
    uint32_t functions;
} Decoder;

static bool refuse(Decoder *d, const char *what) {
    size_t offset = (size_t)(d->reader.at - d->file->code.bytes);
    return beam_file_refuse(d->file, "%s, near byte %zu of chunk Code", what, offset);
}

static Operand *operands_create(Decoder *d, size_t count) {
    return workspace_take(&d->file->workspace, count * sizeof(Operand));
}

/* One more item fits into a table. */
static void *table_grow(Decoder *d, void *table, size_t count, size_t *capacity, size_t item_bytes) {
    return count < *capacity ? table : workspace_grow(&d->file->workspace, table, capacity, item_bytes);
}

void decoded_add_patch(DecodedCode *decoded, Workspace *workspace, Operand *operand, uint32_t term) {
    if (decoded->patch_count == decoded->patch_capacity)
        decoded->patches = workspace_grow(workspace, decoded->patches, &decoded->patch_capacity, sizeof(TermPatch));
    decoded->patches[decoded->patch_count++] = (TermPatch){operand, term};
}

static void add_patch(Decoder *d, Operand *operand, uint32_t term) {
    decoded_add_patch(d->out, &d->file->workspace, operand, term);
    *operand = (Operand){.kind = OPERAND_TERM, .value = NIL};
}

/* The magnitude of a big-endian two's complement number, as integer_from_bytes takes it. */
static Term large_integer(Area *area, const CompactTerm *term) {
    if (term->bytes == NULL)
        return integer_from_int64(area, term->value);
    return integer_from_bits(area, term->bytes, 0, (Word)term->size * 8, SEGMENT_SIGNED);
}

static bool decode_integer(Decoder *d, const CompactTerm *term, Operand *operand) {
    DecodedCode *out = d->out;
    if (term->bytes == NULL && small_fits(term->value)) {
        *operand = (Operand){.kind = OPERAND_TERM, .value = small_make(term->value)};
        return true;
    }
    Term integer = large_integer(&out->integers_area.area, term);
    if (!is_value(integer))
        return refuse(d, "an integer is too large");
    out->integers = table_grow(d, out->integers, out->integer_count, &out->integer_capacity, sizeof(Term));
    out->integers[out->integer_count] = integer;
    add_patch(d, operand, d->file->literal_count + out->integer_count++);
    return true;
}

/* Every other value is a number with a limit. */
static bool decode_number(Decoder *d, const CompactTerm *term, OperandKind kind, uint64_t limit, Operand *operand) {
    if (term->bytes != NULL || term->value < 0 || (uint64_t)term->value > limit)
        return refuse(d, "an operand is out of range");
    *operand = (Operand){.kind = kind, .value = (Word)term->value};
    return true;
}

static bool decode_uint(Decoder *d, const CompactTerm *term, Operand *operand) {
    if (term->bytes == NULL || term->bytes[0] & 0x80)
        return decode_number(d, term, OPERAND_UINT, INT64_MAX, operand);
    *operand = (Operand){.kind = OPERAND_HUGE};
    return true;
}

static bool decode_atom(Decoder *d, const CompactTerm *term, Operand *operand) {
    if (!decode_number(d, term, OPERAND_TERM, d->file->atom_count, operand))
        return false;
    operand->value = operand->value == 0 ? NIL : d->file->atoms[operand->value];
    return true;
}

static bool read_number(Decoder *d, CompactTag tag, uint64_t limit, uint64_t *value) {
    return compact_read_number(&d->reader, tag, limit, value) || refuse(d, "an operand is invalid");
}

static bool decode_simple(Decoder *d, const CompactTerm *term, Operand *operand) {
    switch (term->tag) {
    case COMPACT_UINT: return decode_uint(d, term, operand);
    case COMPACT_INTEGER:
    case COMPACT_CHARACTER: return decode_integer(d, term, operand);
    case COMPACT_ATOM: return decode_atom(d, term, operand);
    case COMPACT_X: return decode_number(d, term, OPERAND_X, REGISTER_MAX, operand);
    case COMPACT_Y: return decode_number(d, term, OPERAND_Y, REGISTER_MAX, operand);
    case COMPACT_LABEL: return decode_number(d, term, OPERAND_LABEL, d->file->label_count - 1, operand);
    default: return refuse(d, "an operand is invalid");
    }
}

static bool decode_typed_register(Decoder *d, Operand *operand) {
    CompactTerm term;
    uint64_t type;
    if (!compact_read(&d->reader, &term) || (term.tag != COMPACT_X && term.tag != COMPACT_Y))
        return refuse(d, "a typed register is invalid");
    if (!decode_simple(d, &term, operand) || !read_number(d, COMPACT_UINT, UINT32_MAX - 1, &type))
        return false;
    if (d->file->types == NULL) /* of an unknown version */
        return true;
    if (type >= d->file->type_count)
        return refuse(d, "a type index is out of range");
    operand->type = (uint32_t)type + 1;
    return true;
}

static bool decode_alloc_list(Decoder *d, Operand *operand) {
    uint64_t count;
    if (!read_number(d, COMPACT_UINT, 16, &count))
        return false;
    Operand *list = operands_create(d, 3);
    for (unsigned i = 0; i < 3; i++)
        list[i] = (Operand){.kind = OPERAND_UINT};
    for (uint64_t i = 0; i < count; i++) {
        uint64_t kind, amount;
        if (!read_number(d, COMPACT_UINT, 2, &kind) || !read_number(d, COMPACT_UINT, UINT32_MAX, &amount))
            return false;
        list[kind].value += amount;
    }
    *operand = (Operand){.kind = OPERAND_ALLOC, .value = 3, .list = list};
    return true;
}

/* The extended operands that may stand in a list. */
static bool decode_extended(Decoder *d, int64_t kind, Operand *operand) {
    uint64_t value;
    switch (kind) {
    case EXTENDED_FLOAT_REGISTER:
        if (!read_number(d, COMPACT_UINT, FLOAT_REGISTER_MAX, &value))
            return false;
        *operand = (Operand){.kind = OPERAND_FLOAT_REGISTER, .value = value};
        return true;
    case EXTENDED_LITERAL:
        if (!read_number(d, COMPACT_UINT, UINT32_MAX, &value))
            return false;
        if (value >= d->file->literal_count)
            return refuse(d, "a literal index is out of range");
        add_patch(d, operand, (uint32_t)value);
        return true;
    case EXTENDED_TYPED_REGISTER: return decode_typed_register(d, operand);
    default: return refuse(d, "an extended operand is invalid");
    }
}

/* Most operands are a register or a count of one byte. False: this is another one. */
static inline bool decode_short(Decoder *d, Operand *operand) {
    static const OperandKind kinds[] = {[COMPACT_UINT] = OPERAND_UINT,
                                        [COMPACT_X] = OPERAND_X,
                                        [COMPACT_Y] = OPERAND_Y,
                                        [COMPACT_EXTENDED] = OPERAND_NONE};
    _Static_assert(REGISTER_MAX >= COMPACT_SHORT_MAX, "all of them are in range");
    Reader *r = &d->reader;
    if (r->at == r->end || !compact_is_short(*r->at) || kinds[compact_tag(*r->at)] == OPERAND_NONE)
        return false;
    *operand = (Operand){.kind = kinds[compact_tag(*r->at)], .value = *r->at >> COMPACT_SHORT_SHIFT};
    r->at++;
    return true;
}

static bool decode_list_element(Decoder *d, Operand *operand) {
    CompactTerm term;
    if (decode_short(d, operand))
        return true;
    if (!compact_read(&d->reader, &term))
        return refuse(d, "an operand is truncated");
    if (term.tag == COMPACT_EXTENDED && term.bytes == NULL)
        return decode_extended(d, term.value, operand);
    return decode_simple(d, &term, operand);
}

static bool decode_list(Decoder *d, Operand *operand) {
    uint64_t count;
    if (!read_number(d, COMPACT_UINT, reader_left(&d->reader), &count))
        return false;
    Operand *list = operands_create(d, count);
    for (uint64_t i = 0; i < count; i++)
        if (!decode_list_element(d, &list[i]))
            return false;
    *operand = (Operand){.kind = OPERAND_LIST, .value = count, .list = list};
    return true;
}

static bool decode_operand(Decoder *d, Operand *operand) {
    CompactTerm term;
    if (decode_short(d, operand))
        return true;
    if (!compact_read(&d->reader, &term))
        return refuse(d, "an operand is truncated");
    if (term.tag != COMPACT_EXTENDED || term.bytes != NULL)
        return decode_simple(d, &term, operand);
    if (term.value == EXTENDED_LIST)
        return decode_list(d, operand);
    if (term.value == EXTENDED_ALLOC)
        return decode_alloc_list(d, operand);
    return decode_extended(d, term.value, operand);
}

/* Labels are defined once each. */
static bool note_label(Decoder *d, const GenericInsn *insn) {
    Word label = insn->operands[0].value;
    if (insn->operands[0].kind != OPERAND_UINT || label == 0 || label >= d->file->label_count)
        return refuse(d, "a label is out of range");
    if (d->label_seen[label])
        return beam_file_refuse(d->file, "label %u is defined twice", (unsigned)label);
    d->label_seen[label] = 1;
    return true;
}

static bool decode_insn(Decoder *d, GenericInsn *insn) {
    uint8_t op = reader_u8(&d->reader);
    if (d->reader.bad)
        return refuse(d, "the code does not end with int_code_end");
    if (op == 0 || op > GENOP_LAST)
        return beam_file_refuse(d->file, "invalid opcode %u", op);
    if (genop_info[op].obsolete)
        return beam_file_refuse(d->file, "%s is obsolete: please compile the module again", genop_info[op].name);
    unsigned arity = genop_info[op].arity;
    *insn = (GenericInsn){.op = op, .count = (uint16_t)arity, .operands = operands_create(d, arity)};
    for (unsigned i = 0; i < arity; i++)
        if (!decode_operand(d, &insn->operands[i]))
            return false;
    if (op == GENOP_LABEL)
        return note_label(d, insn);
    d->functions += op == GENOP_FUNC_INFO;
    return true;
}

static bool decode_insns(Decoder *d) {
    DecodedCode *out = d->out;
    for (;;) {
        GenericInsn insn;
        if (!decode_insn(d, &insn))
            return false;
        out->code = table_grow(d, out->code, out->count, &out->capacity, sizeof(GenericInsn));
        out->code[out->count++] = insn;
        if (insn.op == GENOP_INT_CODE_END)
            break;
    }
    if (d->functions != d->file->function_count)
        return beam_file_refuse(d->file, "%u functions where the header says %u", d->functions,
                                d->file->function_count);
    return true;
}

/* What the chunks name must be in the code. */
static bool check_labels(Decoder *d) {
    const BeamFile *file = d->file;
    for (uint32_t i = 0; i < file->export_count; i++)
        if (!d->label_seen[file->exports[i].label])
            return beam_file_refuse(d->file, "export %u: its label is nowhere", i);
    for (uint32_t i = 0; i < file->lambda_count; i++)
        if (!d->label_seen[file->lambdas[i].label])
            return beam_file_refuse(d->file, "fun %u: its label is nowhere", i);
    return true;
}

bool decode_code(BeamFile *file, DecodedCode *decoded) {
    *decoded = (DecodedCode){0};
    fragment_area_init(&decoded->integers_area, 16);
    if (file->highest_opcode > GENOP_LAST)
        return beam_file_refuse(file, "use of opcode %u; this runtime supports only up to %u", file->highest_opcode,
                                GENOP_LAST);
    if (file->label_count == 0)
        return beam_file_refuse(file, "the number of labels is 0");
    Decoder d = {.file = file, .out = decoded, .reader = reader_make(file->code.bytes, file->code.size)};
    d.label_seen = workspace_take_zeroed(&file->workspace, file->label_count);
    decoded->capacity = file->code.size / BYTES_PER_INSN + 1;
    decoded->code = workspace_take(&file->workspace, decoded->capacity * sizeof(GenericInsn));
    return decode_insns(&d) && check_labels(&d);
}

void decoded_set_terms(DecodedCode *decoded, const Term *terms) {
    for (size_t i = 0; i < decoded->patch_count; i++)
        decoded->patches[i].operand->value = terms[decoded->patches[i].term];
}

void decoded_release(DecodedCode *decoded) {
    fragment_area_drop(&decoded->integers_area);
    *decoded = (DecodedCode){0};
}
