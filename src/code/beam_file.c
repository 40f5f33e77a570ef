#include "code/beam_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "code/compact.h"
#include "term/atom.h"

/* In the order in which the module's MD5 takes them (beam_lib:md5/1), then the others. */
typedef enum {
    CHUNK_ATOM,
    CHUNK_ATU8,
    CHUNK_CODE,
    CHUNK_STRT,
    CHUNK_IMPT,
    CHUNK_EXPT,
    CHUNK_FUNT,
    CHUNK_LITT,
    CHUNK_META,
    CHUNK_ATTR,
    CHUNK_CINF,
    CHUNK_LINE,
    CHUNK_TYPE,
    CHUNK_COUNT
} ChunkId;
static const char chunk_names[CHUNK_COUNT][5] = {"Atom", "AtU8", "Code", "StrT", "ImpT", "ExpT", "FunT",
                                                 "LitT", "Meta", "Attr", "CInf", "Line", "Type"};

bool beam_file_refuse(BeamFile *file, const char *format, ...) {
    if (file->detail[0] != '\0')
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(file->detail, sizeof file->detail, format, args);
    va_end(args);
    return false;
}

static bool truncated(BeamFile *file, ChunkId id) {
    return beam_file_refuse(file, "chunk %s is truncated", chunk_names[id]);
}

static Reader chunk_reader(const BeamBytes *chunk) { return reader_make(chunk->bytes, chunk->size); }

/* Allocates `count` items after checking that the reader has at least `item_bytes` for each. NULL: it has not. */
static void *table_create(BeamFile *file, const Reader *r, uint32_t count, size_t item_bytes, size_t c_bytes) {
    if (r->bad || count > reader_left(r) / item_bytes)
        return NULL;
    return workspace_take_zeroed(&file->workspace, ((size_t)count + 1) * c_bytes);
}

/* The reader of a form's chunks; false when it is none. */
static bool open_form(const uint8_t *data, size_t size, Reader *r) {
    *r = reader_make(data, size);
    const uint8_t *form = reader_take(r, 4);
    uint32_t form_size = reader_u32(r);
    const uint8_t *type = reader_take(r, 4);
    if (r->bad || memcmp(form, "FOR1", 4) != 0 || memcmp(type, "BEAM", 4) != 0)
        return false;
    if (form_size < 4 || form_size - 4 > reader_left(r))
        r->bad = true;
    else
        r->end = r->at + (form_size - 4);
    return true;
}

/* False at the end, or (r->bad) when the chunk leaves the file. */
static bool next_chunk(Reader *r, const uint8_t **name, BeamBytes *chunk) {
    if (reader_left(r) == 0)
        return false;
    *name = reader_take(r, 4);
    chunk->size = reader_u32(r);
    chunk->bytes = reader_take(r, chunk->size);
    if (r->bad)
        return false;
    uint32_t padding = -(uint32_t)chunk->size % 4;
    reader_take(r, padding < reader_left(r) ? padding : reader_left(r));
    return true;
}

/* Of several with one name the last one counts, and one without contents is not there: as in the stock runtime. */
static BeamBytes chunk_taken(BeamBytes chunk) { return chunk.size > 0 ? chunk : (BeamBytes){0}; }

BeamBytes beam_file_chunk(const uint8_t *data, size_t size, const char *wanted) {
    Reader r;
    const uint8_t *name;
    BeamBytes chunk, found = {0};
    if (open_form(data, size, &r) && !r.bad)
        while (next_chunk(&r, &name, &chunk))
            if (memcmp(name, wanted, 4) == 0)
                found = chunk_taken(chunk);
    return found;
}

