/* Registers of a frame that are set before anything is in them. */
#ifndef VIV_JIT_FRAMES_H
#define VIV_JIT_FRAMES_H

#include "jit/written.h"

CodeWriter frames_write;

#endif
