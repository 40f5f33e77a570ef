/*
 * Questions about modules. Source: erlang(3) module_loaded/1, loaded/0, function_exported/3; erlang's module_info/0,1,
 * "Modules" in the Erlang reference manual; answers of OTP 25.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "base/reader.h"
#include "bif/argument.h"
#include "bif/code/code_info.h"
#include "bif_table.h"
#include "code/module.h"
#include "etf/decode.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/stock_word.h"

Term erlang_module_loaded_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    Module *m = module_find(a[0]);
    return bool_term(m != NULL && module_current(m) != NULL);
}

typedef struct {
    Area *area;
    unsigned index; /* the same for all: modules that were loaded together are listed together */
    Term list;
} ListBuilder;

static void add_loaded(void *module, void *data) {
    const Module *m = module;
    ListBuilder *b = data;
    if (m->current[b->index] != NULL || module_old(m) != NULL)
        b->list = area_cons(b->area, m->name, b->list);
}

Term erlang_loaded_0(Process *p, const Term *a) {
    ListBuilder b = {process_area(p), code_active(), NIL};
    process_bump(p, (int64_t)(module_each(add_loaded, &b) / 4));
    return b.list;
}

Term erlang_function_exported_3(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !is_atom(a[1]) || !is_stock_small(a[2]))
        return fail_badarg(p);
    if (small_value(a[2]) < 0 || small_value(a[2]) > BEAM_ARITY_MAX)
        return am_false;
    Export *e = export_find(a[0], a[1], (unsigned)small_value(a[2]));
    return bool_term(e != NULL && export_is_defined(e));
}

