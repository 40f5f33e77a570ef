/*
 * Native code of a module, beside its words, which stay what the interpreter runs: the low half of an instruction's
 * word is where its code stands, and that is native code from now on, for each instruction that has a template. So
 * whoever goes to a place of a module, by a call, a return, in a handler of exceptions, or for a breakpoint that is
 * taken away, goes through the word there as ever, and the two mix at any instruction: native code goes on in the
 * interpreter where an instruction has no template, and that comes back with the next.
 *
 * What is known of places stays true: return addresses, stack traces, ranges, p->ip are addresses of words. Native code
 * holds what the words hold: words are not changed later but for what is at a function's entry (code/breakpoint.h).
 *
 * A block is written before anybody can see it, then made executable, and not written any more.
 */
#ifndef VIV_JIT_EMIT_H
#define VIV_JIT_EMIT_H

#include "code/native_block.h"
#include "emu/forms.h"

/* An instruction of the interpreter's code. */
typedef struct {
    uint32_t word; /* its index */
    uint16_t form; /* of insn_forms */
} InsnPlace;

/* Is there native code in this run? Set at start, before anything is loaded (+JIT). */
extern bool native_is_on;

/* All instructions of `words`, in their order. The words in the block are the module's from then on; those that were
 * given are not changed, and stay the caller's. No memory for it, or none that may be executed: no block. Any thread.
 */
NativeBlock native_emit(const Word *words, size_t word_count, const InsnPlace *places, size_t count);

#endif
