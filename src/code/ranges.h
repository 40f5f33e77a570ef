/*
 * From a code address to the module instance, the function and the line it belongs to: stack traces, process_info,
 * "does this process still run that code?".
 *
 * Each code generation has its own table of instances, sorted by address (code/range_table.h); it holds old code too,
 * as long as that may run. Readers take no lock: a table is only written while its generation is the staging one, which
 * nobody reads. What a publication changes is kept in a journal and done again in the two other generations when their
 * turn comes, so the cost of a load does not depend on how much is loaded.
 */
#ifndef VIV_CODE_RANGES_H
#define VIV_CODE_RANGES_H

#include "code/module.h"

/* NULL when the address is not in loaded code. Any thread that may look at shared structures. */
const ModuleInstance *range_find(const Word *address);

typedef struct {
    const ModuleInstance *instance;
    const FunctionHeader *function;
    const uint8_t *file; /* UTF-8; NULL: the module's name and ".erl" */
    size_t file_bytes;
    uint32_t line; /* 0: unknown */
} CodePlace;
/* `address` lies in an instruction (for a return address: the word before it). False: not in loaded code. */
bool range_place(const Word *address, CodePlace *place);
/* The same in that instance. False: not in its code. */
bool range_place_in(const ModuleInstance *instance, const Word *address, CodePlace *place);

/* Its function alone. NULL: not in loaded code. */
const FunctionHeader *range_header(const Word *address);

/* The number of the function of the instance that `address` is a word of. */
uint32_t range_function(const ModuleInstance *instance, const Word *address);

/* Between code_stage_begin and code_commit. Instances whose on_load function runs are in the ranges before they are
 * current; an instance that is removed may be freed once its publication has seen thread progress. */
void ranges_stage_begin(void); /* for code/module.c */
void ranges_stage_add(const ModuleInstance *instance); /* no effect when it is there */
void ranges_stage_remove(const ModuleInstance *instance);

#endif
