/*
 * Bitstrings that are built of integers and floats of known sizes, and of bytes, up to what a heap holds: all is
 * shifted into words, and stored word by word. What else an instruction has to build its template builds; where there
 * is no room, or a value is another one, the interpreter.
 */
#ifndef VIV_JIT_BUILDING_H
#define VIV_JIT_BUILDING_H

#include "jit/written.h"

CodeWriter building_write;

#endif
