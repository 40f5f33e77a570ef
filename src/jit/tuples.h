/* Tuples that are built: a store for each element, wherever it comes from. */
#ifndef VIV_JIT_TUPLES_H
#define VIV_JIT_TUPLES_H

#include "jit/written.h"

CodeWriter tuples_write;

#endif