static bool find_chunks(BeamFile *file, const uint8_t *data, size_t size, BeamBytes chunks[CHUNK_COUNT]) {
    Reader r;
    const uint8_t *name;
    BeamBytes chunk;
    if (!open_form(data, size, &r))
        return beam_file_refuse(file, "not a BEAM file");
    if (r.bad)
        return beam_file_refuse(file, "the file is truncated");
    while (next_chunk(&r, &name, &chunk))
        for (ChunkId id = 0; id < CHUNK_COUNT; id++)
            if (memcmp(name, chunk_names[id], 4) == 0)
                chunks[id] = chunk_taken(chunk);
    if (r.bad)
        return beam_file_refuse(file, "a chunk leaves the file");
    static const ChunkId needed[] = {CHUNK_CODE, CHUNK_IMPT, CHUNK_EXPT};
    for (size_t i = 0; i < array_length(needed); i++)
        if (chunks[needed[i]].bytes == NULL)
            return beam_file_refuse(file, "mandatory chunk %s is missing", chunk_names[needed[i]]);
    if (chunks[CHUNK_ATOM].bytes == NULL && chunks[CHUNK_ATU8].bytes == NULL)
        return beam_file_refuse(file, "mandatory chunk AtU8 is missing");
    return true;
}

/* AtU8: a negative count says that the lengths are compact numbers (OTP 28), else they are bytes. */
static bool read_atoms(BeamFile *file, const BeamBytes *chunk, bool utf8) {
    ChunkId id = utf8 ? CHUNK_ATU8 : CHUNK_ATOM;
    Reader r = chunk_reader(chunk);
    int32_t signed_count = (int32_t)reader_u32(&r);
    bool long_lengths = utf8 && signed_count < 0;
    uint32_t count = long_lengths ? -(uint32_t)signed_count : (uint32_t)signed_count;
    file->atoms = table_create(file, &r, count, 1, sizeof(Term));
    if (file->atoms == NULL)
        return truncated(file, id);
    if (count == 0)
        return beam_file_refuse(file, "there are no atoms");
    for (uint32_t i = 1; i <= count; i++) {
        uint64_t length;
        if (!long_lengths)
            length = reader_u8(&r);
        else if (!compact_read_number(&r, COMPACT_UINT, ATOM_MAX_BYTES, &length))
            return beam_file_refuse(file, "the length of atom %u is invalid", i);
        const uint8_t *text = reader_take(&r, length);
        if (r.bad)
            return truncated(file, id);
        file->atoms[i] = utf8 ? atom_put(text, length, NULL) : atom_put_latin1(text, length, NULL);
        if (!is_value(file->atoms[i]))
            return beam_file_refuse(file, "atom %u is invalid", i);
    }
    file->atom_count = count;
    file->module = file->atoms[1];
    return true;
}

static bool read_atom(BeamFile *file, Reader *r, ChunkId id, Term *atom) {
    uint32_t index = reader_u32(r);
    if (r->bad)
        return truncated(file, id);
    if (index == 0 || index > file->atom_count)
        return beam_file_refuse(file, "chunk %s: invalid atom index %u", chunk_names[id], index);
    *atom = file->atoms[index];
    return true;
}

static bool read_arity(BeamFile *file, Reader *r, ChunkId id, uint32_t *arity) {
    *arity = reader_u32(r);
    if (r->bad)
        return truncated(file, id);
    if (*arity > BEAM_ARITY_MAX)
        return beam_file_refuse(file, "chunk %s: invalid arity %u", chunk_names[id], *arity);
    return true;
}

static bool read_label(BeamFile *file, Reader *r, ChunkId id, uint32_t *label) {
    *label = reader_u32(r);
    if (r->bad)
        return truncated(file, id);
    if (*label == 0 || *label >= file->label_count)
        return beam_file_refuse(file, "chunk %s: invalid label %u", chunk_names[id], *label);
    return true;
}

#define LABELS_UNUSED_MOST (1 << 20)

