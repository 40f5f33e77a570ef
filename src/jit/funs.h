/*
 * Funs that are made, and calls of funs. Of those most are local funs that have closed over nothing, so one comparison
 * of the header says that. Every test stands before the first register is written: where one fails the interpreter does
 * the whole, and finds the fun and the arguments as they were.
 */
#ifndef VIV_JIT_FUNS_H
#define VIV_JIT_FUNS_H

#include "jit/written.h"

CodeWriter funs_write;

#endif
