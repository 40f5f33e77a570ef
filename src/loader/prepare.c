#include "loader/prepare.h"

#include <stdio.h>
#include <string.h>

#include "alloc/alloc.h"
#include "etf/decode.h"
#include "etf/tags.h"
#include "heap/copy.h"
#include "heap/literal.h"
#include "jit/by_need.h"
#include "jit/names.h"
#include "loader/decode.h"
#include "loader/emit.h"
#include "loader/listing.h"
#include "loader/map_keys.h"
#include "loader/natives.h"
#include "loader/stock_modules.h"
#include "nif/load.h"
#include "term/atom.h"

void module_instance_free(ModuleInstance *m) {
    require(m->breakpoints == NULL);
    if (m->library != NULL)
        nif_library_unload(m->library);
    for (uint32_t i = 0; i < m->fun_count; i++)
        fun_entry_release(m->funs[i].entry);
    if (m->literals != NULL)
        literal_area_free(m->literals);
    mem_free(ALLOC_CODE, m->tracer);
    native_names_forget(&m->native);
    native_need_free(&m->native);
    void *code = m->native.words.address == NULL ? m->code : NULL;
    native_block_free(&m->native);
    void *blocks[] = {code, m->functions, m->lines, m->files, m->exports, m->funs, m->strings, m->chunk_data, m};
    for (size_t i = 0; i < array_length(blocks); i++)
        mem_free(ALLOC_CODE, blocks[i]);
}

/* One literal area for all terms, and for what the funs point to, of just the size they need: the terms are built
 * elsewhere first. */
static void place_terms(ModuleInstance *m, Term *terms, size_t count, Term *fun_refs) {
    size_t words = m->fun_count * (size_t)FUN_REF_WORDS;
    for (size_t i = 0; i < count; i++)
        words += term_flat_size_literals(terms[i]);
    if (words == 0)
        return;
    m->literals = literal_area_create(words);
    m->literals->owner = m->name;
    for (size_t i = 0; i < count; i++)
        terms[i] = term_copy_literals(terms[i], &m->literals->area);
    for (uint32_t i = 0; i < m->fun_count; i++) {
        fun_entry_retain(m->funs[i].entry);
        fun_refs[i] = fun_ref_make(&m->literals->area, m->funs[i].entry);
    }
}

static bool decode_literals(BeamFile *file, FragmentArea *area, Term *terms) {
    for (uint32_t i = 0; i < file->literal_count; i++) {
        const BeamBytes *literal = &file->literals[i];
        if (etf_decode(literal->bytes, literal->size, 0, &area->area, &terms[i], NULL) != ETF_DONE)
            return beam_file_refuse(file, "literal %u is invalid", i);
    }
    return true;
}

/* Attributes and compile info are decoded when somebody asks; what is no term is refused now, as stock does. */
static bool check_chunk_term(BeamFile *file, const BeamBytes *chunk, const char *what) {
    if (chunk->bytes == NULL)
        return true;
    bool is_compressed = chunk->size > 1 && chunk->bytes[1] == ETF_COMPRESSED;
    EtfDecoder decoder;
    etf_decoder_init(&decoder, chunk->bytes, chunk->size, 0);
    bool ok = !is_compressed && etf_decoder_check(&decoder, &(int64_t){INT64_MAX}) == ETF_DONE;
    etf_decoder_release(&decoder);
    return ok || beam_file_refuse(file, "%s: not in the external term format", what);
}

/* Gives the decoded code its terms. */
static bool set_terms(ModuleInstance *m, BeamFile *file, DecodedCode *decoded, Term *fun_refs) {
    size_t count = (size_t)file->literal_count + decoded->integer_count, maps = map_keys_most(decoded);
    Term *terms = workspace_take(&file->workspace, (count + maps + 1) * sizeof(Term));
    FragmentArea area;
    fragment_area_init(&area, 1024);
    bool ok = decode_literals(file, &area, terms);
    if (ok) {
        if (decoded->integer_count > 0)
            memcpy(terms + file->literal_count, decoded->integers, decoded->integer_count * sizeof(Term));
        if (maps > 0) {
            decoded_set_terms(decoded, terms);
            count = map_keys_add(decoded, &file->workspace, &area.area, maps, terms, count);
        }
        place_terms(m, terms, count, fun_refs);
        if (count > 0)
            decoded_set_terms(decoded, terms);
    }
    fragment_area_drop(&area);
    return ok;
}