static bool read_code(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t head_size = reader_u32(&r);
    const uint8_t *head_bytes = reader_take(&r, head_size);
    if (r.bad || head_size < 16)
        return truncated(file, CHUNK_CODE);
    Reader head = reader_make(head_bytes, head_size);
    uint32_t version = reader_u32(&head);
    file->highest_opcode = reader_u32(&head);
    file->label_count = reader_u32(&head);
    file->function_count = reader_u32(&head);
    file->code = (BeamBytes){r.at, reader_left(&r)};
    if (version != 0)
        return beam_file_refuse(file, "unknown instruction set %u", version);
    /* A label takes two bytes and a function more; label numbers that are not used cost memory, so they are bounded. */
    if (file->label_count > 2 * file->code.size + LABELS_UNUSED_MOST || file->function_count > file->code.size)
        return beam_file_refuse(file, "chunk Code: %u labels and %u functions in %zu bytes", file->label_count,
                                file->function_count, file->code.size);
    return true;
}

static bool read_imports(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t count = reader_u32(&r);
    file->imports = table_create(file, &r, count, 12, sizeof(BeamImport));
    if (file->imports == NULL)
        return truncated(file, CHUNK_IMPT);
    for (uint32_t i = 0; i < count; i++) {
        BeamImport *import = &file->imports[i];
        if (!read_atom(file, &r, CHUNK_IMPT, &import->module) || !read_atom(file, &r, CHUNK_IMPT, &import->function) ||
            !read_arity(file, &r, CHUNK_IMPT, &import->arity))
            return false;
    }
    file->import_count = count;
    return true;
}

static bool read_exports(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t count = reader_u32(&r);
    BeamExport *exports = file->exports = table_create(file, &r, count, 12, sizeof(BeamExport));
    if (exports == NULL)
        return truncated(file, CHUNK_EXPT);
    for (uint32_t i = 0; i < count; i++)
        if (!read_atom(file, &r, CHUNK_EXPT, &exports[i].function) ||
            !read_arity(file, &r, CHUNK_EXPT, &exports[i].arity) ||
            !read_label(file, &r, CHUNK_EXPT, &exports[i].label))
            return false;
    file->export_count = count;
    return true;
}

static bool read_lambdas(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t count = reader_u32(&r);
    file->lambdas = table_create(file, &r, count, 24, sizeof(BeamLambda));
    if (file->lambdas == NULL)
        return truncated(file, CHUNK_FUNT);
    for (uint32_t i = 0; i < count; i++) {
        BeamLambda *lambda = &file->lambdas[i];
        if (!read_atom(file, &r, CHUNK_FUNT, &lambda->function) || !read_arity(file, &r, CHUNK_FUNT, &lambda->arity) ||
            !read_label(file, &r, CHUNK_FUNT, &lambda->label))
            return false;
        lambda->index = reader_u32(&r);
        lambda->free_count = reader_u32(&r);
        lambda->old_uniq = reader_u32(&r);
        if (lambda->free_count > lambda->arity)
            return beam_file_refuse(file, "chunk FunT: fun %u has %u free variables", i, lambda->free_count);
    }
    if (reader_left(&r) > 0)
        return beam_file_refuse(file, "chunk FunT: there is more than %u funs", count);
    file->lambda_count = count;
    return true;
}

/* NULL: refused. */
static uint8_t *inflate_literals(BeamFile *file, const BeamBytes *chunk, uint32_t size) {
    if (!beam_literals_may_be(size, chunk)) {
        beam_file_refuse(file, "chunk LitT: %u bytes cannot be in %zu", size, chunk->size);
        return NULL;
    }
    uint8_t *data = workspace_take(&file->workspace, size);
    uLongf inflated = size;
    int result = uncompress(data, &inflated, chunk->bytes + 4, chunk->size - 4);
    if (result == Z_OK && inflated == size)
        return data;
    beam_file_refuse(file, "chunk LitT does not inflate to %u bytes", size);
    return NULL;
}

