/*
 * Where code stands. An instruction's word has 32 bits for where its code is, and native code has 31 for the words that
 * it names: both are below 2 GB (MAP_32BIT of mmap(2): one GB of it). Modules share chunks of some MB, so that neither
 * a small one takes a page, nor many of them all the mappings that a process may have (vm.max_map_count).
 *
 * A chunk of native code is mapped twice: once to be executed, once to be written; no page is ever both at one address.
 * Pages that are free whole are given back to the system, and chunks that are, but for one of a kind, and but for what
 * alloc/kept_ranges.h keeps.
 *
 * Any thread, at any time; LOCK_CODE_SPACE is held inside.
 */
#ifndef VIV_CODE_CODE_SPACE_H
#define VIV_CODE_CODE_SPACE_H

#include "base/defs.h"

typedef enum { CODE_SPACE_WORDS, CODE_SPACE_NATIVE, CODE_SPACE_KINDS } CodeSpaceKind;

typedef struct {
    uint8_t *address; /* a multiple of CODE_SPACE_UNIT; NULL: there is none */
    uint8_t *written; /* where the same bytes are written: for words, the same address */
    size_t size;      /* at least what was asked for */
    bool is_new;      /* nobody has had it before */
} CodeSpan;
#define CODE_SPACE_UNIT 64 /* bytes: modules share no cache line */

/* Counted as ALLOC_CODE. None: there is no memory, no room, or (native code) the system forbids it, which is said once
 * on standard error. What is in it is not known. */
CodeSpan code_space_take(CodeSpaceKind kind, size_t bytes);
/* When nobody looks at it any more. `span` may be none. */
void code_space_give_back(CodeSpaceKind kind, CodeSpan span);

#endif
