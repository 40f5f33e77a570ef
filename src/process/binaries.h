/*
 * Which large binaries a process holds, and by what: for who wants to know why they do not go
 * (lib/see/viv_see_binaries.erl).
 *
 * A process holds a binary by references: BinRefs in the off-heap lists of its heap and its fragments, and of messages
 * that it has not looked at. A reference is there until a collection does not find it, so there are three answers to
 * how much is held: what the references keep, which is what counts until the process collects; what of that can still
 * be reached, which is what would be left; and what of those bytes its terms show. Between the second and the third
 * lies the part of ten bytes that keeps ten megabytes.
 *
 * What can be reached is found by a walk from the roots of a collection, which moves and changes nothing. Its terms are
 * told apart by what leads there first: the stack, with the registers; the dictionary; messages; or something else.
 *
 * By the thread that runs the process, or has it as who looks at one that rests (process/rest.h). Nothing collects.
 */
#ifndef VIV_PROCESS_BINARIES_H
#define VIV_PROCESS_BINARIES_H

#include "process/system_task.h"
#include "term/refc_binary.h"

/* Each reference counts for the bytes of its binary, divided by how many references that has, wherever they are: so
 * the shares of all that hold a binary add up to it. */
typedef struct {
    uint64_t share, references;
    uint64_t largest; /* bytes */
} BinaryShare;

void binary_share_add(BinaryShare *sum, RefcBinary *binary); /* one reference to it */
/* {Share, References, Largest} */
Term binary_share_term(const BinaryShare *sum, Area *area);
/* Adds those of an off-heap list. Whoever calls keeps it from changing. False: there are more references than `most`,
 * all that it has added counted. */
must_check bool binaries_share_add(BinaryShare *sum, const OffHeap *list, uint64_t most);
/* Those of p. False as above. By the handler of p's signals, too (process/dirty_gate.h). */
must_check bool binaries_share(const Process *p, BinaryShare *sum, uint64_t most);

/* system_limit: there are more than BINARIES_MOST references and terms that show what they refer to. Or
 * {Held, Count, Shown, Garbage, Messages, Alone, Heap, Rows}, built in `area`: the bytes that p keeps, each binary
 * counted once, in how many binaries; the bytes that its terms show; those of binaries that it holds but cannot reach,
 * which a collection lets go of; those that only messages lead to; those that nobody else holds; when it collects; and
 * the largest `rows` of the binaries, largest first.
 *   Heap: {Young, AtMost, Old, AtMost, Minor, AtMost}: the bytes beyond which young and old references ask for a
 * collection, and how many minor ones there were since the last major one.
 *   A row: {Bytes, Shown, References, Others, By, Age}. References: p's own, Others: how many more there are. By is
 * stack, dictionary, messages or other; garbage when it cannot be reached. Age is old when the collector keeps one of
 * the references among what has survived: only a major collection looks there; else young. */
#define BINARIES_MOST (1 << 20)
Term binaries_of(Process *p, size_t rows, Area *area);
/* How many words binaries_of would look at, about. */
size_t binaries_words(const Process *p);

/* The answer is that of binaries_of; the argument, a small, is `rows`. */
extern const SystemTaskKind system_task_binaries;

#endif
