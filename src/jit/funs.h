/*
 * Calls of funs. Most are local funs that have closed over nothing, so one comparison of the header says that. Every
 * test stands before the first register is written: where one fails the interpreter does the whole, and finds the fun
 * and the arguments as they were.
 */
#ifndef VIV_JIT_FUN_CALLS_H
#define VIV_JIT_FUN_CALLS_H

#include "jit/written.h"

CodeWriter fun_calls_write;

#endif