static bool read_literals(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t inflated_size = reader_u32(&r);
    if (r.bad)
        return truncated(file, CHUNK_LITT);
    if (inflated_size > 0) { /* 0: not compressed (OTP 28) */
        const uint8_t *data = inflate_literals(file, chunk, inflated_size);
        if (data == NULL)
            return false;
        r = reader_make(data, inflated_size);
    }
    uint32_t count = reader_u32(&r);
    file->literals = table_create(file, &r, count, 4, sizeof(BeamBytes));
    if (file->literals == NULL)
        return truncated(file, CHUNK_LITT);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = reader_u32(&r);
        const uint8_t *bytes = reader_take(&r, size);
        if (bytes == NULL)
            return truncated(file, CHUNK_LITT);
        file->literals[i] = (BeamBytes){bytes, size};
    }
    file->literal_count = count;
    return true;
}

static bool read_file_names(BeamFile *file, Reader *r, uint32_t count) {
    file->files = table_create(file, r, count, 2, sizeof(BeamBytes));
    if (file->files == NULL)
        return truncated(file, CHUNK_LINE);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t size = reader_u16(r);
        const uint8_t *bytes = reader_take(r, size);
        if (bytes == NULL)
            return truncated(file, CHUNK_LINE);
        file->files[i] = (BeamBytes){bytes, size};
    }
    file->file_count = count;
    return true;
}

/* Stock keeps 32 bits of a line number, and shows no place at all where line or file are beyond what it can pack. */
#define LINE_NUMBER_LIMIT (((int64_t)1 << 59) - 1)
#define LINE_FILE_MOST 254
static BeamLine line_of(uint32_t in_file, int64_t number) {
    uint32_t line = (uint32_t)number;
    return in_file <= LINE_FILE_MOST && line < (1u << 24) - 1 ? (BeamLine){in_file, line} : (BeamLine){0, 0};
}

/* Version, flags, number of line instructions, of lines, of file names; lines: an atom tag changes the file. */
static bool read_lines(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t version = reader_u32(&r);
    reader_u32(&r);
    reader_u32(&r);
    uint32_t count = reader_u32(&r), file_count = reader_u32(&r);
    if (r.bad)
        return truncated(file, CHUNK_LINE);
    if (version != 0)
        return true; /* a later form: line numbers are for reports only, so the module can do without */
    file->lines = table_create(file, &r, count, 1, sizeof(BeamLine));
    if (file->lines == NULL)
        return truncated(file, CHUNK_LINE);
    uint32_t current = 0;
    for (uint32_t i = 1; i <= count;) {
        CompactTerm term;
        if (!compact_read(&r, &term))
            return truncated(file, CHUNK_LINE);
        bool fits = term.bytes == NULL && term.value >= 0 && term.value <= LINE_NUMBER_LIMIT;
        if (term.tag == COMPACT_ATOM && fits && term.value <= (int64_t)file_count)
            current = (uint32_t)term.value;
        else if (term.tag == COMPACT_INTEGER && fits)
            file->lines[i++] = line_of(current, term.value);
        else
            return beam_file_refuse(file, "chunk Line: line %u is invalid", i);
    }
    file->line_count = count;
    return read_file_names(file, &r, file_count);
}

/* Version 1 (OTP 25): one more kind, "match state", as bit 2; always with a range that is empty when there is none. */
static BeamType read_type_1(Reader *r) {
    uint16_t bits = reader_u16(r);
    int64_t min = (int64_t)reader_u64(r), max = (int64_t)reader_u64(r);
    uint16_t kinds = (uint16_t)((bits & 3) | (bits >> 1 & (BEAM_TYPE_ANY & ~3)) | (bits & 4 ? BEAM_TYPE_BITSTRING : 0));
    return (BeamType){.kinds = kinds, .unit = 1, .has_min = min <= max, .has_max = min <= max, .min = min, .max = max};
}

