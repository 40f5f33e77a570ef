/*
 * What stands in the code just before the first instruction of every function.
 *
 * Label "function info" of a BEAM function is &header->func_info: an instruction that raises function_clause; the entry
 * label is the word after the header. `breakpoint` is NULL until the function is traced for the first time.
 */
#ifndef VIV_CODE_FUNCTION_HEADER_H
#define VIV_CODE_FUNCTION_HEADER_H

#include "term/term.h"

struct ModuleInstance; /* code/module.h */
struct GenericBp;  /* code/breakpoint.h */
struct NativeCall; /* code/native_call.h */
/* Stands in `native` of functions that a -nifs attribute names, until their library is loaded. */
#define NATIVE_DECLARED ((const struct NativeCall *)8)
typedef struct {
    struct ModuleInstance *instance; /* NULL, but where functions are made when they are called (jit/by_need.h) */
    const struct NativeCall *native; /* what a native body calls; NULL while the body is Erlang, or NATIVE_DECLARED */
    struct GenericBp *breakpoint;
    Word func_info; /* the instruction word; above its 32 bits where native code enters the function, 0: by its word */
    Term module, function;
    Word arity;
} FunctionHeader;
static inline bool function_is_native(const FunctionHeader *h) {
    const struct NativeCall *native = __atomic_load_n(&h->native, __ATOMIC_ACQUIRE);
    return native != NULL && native != NATIVE_DECLARED;
}
static inline const Word *function_entry(const FunctionHeader *h) { return (const Word *)(h + 1); }
static inline const FunctionHeader *function_of_entry(const Word *entry) { return (const FunctionHeader *)entry - 1; }
static inline uint32_t function_native_entry(const FunctionHeader *h) {
    return __atomic_load_n((const uint32_t *)&h->func_info + 1, __ATOMIC_ACQUIRE);
}
static inline void function_set_native_entry(FunctionHeader *h, uint32_t entry) {
    __atomic_store_n((uint32_t *)&h->func_info + 1, entry, __ATOMIC_RELEASE);
}
static inline const FunctionHeader *function_of_info(const Word *func_info) {
    return (const FunctionHeader *)((const char *)func_info - offsetof(FunctionHeader, func_info));
}

#endif
