/*
 * The modules that the stock runtime has within itself, without their lines. Here they come from files as any other;
 * but stack traces, and who asks what there is from the start, see them as there. Source: erlang:pre_loaded/0.
 */
#ifndef VIV_LOADER_STOCK_MODULES_H
#define VIV_LOADER_STOCK_MODULES_H

#include <stddef.h>

extern const char *const stock_modules[];
extern const size_t stock_module_count;

#endif
