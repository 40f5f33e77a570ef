/*
 * The reader of BEAM files, OTP 25 to 28: bytes to tables, without any effect besides new atoms.
 *
 * The invariant: nothing is read outside [data, data + size), whatever the file says, and everything in the tables has
 * been checked against the others: atom numbers are atoms, labels are below the label count, counts fit the bytes that
 * are there. What contradicts is refused: beam_file_read returns false and `detail` holds one line for the error
 * report. The tables point into `data`, which must outlive the BeamFile. Literals, attributes and compile info stay in
 * external format: who needs them decodes them (etf/). LocT, Dbgi, Docs and unknown chunks are not looked at.
 */
#ifndef VIV_CODE_BEAM_FILE_H
#define VIV_CODE_BEAM_FILE_H

#include "alloc/workspace.h"
#include "base/md5.h"
#include "term/term.h"

#define BEAM_ARITY_MAX 255

typedef struct {
    const uint8_t *bytes; /* NULL: the chunk is not there */
    size_t size;
} BeamBytes;
typedef struct {
    Term module, function;
    uint32_t arity;
} BeamImport;
typedef struct {
    Term function;
    uint32_t arity, label;
} BeamExport;
typedef struct {
    Term function;
    uint32_t arity; /* of the function: free variables counted */
    uint32_t label, index, free_count, old_uniq;
} BeamLambda;
typedef struct {
    uint32_t file; /* 0: the module's own file, else an index into files, plus 1 */
    uint32_t line;
} BeamLine;

/* What the compiler found out about a value: BEAM_TYPE_* of what it may be. Chunk versions 1 to 3 are brought to this
 * form. */
enum {
    BEAM_TYPE_ATOM = 1 << 0,
    BEAM_TYPE_BITSTRING = 1 << 1,
    BEAM_TYPE_CONS = 1 << 2,
    BEAM_TYPE_FLOAT = 1 << 3,
    BEAM_TYPE_FUN = 1 << 4,
    BEAM_TYPE_INTEGER = 1 << 5,
    BEAM_TYPE_MAP = 1 << 6,
    BEAM_TYPE_NIL = 1 << 7,
    BEAM_TYPE_PID = 1 << 8,
    BEAM_TYPE_PORT = 1 << 9,
    BEAM_TYPE_REFERENCE = 1 << 10,
    BEAM_TYPE_TUPLE = 1 << 11,
    BEAM_TYPE_ANY = (1 << 12) - 1,
};
typedef struct {
    uint16_t kinds;
    uint16_t unit; /* of bitstrings; 1 when unknown */
    bool has_min, has_max;
    int64_t min, max; /* of integers (and of floats: numbers) */
} BeamType;

typedef struct {
    Workspace workspace; /* the tables are there, and what is made of them while the file is loaded */
    Term module;
    Term *atoms; /* 1..atom_count */
    uint32_t atom_count;
    BeamBytes code; /* the instructions */
    uint32_t label_count, function_count; /* labels are 1..label_count-1 */
    uint32_t highest_opcode; /* as the compiler says */
    BeamBytes strings;
    BeamImport *imports;
    uint32_t import_count;
    BeamExport *exports;
    uint32_t export_count;
    BeamLambda *lambdas;
    uint32_t lambda_count;
    BeamBytes *literals; /* external format, version byte included */
    uint32_t literal_count;
    BeamLine *lines; /* 1..line_count; 0 is "no line" */
    uint32_t line_count;
    BeamBytes *files; /* UTF-8 */
    uint32_t file_count;
    BeamType *types;
    uint32_t type_count;
    BeamBytes attributes, compile_info;
    uint8_t md5[MD5_BYTES]; /* as beam_lib:md5/1 */
    char detail[200];
} BeamFile;

/* Fills all of *file; afterwards, and after a failure too, beam_file_release frees what it holds. Any thread. */
bool beam_file_read(BeamFile *file, const uint8_t *data, size_t size);
void beam_file_release(BeamFile *file);

/* zlib shrinks to a thousandth at best: that a chunk of literals inflates to more is a lie, not allocated for. */
static inline bool beam_literals_may_be(uint32_t size, const BeamBytes *chunk) { return size / 1040 <= chunk->size; }

/* The contents of one chunk, by its name of four bytes; no bytes when the file has none, or is no BEAM file. */
BeamBytes beam_file_chunk(const uint8_t *data, size_t size, const char *name);

/* Sets `detail` (the first complaint stays) and returns false. */
bool beam_file_refuse(BeamFile *file, const char *format, ...) printf_like(2, 3);

#endif
