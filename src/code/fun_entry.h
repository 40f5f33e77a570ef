/*
 * Fun entries: what every local fun points to; one per (module, old unique, index, md5 of the module), so a fun made by
 * old code keeps meaning old code. Entries are found or added under the table's lock and are never moved.
 *
 * `address` is the function's entry while code with that fun is loaded, else the error trampoline that asks the
 * error handler to load the module (error_handler:undefined_lambda/3). Source: erlang(3) fun_info/2.
 */
#ifndef VIV_CODE_FUN_ENTRY_H
#define VIV_CODE_FUN_ENTRY_H

#include "code/code_index.h"
#include "term/fun.h" /* FunEntry itself */

void fun_table_init(void);
FunEntry *fun_entry_put(Term module, uint32_t old_uniq, uint32_t old_index, const uint8_t uniq[16], uint32_t index,
                        uint32_t arity);
extern const Word *fun_error_address; /* set once at start by the engine */

#endif
