/*
 * What terms of kind fun point to: the part of it that printing, comparing and hashing must see.
 *
 * FunEntry: one per (module, old unique, index, md5 of the module), so a fun made by old code keeps meaning old code.
 * Entries are found or added by code/fun_entry.h and never moved. An export entry (code/export.h) begins with its Mfa.
 */
#ifndef VIV_TERM_FUN_H
#define VIV_TERM_FUN_H

#include "term/boxed.h"

typedef struct FunEntry {
    const Word *address; /* atomic word; what call_fun jumps to */
    Term module;
    Term name;           /* the function's own name, an atom; am_undefined when unknown */
    uint32_t arity;      /* as called: free variables not counted */
    uint32_t free_count;
    uint32_t index, old_index;
    uint32_t old_uniq;
    uint8_t uniq[16]; /* md5 of the module */
    struct FunEntry *hash_next;
} FunEntry;

typedef struct {
    Term module, function;
    uint32_t arity;
} Mfa;

static inline const Mfa *export_fun_mfa(Term t) { return (const Mfa *)((const ExportFun *)boxed_ptr(t))->export; }

#endif
