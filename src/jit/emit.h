/*
 * Native code of a module, beside its words, which stay what the interpreter runs: the low half of an instruction's
 * word is where its code stands, and that is native code from now on, for each instruction that has a template. So
 * whoever goes to a place of a module, by a call, a return, in a handler of exceptions, or for a breakpoint that is
 * taken away, goes through the word there as ever, and the two mix at any instruction: native code goes on in the
 * interpreter where an instruction has no template, and that comes back with the next.
 *
 * A return address on a stack has two halves. The lower one is the address of the word, as ever: all words are below
 * 4 GB, and whoever asks where somebody returns to looks at this half alone (return_address_ip). The upper one is where
 * the native code of that word stands, as the distance from emu_return_by_word: so 0, which all others push, goes to
 * where the word leads. Native code returns by a load of the upper half, and a jump there; the interpreter by the lower
 * one. What the two lead to does not change: no breakpoint is set where somebody returns to.
 *
 * What is known of places stays true: return addresses, stack traces, ranges, p->ip are addresses of words. Native code
 * holds what the words hold: words are not changed later but for what is at a function's entry (code/breakpoint.h).
 *
 * A call within the module goes to an entry before the function's code (put_entry), which has room for a breakpoint
 * (code/native_block.h). Otherwise code is written before anybody can see it, and not any more but for calls of
 * functions that were made after it (jit/by_need.h).
 */
#ifndef VIV_JIT_EMIT_H
#define VIV_JIT_EMIT_H

#include "alloc/workspace.h"
#include "code/native_block.h"
#include "emu/forms.h"

/* An instruction of the interpreter's code. */
typedef struct {
    uint32_t word;  /* its index */
    uint16_t form;  /* of insn_forms */
    bool is_target; /* a label that is used leads there */
} InsnPlace;

/* Is there native code in this run? */
extern bool native_is_on;
/* Once at start, unless +JIT false, before anything is loaded and there is a stack: may code be executed here? */
void native_begin(void);

/* How the code of a function that is made alone goes to words that are not its own: to those of a function's first
 * instruction, by a call, whose distance is written at `site`, in one naturally aligned quadword; or, where `site` is
 * NULL, to any. NULL: there is no room for a way. */
typedef struct Outside {
    const uint8_t *(*way)(struct Outside *outside, const Word *to, const uint8_t *site);
    bool has_failed; /* there was none: what was written is not to be run */
    bool is_reused;  /* a way stands where other code once stood */
} Outside;
static inline const uint8_t *outside_way(Outside *outside, const Word *to, const uint8_t *site) {
    const uint8_t *way = outside->way(outside, to, site);
    outside->has_failed |= way == NULL;
    return way;
}

/* Where the code of a module's instructions came to stand, for those who tell of it: bytes from the block's start. */
typedef struct {
    uint32_t *at;    /* by word, of the instruction that begins there */
    uint32_t *exits; /* by place, of its slow ends: they stand behind all code, in order; then once more, the end */
    const struct Template **chosen; /* by place; NULL: it is left to the interpreter */
} NativeLayout;

/* All instructions of `words`, in their order. The words in the block are the module's from then on; those that were
 * given are not changed, and stay the caller's. Not native, or no room for code: the block has the words alone. No
 * words, or in programs with sanitizers: there is no block. `layout`, empty or NULL, is filled where something is
 * native, with tables in the workspace. False: no room for words, and nothing is made. Any thread. */
must_check bool native_emit(Workspace *workspace, const Word *words, size_t word_count, const InsnPlace *places,
                            size_t count, NativeBlock *block, NativeLayout *layout);

/* A function that is made alone, in its place: its words from its header on, and those of its instructions, with the
 * first one behind it, which is another function's, or none that runs. `words` are led to what is made but for the
 * first instruction's. */
typedef struct {
    Word *words;
    const InsnPlace *places;
    size_t count;
    bool floats_cross; /* floats_cross_labels, of the whole module */
} NativePart;
/* Where native code enters the function; its first instruction stands NATIVE_ENTRY_BYTES behind. 0: no room, and no
 * word leads there. By who makes code of the block, one at a time. */
uint32_t native_emit_part(Workspace *workspace, const NativePart *part, Outside *outside, NativeBlock *block);

#endif
