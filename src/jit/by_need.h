/*
 * Native code by need: a function gets its native code when it is called for the first time. Most functions of a node
 * are never called: of those that are loaded when stock OTP boots, seven in eight.
 *
 * Of a module is kept which instruction stands where (two bytes for each); all else that code is made from stands in
 * its words. The first word of each function leads to an instruction of its own (`native_by_need`, emu/engine.tab),
 * which has the code made, and goes on there; that is work of the caller's slice. Functions of many instructions are
 * made when the module is loaded: nobody is held up for longer than some hundred microseconds. Where tools are told of
 * native code, and for listings, all of a module is written when it is loaded, as one (jit/emit.h).
 *
 * Of code that can be called one thread at a time makes some (LOCK_NATIVE_NEED), and nobody waits for it: who finds
 * another one at it has the call interpreted, and the next one tries again. What was made becomes visible by the first
 * word of the function alone (breakpoint_body_is_made). A breakpoint may stand there, or another body: that stays so.
 * The words behind it may be run by who came before; whether they lead to native code or to the interpreter is the same
 * to him.
 *
 * Calls within a module go straight to the entry of a function that has been made. To one that has not been made they
 * go by a stub that enters it by its word, which is right at any time. When it is made the distances of these calls
 * are exchanged, each by one store of four bytes within a naturally aligned quadword: who runs the jump sees the one or
 * the other, as is relied on by others who change calls in running code (AMD64 Architecture Programmer's Manual, volume
 * 2, 7.3.2: access atomicity). The way to a word in the middle of another function, which no compiler makes, is such a
 * stub for ever.
 */
#ifndef VIV_JIT_BY_NEED_H
#define VIV_JIT_BY_NEED_H

#include "code/module.h"
#include "jit/emit.h"

/* Once at start, where code is native. */
void native_need_begin(void);

/* Of a module that cannot be seen yet, whose functions are known: its words become the block's, as they were encoded,
 * and its functions are made when they are called. False: no room for words, and there is no block. */
must_check bool native_need_place(ModuleInstance *m, Workspace *workspace, const Word *words, const InsnPlace *places,
                                  size_t count);
/* What the block has, but for its words: native code, and what more is made from. Any thread that may look at shared
 * structures. */
size_t native_need_bytes(const NativeBlock *block);
/* Before the block is freed. */
void native_need_free(NativeBlock *block);

#endif