static int newest_last(const void *x, const void *y) {
    const Export *a = ((const InstanceExport *)x)->export, *b = ((const InstanceExport *)y)->export;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The stock runtime walks its export table: the entry that came into being last comes first. */
static Term exports_of(Area *area, const ModuleInstance *m) {
    InstanceExport *sorted = mem_alloc(ALLOC_TEMP, (m->export_count + 1) * sizeof *sorted);
    memcpy(sorted, m->exports, m->export_count * sizeof *sorted);
    qsort(sorted, m->export_count, sizeof *sorted, newest_last);
    Term list = NIL;
    for (uint32_t i = 0; i < m->export_count; i++) {
        const Export *e = sorted[i].export;
        list = area_cons(area, area_tuple2(area, e->function, small_make(e->arity)), list);
    }
    mem_free(ALLOC_TEMP, sorted);
    return list;
}

static bool is_native(const ModuleInstance *m, const FunctionHeader *h) {
    if (function_is_native(h))
        return true;
    if (!m->has_natives)
        return false;
    Export *e = export_find(h->module, h->function, (unsigned)h->arity);
    return e != NULL && e->bif != NULL;
}

static Term functions_of(Area *area, const ModuleInstance *m, bool natives_only) {
    Term list = NIL;
    for (uint32_t i = m->function_count; i-- > 0;) {
        const FunctionHeader *h = instance_function(m, i);
        if (!natives_only || is_native(m, h))
            list = area_cons(area, area_tuple2(area, h->function, small_make((SWord)h->arity)), list);
    }
    return list;
}

static Term external_of(Area *area, const BeamBytes *bytes) {
    Term list;
    if (bytes->bytes == NULL || etf_decode(bytes->bytes, bytes->size, 0, area, &list, NULL) != ETF_DONE)
        return NIL;
    return list;
}

#define FUNCTIONS_PER_REDUCTION 4
#define EXPORTS_PER_REDUCTION 1 /* they are sorted */

/* NON_VALUE: there is no such item. */
static Term info_item(Process *p, const ModuleInstance *m, Term item) {
    Area *area = process_area(p);
    if (item == am_exports)
        process_bump(p, m->export_count / EXPORTS_PER_REDUCTION);
    if (item == am_functions || item == am_nifs)
        process_bump(p, m->function_count / FUNCTIONS_PER_REDUCTION);
    switch (item) {
    case am_module: return m->name;
    case am_exports: return exports_of(area, m);
    case am_functions: return functions_of(area, m, false);
    case am_nifs: return functions_of(area, m, true);
    case am_attributes: return external_of(area, &m->attributes);
    case am_compile: return external_of(area, &m->compile_info);
    case am_md5: return binary_from_bytes(area, m->md5, MD5_BYTES);
    case am_native_addresses: return NIL;
    case am_native: return am_false;
    default: return NON_VALUE;
    }
}

static const ModuleInstance *instance_argument(Term name) {
    Module *m = is_atom(name) ? module_find(name) : NULL;
    return m == NULL ? NULL : module_current(m);
}

Term erlang_get_module_info_1(Process *p, const Term *a) {
    static const Term items[] = {am_md5, am_compile, am_attributes, am_exports, am_module};
    const ModuleInstance *m = instance_argument(a[0]);
    if (m == NULL)
        return fail_badarg(p);
    Area *area = process_area(p);
    Term list = NIL;
    for (size_t i = 0; i < array_length(items); i++)
        list = area_cons(area, area_tuple2(area, items[i], info_item(p, m, items[i])), list);
    return list;
}

Term erlang_get_module_info_2(Process *p, const Term *a) {
    const ModuleInstance *m = instance_argument(a[0]);
    Term info = m == NULL ? NON_VALUE : info_item(p, m, a[1]);
    return is_value(info) ? info : fail_badarg(p);
}

size_t code_bytes_to_read(Term file) {
    BitsView view;
    bits_view(file, &view);
    size_t size = view.bit_size / 8;
    BeamBytes literals = {0};
    if (view.bit_offset == 0)
        literals = beam_file_chunk(view.bytes, size, "LitT");
    if (literals.size < 4 || !beam_literals_may_be(bytes_u32(literals.bytes), &literals))
        return size;
    return size + bytes_u32(literals.bytes);
}

/* Source: code(3) module_md5/1: undefined when it is no BEAM file. */
Term erts_internal_beamfile_module_md5_1(Process *p, const Term *a) {
    size_t size;
    uint8_t *copy;
    BeamFile file;
    if (!is_binary(a[0]))
        return fail_badarg(p);
    const uint8_t *bytes = binary_bytes(a[0], &size, &copy);
    size_t work = code_bytes_to_read(a[0]);
    LONG_WORK_OPEN_IF(work > CODE_BYTES_AT_ONCE);
    long_work_count_large(work, CODE_UNITS_PER_BYTE);
    process_bump(p, (int64_t)work / CODE_BYTES_PER_REDUCTION);
    Term md5 = am_undefined;
    if (beam_file_read(&file, bytes, size))
        md5 = binary_from_bytes(process_area(p), file.md5, MD5_BYTES);
    beam_file_release(&file);
    mem_free(ALLOC_TEMP, copy);
    return md5;
}

/* Source: code(3) get_chunk/2. */
Term erts_internal_beamfile_chunk_2(Process *p, const Term *a) {
    size_t size;
    uint8_t *copy;
    TEXT(name);
    if (!is_binary(a[0]) || !text_from_latin1_list(&name, a[1]) || name.size != 4)
        return fail_badarg(p);
    const uint8_t *bytes = binary_bytes(a[0], &size, &copy);
    BeamBytes chunk = beam_file_chunk(bytes, size, name.bytes);
    Term result = am_undefined;
    if (chunk.bytes != NULL)
        result = binary_from_bytes(process_area(p), chunk.bytes, chunk.size);
    mem_free(ALLOC_TEMP, copy);
    return result;
}

/* Native coverage (OTP 27) is not supported: so is it told, and all else refused. Source: code(3). */
Term code_coverage_support_0(Process *p, const Term *a) { return am_false; }
Term code_coverage_refused_0(Process *p, const Term *a) { return fail_badarg(p); }

/* There is no support for debuggers (+D): no place of the code has any information. Source: OTP 29's answers. */
Term code_get_debug_info_1(Process *p, const Term *a) {
    const ModuleInstance *m = instance_argument(a[0]);
    if (m != NULL)
        return m->has_debug_info ? NIL : am_none;
    if (a[0] == am_erlang)
        return am_none;
    fail_badarg(p);
    p->fail.info_module = am_erl_kernel_errors;
    return NON_VALUE;
}

Term erl_debugger_supported_0(Process *p, const Term *a) { return am_false; }

/* Is it a built-in function in the sense of erlang(3) is_builtin/3? Those that the stock runtime gets from NIF
 * libraries, and the internal ones of this runtime, are none. */
static bool is_native_module(Term module) {
    return module == am_prim_file || module == am_prim_buffer || module == am_zlib || module == am_viv_code ||
           module == am_viv_io || module == am_viv_start;
}

/* Functions of erlang that the engine does by itself: they have no entry in the table. */
static bool is_engine_function(Term module, Term function, SWord arity) {
    return module == am_erlang && ((function == am_apply && (arity == 2 || arity == 3)) ||
                                   (function == am_hibernate && arity == 3) || (function == am_yield && arity == 0));
}

/* Functions of a library that later releases have in C. */
static bool is_native_since(Term module, Term function) {
    return module == am_erlang && (function == am_min || function == am_max) && release_has(RELEASE_NATIVE_MIN_MAX);
}

bool bif_is_builtin(const BifEntry *b) {
    return !is_native_module(b->module) && (!(b->flags & BIF_LIBRARY) || is_native_since(b->module, b->name));
}

Term erlang_is_builtin_3(Process *p, const Term *a) {
    if (!is_atom(a[0]) || !is_atom(a[1]) || !is_stock_small(a[2]))
        return fail_badarg(p);
    if (small_value(a[2]) < 0 || small_value(a[2]) > BEAM_ARITY_MAX)
        return am_false;
    if (is_engine_function(a[0], a[1], small_value(a[2])))
        return am_true;
    Export *e = export_find(a[0], a[1], (unsigned)small_value(a[2]));
    return bool_term(e != NULL && e->bif != NULL && bif_is_builtin(e->bif));
}