/* Versions 2 and 3 (OTP 26 on): bits 12 to 14 say which of lower bound, upper bound and unit follow. */
static BeamType read_type_2(Reader *r) {
    uint16_t bits = reader_u16(r);
    BeamType type = {.kinds = bits & BEAM_TYPE_ANY, .unit = 1};
    type.has_min = bits >> 12 & 1;
    type.has_max = bits >> 13 & 1;
    if (type.has_min)
        type.min = (int64_t)reader_u64(r);
    if (type.has_max)
        type.max = (int64_t)reader_u64(r);
    if (bits >> 14 & 1)
        type.unit = (uint16_t)(reader_u8(r) + 1);
    return type;
}

static bool read_types(BeamFile *file, const BeamBytes *chunk) {
    Reader r = chunk_reader(chunk);
    uint32_t version = reader_u32(&r), count = reader_u32(&r);
    if (r.bad)
        return truncated(file, CHUNK_TYPE);
    if (version < 1 || version > 3)
        return true; /* types are advice: an unknown version is ignored */
    file->types = table_create(file, &r, count, 2, sizeof(BeamType));
    if (file->types == NULL)
        return truncated(file, CHUNK_TYPE);
    for (uint32_t i = 0; i < count; i++)
        file->types[i] = version == 1 ? read_type_1(&r) : read_type_2(&r);
    if (r.bad)
        return truncated(file, CHUNK_TYPE);
    file->type_count = count;
    return true;
}

/* The field old_uniq, the last of six in each entry of FunT, counts as zero: it is made from this digest. */
static void digest_lambdas(Md5 *md5, const BeamBytes *chunk) {
    static const uint8_t zero[4];
    const uint8_t *p = chunk->bytes, *end = p + chunk->size;
    size_t head = chunk->size < 4 ? chunk->size : 4;
    md5_update(md5, p, head);
    for (p += head; end - p >= 24; p += 24) {
        md5_update(md5, p, 20);
        md5_update(md5, zero, 4);
    }
    md5_update(md5, p, (size_t)(end - p));
}

static void digest_module(BeamFile *file, const BeamBytes chunks[CHUNK_COUNT]) {
    Md5 md5;
    md5_init(&md5);
    for (ChunkId id = CHUNK_ATOM; id <= CHUNK_META; id++) {
        if (chunks[id].bytes == NULL)
            continue;
        if (id == CHUNK_FUNT)
            digest_lambdas(&md5, &chunks[id]);
        else
            md5_update(&md5, chunks[id].bytes, chunks[id].size);
    }
    md5_final(&md5, file->md5);
}

bool beam_file_read(BeamFile *file, const uint8_t *data, size_t size) {
    BeamBytes chunks[CHUNK_COUNT] = {0};
    *file = (BeamFile){.module = NON_VALUE};
    if (!find_chunks(file, data, size, chunks))
        return false;
    bool utf8 = chunks[CHUNK_ATU8].bytes != NULL;
    file->strings = chunks[CHUNK_STRT];
    file->attributes = chunks[CHUNK_ATTR];
    file->compile_info = chunks[CHUNK_CINF];
    digest_module(file, chunks);
    return read_code(file, &chunks[CHUNK_CODE]) && read_atoms(file, &chunks[utf8 ? CHUNK_ATU8 : CHUNK_ATOM], utf8) &&
           read_imports(file, &chunks[CHUNK_IMPT]) && read_exports(file, &chunks[CHUNK_EXPT]) &&
           (chunks[CHUNK_FUNT].bytes == NULL || read_lambdas(file, &chunks[CHUNK_FUNT])) &&
           (chunks[CHUNK_LITT].bytes == NULL || read_literals(file, &chunks[CHUNK_LITT])) &&
           (chunks[CHUNK_LINE].bytes == NULL || read_lines(file, &chunks[CHUNK_LINE])) &&
           (chunks[CHUNK_TYPE].bytes == NULL || read_types(file, &chunks[CHUNK_TYPE]));
}

void beam_file_release(BeamFile *file) {
    workspace_end(&file->workspace);
    *file = (BeamFile){.module = NON_VALUE};
}
