/*
 * Modules and their code, and how new code is published.
 *
 * A ModuleInstance is one loaded version of a module: the block of code, the literals, and all that describes them. It
 * is made by the loader (loader/prepare.h) without any effect that running code could see, and never changes once
 * published. A Module is a name with a current instance for each code generation, and an old one that processes may
 * still run. Modules are never freed and never move.
 *
 * Publishing: code_stage_begin brings the staging generation up to date, by redoing what the last two publications
 * changed (it was active three publications ago); code_stage_instance and code_stage_delete write to it; code_commit
 * makes it active with one store. Between begin and commit the caller holds the code modification permission, and it
 * keeps the permission after the commit until thread progress (replace/code_permission.h): so nobody reads a generation
 * any more when it is staged again. No thread is ever made to wait. Catch terms hold the address of their handler's
 * instruction (term/term.h), so there is no catch table to stage.
 */
#ifndef VIV_CODE_MODULE_H
#define VIV_CODE_MODULE_H

#include <stdatomic.h>

#include "base/birth.h"
#include "code/beam_file.h"
#include "code/export.h"
#include "term/fun.h"
#include "code/function_header.h"
#include "code/native_block.h"

struct BpBlock;     /* code/breakpoint.h */
struct LiteralArea; /* heap/literal.h */
struct NifLibrary;  /* nif/library.h */
struct Permission;  /* process/permission.h */
struct TracerFunctions; /* process/tracer_functions.h */

/* From code word `word` on, up to the next entry. */
typedef struct {
    uint32_t word;
    uint32_t file; /* 0: the module's own file, else an index into files, plus 1 */
    uint32_t line; /* 0: unknown */
} CodeLine;
typedef struct {
    Export *export;
    const Word *address; /* NULL: only declared, see loader/natives.h */
} InstanceExport;
typedef struct {
    FunEntry *entry;
    const Word *address;
} InstanceFun;

typedef struct ModuleInstance {
    Term name;
    Birth born; /* base/birth.h */
    Word *code; /* ALLOC_CODE, as all of these blocks; where there is native code, in its block */
    size_t word_count;
    NativeBlock native; /* what its instructions lead to, if there is one: jit/emit.h */
    uint32_t *functions; /* word index of each FunctionHeader, ascending */
    uint32_t function_count;
    CodeLine *lines; /* ascending */
    uint32_t line_count;
    BeamBytes *files;
    uint32_t file_count;
    InstanceExport *exports;
    uint32_t export_count;
    InstanceFun *funs;
    uint32_t fun_count;
    uint8_t *strings; /* StrT: the code points into it */
    uint8_t *chunk_data; /* attributes, compile info and file names point into it */
    BeamBytes attributes, compile_info; /* external format */
    struct LiteralArea *literals; /* NULL when there are none */
    const Word *on_load; /* entry of the on_load function or NULL */
    struct NifLibrary *library; /* nif/library.h: of its native functions, NULL when it has none; one count */
    /* As a tracer: NULL until it is first used as one. One block, freed with the instance. */
    _Atomic(struct TracerFunctions *) tracer;
    uint8_t md5[MD5_BYTES];
    struct BpBlock *breakpoints; /* NULL, or with room for all its functions; under the code modification permission */
    struct ModuleInstance *next_given_up;
    bool has_debug_info; /* code:get_debug_info/1: its file has the chunk DbgB */
    bool was_awaited; /* when it was given up: Module's `awaited` was not 0 */
    bool has_natives; /* there are built-in functions of its name: those that it declares are traced in their entries */
    bool is_purged; /* its funs are pending: replace/purge.h; under the code modification permission */
} ModuleInstance;

/* All of it is written under the code modification permission only, but for load_nif. */
typedef struct Module {
    Term name;
    ModuleInstance *current[CODE_GENERATIONS];
    ModuleInstance *old;
    /* Its on_load function has not returned yet, or it waits for others to be loaded with it. */
    ModuleInstance *pending;
    _Atomic uint64_t awaited; /* 0, or for the pending one: its number in prepared code (bif/code/prepared.h) */
    ModuleInstance *given_up; /* pending ones that never became current: some process may still run them */
    uint64_t seen_in; /* the last list that had it, counted: finds duplicates in one go */
    bool was_staged; /* code of this name was published once, or pending; others only asked for it */
    _Atomic(struct Permission *) load_nif; /* NULL until somebody asks for it: bif/code/nif_load.c */
    Export *on_load_call; /* leads to the pending one's function: what erlang:call_on_load_function/1 calls */
} Module;

void module_table_init(void);
Module *module_put(Term name);
/* NULL when nobody ever loaded a module of this name. No lock: any thread that may look at shared structures. */
Module *module_find(Term name);
static inline ModuleInstance *module_current(const Module *m) { return m->current[code_active()]; }
static inline ModuleInstance *module_old(const Module *m) { return __atomic_load_n(&m->old, __ATOMIC_ACQUIRE); }
/* Calls `each` for every module, no lock held; modules added meanwhile may be missed. A caller that wants one
 * consistent picture reads the active index before, and takes current[] of that. Gives how many places were
 * looked at. */
size_t module_each(void (*each)(void *module, void *data), void *data);

static inline const FunctionHeader *instance_function(const ModuleInstance *m, uint32_t i) {
    return (const FunctionHeader *)(m->code + m->functions[i]);
}

/* See above. */
void code_stage_begin(void);
/* How many changes the next code_stage_begin is going to redo, some nanoseconds each: a guess, for anybody. */
size_t code_stage_debt(void);
/* It replaces the current one, which becomes the old one: there must be no old one before. When it is the module's
 * pending one, it is that no longer. */
void code_stage_instance(ModuleInstance *instance);
/* The instance becomes the module's pending one: its on_load function may be called, by module->on_load_call, and its
 * funs, but no export entry leads to it. A pending one that is there is given up. */
void code_stage_pending(ModuleInstance *instance);
/* The module's pending one does not become current: nothing that is called from now on leads to it. */
void code_give_up_pending(Module *module);
void code_stage_delete(Module *module);
void code_commit(void);

#endif
