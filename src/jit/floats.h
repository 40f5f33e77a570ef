/*
 * Instructions of floats that stand one behind the other have one piece of machine code, that of the first: float
 * registers are machine registers there, and a term that was stored is still known as a float. At its end, when
 * nothing can fail any more, registers are stored, and those float registers that somebody may still read.
 *
 * Whatever is not as hoped (no such term, no room, a result that is infinite, or no self-tagged float) leaves it before
 * anything is stored: the interpreter does all of it from the first instruction on, and fails where the program does.
 * A result that is not finite stays that in sums, differences and products, and as what is divided: it is enough to
 * look at what is stored, at divisors, and at what nobody takes.
 *
 * The words of the other instructions lead to the interpreter. No label leads to them.
 */
#ifndef VIV_JIT_FLOATS_H
#define VIV_JIT_FLOATS_H

#include "jit/written.h"

CodeWriter floats_write;

#endif
