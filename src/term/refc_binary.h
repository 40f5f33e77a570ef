/*
 * Reference-counted bytes outside all heaps: large binaries, and native objects behind magic references.
 *
 * Counted by terms (BinRef, MagicRef) and by C code that keeps a pointer; the last release frees, after running the
 * destructor if there is one. Bytes that a term shows are never changed; bytes beyond what any term shows may be, by
 * the one owner of a writable BinRef (term/bits.h). refc_binary_retain and _release: any thread, no lock.
 */
#ifndef VIV_TERM_REFC_BINARY_H
#define VIV_TERM_REFC_BINARY_H

#include "term/area.h"

#include <stdatomic.h>

typedef struct RefcBinary RefcBinary;
/* Returns true when the memory may be freed now; false when the destructor arranged for something else to free it
 * later (refc_binary_free). */
typedef bool RefcDestructor(RefcBinary *binary);
struct RefcBinary {
    _Atomic(int64_t) refc;
    RefcDestructor *destructor; /* NULL: plain bytes */
    void *extra;                /* for the owner of the destructor */
    uint32_t magic_numbers[3];  /* of the magic reference, 0 while none was made */
    uint32_t flags;
    size_t size; /* capacity in bytes; straight before them, where drivers look (ErlDrvBinary) */
    uint8_t bytes[] __attribute__((aligned(8)));
};
_Static_assert(offsetof(RefcBinary, size) + sizeof(size_t) == offsetof(RefcBinary, bytes), "as drivers have it");

#define MAGIC_IS_REMEMBERED 1 /* flags of magic ones, under LOCK_MAGIC_TABLE: term/magic_table.h knows it */

#define BYTES_ARE_ELSEWHERE 2 /* flags of one that has none of its own: refc_binary_init_elsewhere */

/* Behind its bytes there are some more that nobody shows: there are native libraries which write the NUL of a text
 * there, as the stock runtime has such room, too. */
#define REFC_SLACK_BYTES 7
/* refc 1, uninitialised bytes. */
RefcBinary *refc_binary_create(size_t size);
/* refc 1; `size` bytes for the native object. */
RefcBinary *refc_magic_create(size_t size, RefcDestructor *destructor);
/* The same with `size` zero bytes; for sizes that come from outside: NULL when there is no memory. */
RefcBinary *refc_magic_try_create(size_t size, RefcDestructor *destructor);
/* For bytes that lie somewhere else: `b` is the caller's memory, and the destructor's to free. */
void refc_binary_init_elsewhere(RefcBinary *b, size_t size, RefcDestructor *destructor);
/* The only reference is the caller's; may move. */
RefcBinary *refc_binary_resize(RefcBinary *binary, size_t size);
/* The same for sizes that come from outside: NULL when there is no memory, and `binary` is as it was. */
RefcBinary *refc_binary_try_create(size_t size);
RefcBinary *refc_binary_try_resize(RefcBinary *binary, size_t size);
/* Frees without asking anyone. */
void refc_binary_free(RefcBinary *binary);
/* What the destructor releases is destroyed at once, within it, as authors of native libraries expect. But objects may
 * hold one another in chains of any length: so below some dozens of nested destructors one waits until the innermost of
 * those returns. */
void refc_binary_last_released(RefcBinary *binary);

/* A destructor may be a library's, and wait for a lock of that. Where the calling thread must not, because who has the
 * lock may wait for the thread, it says hold: to the matching let_go, which nests, what it releases last is not
 * destroyed but gathered. The outermost let_go gives what there is, or NULL, for refc_binary_destroy_held on any
 * thread. */
void refc_binary_hold(void);
must_check RefcBinary *refc_binary_let_go(void);
void refc_binary_destroy_held(RefcBinary *first);

static inline void refc_binary_retain(RefcBinary *b) { atomic_fetch_add_explicit(&b->refc, 1, memory_order_relaxed); }
static inline void refc_binary_release(RefcBinary *b) {
    if (atomic_fetch_sub_explicit(&b->refc, 1, memory_order_acq_rel) == 1)
        refc_binary_last_released(b);
}
static inline bool refc_binary_is_sole(RefcBinary *b) {
    return atomic_load_explicit(&b->refc, memory_order_acquire) == 1;
}

/* Releases what one off-heap object owns (not the object's words). For whoever drops an off-heap list. */
void off_heap_release(OffHeap *object);
/* One more reference for a copy of the object. */
void off_heap_retain(OffHeap *object);
/* Bytes that an off-heap object keeps alive outside: what virtual heap accounting counts. */
size_t off_heap_bytes(const OffHeap *object);

#endif