static void *copy_bytes(const void *bytes, size_t size) {
    void *copy = mem_alloc(ALLOC_CODE, size > 0 ? size : 1);
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

static BeamBytes keep_bytes(uint8_t **to, const BeamBytes *bytes) {
    BeamBytes kept = {*to, bytes->size};
    if (bytes->bytes == NULL)
        return (BeamBytes){0};
    memcpy(*to, bytes->bytes, bytes->size);
    *to += bytes->size;
    return kept;
}

/* What is asked for after the file has gone: attributes, compile info, names of source files. */
static void keep_chunks(ModuleInstance *m, const BeamFile *file) {
    size_t size = file->attributes.size + file->compile_info.size;
    for (uint32_t i = 0; i < file->file_count; i++)
        size += file->files[i].size;
    uint8_t *at = m->chunk_data = mem_alloc(ALLOC_CODE, size + 1);
    m->attributes = keep_bytes(&at, &file->attributes);
    m->compile_info = keep_bytes(&at, &file->compile_info);
    m->files = mem_alloc(ALLOC_CODE, (file->file_count + 1) * sizeof(BeamBytes));
    for (uint32_t i = 0; i < file->file_count; i++)
        m->files[i] = keep_bytes(&at, &file->files[i]);
    m->file_count = file->file_count;
}

const char *const stock_modules[] = {
    "atomics",
    "counters",
    "erl_init",
    "erl_prim_loader",
    "erl_tracer",
    "erlang",
    "erts_code_purger",
    "erts_dirty_process_signal_handler",
    "erts_internal",
    "erts_literal_area_collector",
    "init",
    "persistent_term",
    "prim_buffer",
    "prim_eval",
    "prim_file",
    "prim_inet",
    "prim_net",
    "prim_socket",
    "prim_zip",
    "socket_registry",
    "zlib",
};
const size_t stock_module_count = array_length(stock_modules);

/* Traces do not show any line of them. */
static bool is_lineless(Term module) {
    const AtomName *name = atom_name(module);
    size_t bytes = name->byte_count;
    for (size_t i = 0; i < stock_module_count; i++)
        if (strlen(stock_modules[i]) == bytes && memcmp(stock_modules[i], name->bytes, bytes) == 0)
            return true;
    return false;
}

static void keep_lines(ModuleInstance *m, const BeamFile *file, const EmittedCode *emitted) {
    m->lines = mem_alloc(ALLOC_CODE, (emitted->line_count + 1) * sizeof(CodeLine));
    m->line_count = is_lineless(m->name) ? 0 : emitted->line_count;
    for (uint32_t i = 0; i < m->line_count; i++) {
        const EmittedLine *from = &emitted->lines[i];
        bool known = from->line > 0 && from->line <= file->line_count;
        BeamLine line = known ? file->lines[from->line] : (BeamLine){0};
        bool named = line.file > 0 && file->files[line.file - 1].size > 0; /* no name means the module's own file */
        m->lines[i] = (CodeLine){from->word, named ? line.file : 0, line.line};
    }
}

static const Word *label_address(const ModuleInstance *m, const EmittedCode *emitted, uint32_t label) {
    uint32_t word = label < emitted->label_count ? emitted->labels[label] : EMIT_NOWHERE;
    return word == EMIT_NOWHERE ? NULL : m->code + word;
}

/* Before the code is emitted, which names the entries of other functions: they are listed in the order in which they
 * came into being. */
static void name_exports(ModuleInstance *m, const BeamFile *file) {
    m->exports = mem_alloc(ALLOC_CODE, (file->export_count + 1) * sizeof(InstanceExport));
    for (uint32_t i = 0; i < file->export_count; i++)
        m->exports[i].export = export_put(m->name, file->exports[i].function, file->exports[i].arity);
    m->export_count = file->export_count;
}

static bool place_exports(ModuleInstance *m, BeamFile *file, const EmittedCode *emitted) {
    for (uint32_t i = 0; i < m->export_count; i++) {
        m->exports[i].address = label_address(m, emitted, file->exports[i].label);
        if (m->exports[i].address == NULL)
            return beam_file_refuse(file, "export %u leads to no code", i);
    }
    return true;
}

static void make_funs(ModuleInstance *m, const BeamFile *file) {
    m->funs = mem_alloc(ALLOC_CODE, (file->lambda_count + 1) * sizeof(InstanceFun));
    for (uint32_t i = 0; i < file->lambda_count; i++) {
        const BeamLambda *l = &file->lambdas[i];
        FunEntry *entry = fun_entry_put(m->name, l->old_uniq, l->index, m->md5, l->index, l->arity - l->free_count);
        atomic_store_explicit(&entry->name, l->function, memory_order_relaxed);
        m->funs[i] = (InstanceFun){entry, NULL};
    }
    m->fun_count = file->lambda_count;
}

static bool place_funs(ModuleInstance *m, BeamFile *file, const EmittedCode *emitted) {
    for (uint32_t i = 0; i < m->fun_count; i++) {
        m->funs[i].address = label_address(m, emitted, file->lambdas[i].label);
        if (m->funs[i].address == NULL)
            return beam_file_refuse(file, "fun %u leads to no code", i);
    }
    return true;
}

/* All of it is made native now, or nothing: it stays the words that it is. */
static bool place_whole(ModuleInstance *m, BeamFile *file, const EmittedCode *emitted, NativeLayout *layout) {
    if (!native_emit(&file->workspace, emitted->code, m->word_count, emitted->places, emitted->place_count, &m->native,
                     layout))
        return false;
    bool has_block = m->native.words.address != NULL;
    m->code = has_block ? (Word *)m->native.words.address : copy_bytes(emitted->code, m->word_count * sizeof(Word));
    return true;
}

/* `layout`: NULL where nobody asks where native code stands, which is made by need then. */
static bool place_code(ModuleInstance *m, BeamFile *file, const EmittedCode *emitted, NativeLayout *layout) {
    m->word_count = emitted->word_count;
    m->functions = copy_bytes(emitted->functions, emitted->function_count * sizeof(uint32_t));
    m->function_count = emitted->function_count;
    bool by_need = native_is_on && layout == NULL && m->function_count > 0;
    if (by_need ? native_need_place(m, &file->workspace, emitted->code, emitted->places, emitted->place_count)
                : place_whole(m, file, emitted, layout))
        return true;
    return beam_file_refuse(file, "there is no room for its code: %zu bytes below 2 GB", m->word_count * sizeof(Word));
}

static bool emit(ModuleInstance *m, BeamFile *file, const DecodedCode *decoded, const Term *fun_refs,
                 Listing *listing) {
    GenericModule module = {
        .workspace = &file->workspace,
        .name = m->name,
        .code = decoded->code,
        .code_count = decoded->count,
        .label_count = file->label_count,
        .imports = file->imports,
        .import_count = file->import_count,
        .exports = file->exports,
        .export_count = file->export_count,
        .lambdas = file->lambdas,
        .lambda_count = file->lambda_count,
        .fun_refs = fun_refs,
        .strings = m->strings,
        .strings_size = file->strings.size,
        .is_listed = listing != NULL,
    };
    memcpy(module.md5, m->md5, MD5_BYTES);
    EmittedCode emitted;
    char detail[sizeof file->detail] = "";
    if (!emit_module(&module, &emitted, detail, sizeof detail))
        return beam_file_refuse(file, "%s", detail);
    NativeLayout layout = {0};
    bool is_told = listing != NULL || native_names_are_told();
    bool ok = place_code(m, file, &emitted, is_told ? &layout : NULL);
    m->on_load = !ok || emitted.on_load == EMIT_NOWHERE ? NULL : m->code + emitted.on_load;
    m->has_natives = natives_are_in(m->name);
    keep_lines(m, file, &emitted);
    ok = ok && place_exports(m, file, &emitted) && place_funs(m, file, &emitted);
    if (ok) {
        natives_leave_out_missing(m, &module);
        if (listing != NULL)
            listing_put(listing, m, &module, &emitted, &layout);
        native_names_tell(m, &layout, emitted.places, emitted.place_count);
    }
    return ok;
}

static bool build(ModuleInstance *m, BeamFile *file, Listing *listing) {
    DecodedCode decoded;
    m->strings = copy_bytes(file->strings.bytes, file->strings.size);
    keep_chunks(m, file);
    bool ok = decode_code(file, &decoded);
    if (ok) {
        make_funs(m, file);
        name_exports(m, file);
        Term *fun_refs = workspace_take(&file->workspace, (m->fun_count + 1) * sizeof(Term));
        ok = set_terms(m, file, &decoded, fun_refs) && emit(m, file, &decoded, fun_refs, listing);
    }
    decoded_release(&decoded);
    return ok;
}

ModuleInstance *module_prepare(Term name, const uint8_t *bytes, size_t size, char *detail, size_t detail_size) {
    return module_prepare_listed(name, bytes, size, detail, detail_size, NULL);
}

ModuleInstance *module_prepare_listed(Term name, const uint8_t *bytes, size_t size, char *detail, size_t detail_size,
                                      Listing *listing) {
    BeamFile file;
    ModuleInstance *m = NULL;
    if (beam_file_read(&file, bytes, size) && file.module != name) {
        const AtomName *other = atom_name(file.module);
        beam_file_refuse(&file, "module name in object code is %.*s", (int)other->byte_count,
                         (const char *)other->bytes);
    }
    if (file.detail[0] == '\0' && check_chunk_term(&file, &file.attributes, "attributes") &&
        check_chunk_term(&file, &file.compile_info, "compilation information")) {
        m = mem_calloc(ALLOC_CODE, sizeof *m);
        m->name = name;
        m->born = birth_next();
        memcpy(m->md5, file.md5, MD5_BYTES);
        m->has_debug_info = beam_file_chunk(bytes, size, "DbgB").bytes != NULL;
        if (!build(m, &file, listing)) {
            module_instance_free(m);
            m = NULL;
        }
    }
    if (m == NULL)
        snprintf(detail, detail_size, "%s", file.detail);
    beam_file_release(&file);
    return m;
}
