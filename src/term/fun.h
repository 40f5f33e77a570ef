/*
 * What terms of kind fun point to.
 *
 * FunEntry: one per (module, old unique, index, md5 of the module), so a fun made by old code keeps meaning old code.
 * Entries are found or added under the table's lock and never move. `address` is the function's entry while code with
 * that fun is loaded; fun_pending_address while that code is being purged (replace/purge.h); otherwise
 * fun_error_address: a call asks the error handler to load the module (error_handler:undefined_lambda/3).
 *
 * Entries are counted by those who outlive code: instances (code/module.h), and FunRefs. A FunRef is an off-heap object
 * like a reference to a binary, and each local fun has a pointer to one. That of a fun made by code is among the
 * literals of the code, one for all its funs: so to make, copy, send, collect or drop a fun touches no count, however
 * many processors do it. Only where literals are copied (tables, persistent terms, and processes that outlive the code,
 * heap/literal.h) the FunRef becomes one of its own, which counts. The last reference takes the entry out of the
 * table; its memory goes through thread progress.
 *
 * An export entry (code/export.h) begins with its Mfa.
 * Source: erlang(3) fun_info/2.
 */
#ifndef VIV_TERM_FUN_H
#define VIV_TERM_FUN_H

#include <stdatomic.h>

#include "base/thread_progress.h"
#include "sys/release.h"
#include "term/area.h"

typedef struct FunEntry {
    const Word *address; /* atomic word; what call_fun jumps to */
    Term module;
    /* The function's own name, an atom; am_undefined when unknown. Whoever prepares the code says it, the same each
     * time; read by those who see an address of code. */
    _Atomic Term name;
    uint32_t arity; /* as called: free variables not counted */
    uint32_t index, old_index;
    uint32_t old_uniq;
    uint8_t uniq[16]; /* md5 of the module */
    struct FunEntry *hash_next;
    _Atomic(int64_t) refc; /* becomes 0 under the table's lock only */
    ProgressNode progress;
} FunEntry;

void fun_table_init(void);
/* Finds or adds, one reference for the caller. One of another arity is another: terms from outside may say any. */
FunEntry *fun_entry_put(Term module, uint32_t old_uniq, uint32_t old_index, const uint8_t uniq[16], uint32_t index,
                        uint32_t arity);
void fun_entry_retain(FunEntry *entry);
void fun_entry_release(FunEntry *entry);
size_t fun_entry_count(void);
/* Of all that there are, without the lock: by one who is alone, as the program ends. */
void fun_entry_each_alone(void (*each)(const FunEntry *entry, void *data), void *data);

/* A FunRef, which takes over the caller's reference. FUN_REF_WORDS words. */
/* Who made it, as programs are told. */
static inline Term fun_creator(const Fun *fun) {
    return release_has(RELEASE_FUNS_OF_INIT) ? pid_make(0) : fun->creator; /* the first process is `init` */
}
Term fun_ref_make(Area *area, FunEntry *entry);

/* Addresses that are no code of a module, two words in a row; set once at start by the engine. */
extern const Word *fun_error_address;
#define fun_pending_address (fun_error_address + 1)
static inline bool fun_address_is_code(const Word *address) {
    return (size_t)((const char *)address - (const char *)fun_error_address) >= 2 * sizeof(Word);
}

/* Where the code of a local fun begins; false: it has none now. */
static inline bool fun_is_loaded(const Fun *fun, const Word **address) {
    *address = __atomic_load_n(&fun->entry->address, __ATOMIC_ACQUIRE);
    return fun_address_is_code(*address);
}

typedef struct {
    Term module, function;
    uint32_t arity;
} Mfa;

static inline const Mfa *export_fun_mfa(Term t) { return (const Mfa *)((const ExportFun *)boxed_ptr(t))->export; }
/* Of either kind, as called. */
static inline uint32_t fun_arity(Term t) {
    return is_local_fun(t) ? fun_ptr(t)->entry->arity : export_fun_mfa(t)->arity;
}

#endif
