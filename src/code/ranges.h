/*
 * From a code address to the module instance, the function and the line it belongs to: stack traces, process_info,
 * "does this process still run that code?".
 *
 * Each code generation has its own array of instances, sorted by address; it holds old code too, as long as that
 * may run. A reader takes the active generation's array once. Arrays are replaced by staging, like all code structures.
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

/* For code/module.c: instances whose on_load function runs are in the ranges before they are current. */
void ranges_stage_begin(void);
void ranges_stage_add(const ModuleInstance *instance); /* no effect when it is there */
void ranges_stage_remove(const ModuleInstance *instance);
void ranges_commit(void);

#endif
