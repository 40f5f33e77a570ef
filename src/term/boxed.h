/*
 * The layouts of everything that lies on a heap behind a boxed pointer.
 *
 * A header is  arity << 8 | kind << 3 | 110,  where arity counts the words that follow it, 2^24 - 1 at most. The upper
 * half of its word is 0, but in a node of a map it is the bitmap. Kinds are ordered: those below KIND_FIRST_OPAQUE are
 * made of terms and aligned raw pointers only and are scanned word for word; the others hold raw data and are skipped
 * whole by whoever scans a heap. Objects with a `next` link are off-heap objects: they own a reference to something
 * outside and stand in the off-heap list of the area they were built in.
 *
 * Objects are immutable once published, except: match contexts (offset), writable binaries, and what the collector
 * moves.
 */
#ifndef VIV_TERM_BOXED_H
#define VIV_TERM_BOXED_H

#include "term/term.h"

typedef enum {
    /* scanned: every word after the header is a term or an 8-byte aligned raw pointer */
    KIND_TUPLE,
    KIND_FLAT_MAP,
    KIND_HASH_MAP,
    KIND_MAP_NODE,
    KIND_FUN,        /* local fun: environment captured */
    KIND_EXPORT_FUN, /* fun M:F/A */
    KIND_SUB_BITS,
    KIND_MATCH_CONTEXT,
    KIND_BIN_REF, /* off-heap */
    /* opaque */
    KIND_POS_BIG,
    KIND_FIRST_OPAQUE = KIND_POS_BIG,
    KIND_NEG_BIG,
    KIND_FLOAT, /* the doubles that do not tag themselves */
    KIND_HEAP_BITS,
    KIND_REF,       /* local reference */
    KIND_MAGIC_REF, /* off-heap */
    KIND_EXTERNAL_PID,  /* off-heap */
    KIND_EXTERNAL_PORT, /* off-heap */
    KIND_EXTERNAL_REF,  /* off-heap */
    KIND_FUN_REF, /* off-heap; what local funs point to, never seen as a term */
    KIND_FILLER, /* dead words, skipped by heap walkers; never pointed to */
    KIND_COUNT
} Kind;

#define HEADER_ARITY_SHIFT 8
#define HEADER_ARITY_MAX ((1 << 24) - 1)
#define NODE_BITMAP_SHIFT 32 /* in the header of a map's node */
_Static_assert(HEADER_ARITY_MAX >> (NODE_BITMAP_SHIFT - HEADER_ARITY_SHIFT) == 0, "an arity is below the bitmap");
#define header_make(kind, arity) ((Term)(((Word)(arity) << HEADER_ARITY_SHIFT) | ((Word)(kind) << 3) | TAG_HEADER))
/* The lowest byte tells the kind: one compare of a byte in memory tests it. */
static inline bool header_is(Term h, Kind k) { return (uint8_t)h == (uint8_t)header_make(k, 0); }
static inline Kind header_kind(Term h) { return (Kind)((h >> 3) & 31); }
static inline size_t header_arity(Term h) { return (uint32_t)h >> HEADER_ARITY_SHIFT; }
static inline bool header_is_opaque(Term h) { return header_kind(h) >= KIND_FIRST_OPAQUE; }
static inline bool is_boxed_kind(Term t, Kind k) { return is_boxed(t) && header_is(boxed_header(t), k); }

/* Tuples: header (arity = number of elements), elements. The empty tuple is a boxed object too. The limit is stock's;
 * with it a header fits 32 bits. */
#define TUPLE_ARITY_MAX ((unsigned)HEADER_ARITY_MAX)
static inline bool is_tuple(Term t) { return is_boxed_kind(t, KIND_TUPLE); }
static inline size_t tuple_arity(Term t) { return header_arity(boxed_header(t)); }
static inline Term *tuple_elements(Term t) { return boxed_ptr(t) + 1; }
static inline bool is_tuple_arity(Term t, size_t n) {
    return is_boxed(t) && boxed_header(t) == header_make(KIND_TUPLE, n);
}
/* By the header of a boxed term: how many elements a tuple has behind the first n, of which it has TUPLE_ARITY_MAX + 1
 * at most. More than TUPLE_ARITY_MAX: it has not so many, or this is no tuple. */
static inline Word tuple_elements_behind(Term header, Word n) {
    Word difference = header - header_make(KIND_TUPLE, n);
    return __builtin_rotateright64(difference, HEADER_ARITY_SHIFT);
}
static inline bool is_tuple_of_at_least(Term t, size_t n) {
    return is_boxed(t) && tuple_elements_behind(boxed_header(t), n) <= TUPLE_ARITY_MAX;
}

/* Flat maps, up to MAP_FLAT_MAX keys: header (arity = 1 + size), keys (a tuple in term order), values. */
#define MAP_FLAT_MAX 32
typedef struct {
    Term header, keys, values[];
} FlatMap;
/* Large maps: header (arity 2), size as a small, root node. Nodes: see term/map.h. */
typedef struct {
    Term header, size, root;
} HashMap;
static inline bool is_map(Term t) { return is_boxed_kind(t, KIND_FLAT_MAP) || is_boxed_kind(t, KIND_HASH_MAP); }

/* Integers beyond a small: header (kind gives the sign, arity = limbs), limbs least significant first; the top limb is
 * not zero, and the value does not fit a small. */
static inline bool is_big(Term t) { return is_boxed_kind(t, KIND_POS_BIG) || is_boxed_kind(t, KIND_NEG_BIG); }
static inline bool is_integer(Term t) { return is_small(t) || is_big(t); }

/* Funs */
struct FunEntry; /* term/fun.h */
struct Export;   /* code/export.h */
typedef struct {
    Term header; /* arity = 3 + number of free variables */
    struct FunEntry *entry;
    Term ref;     /* boxed FunRef to the same entry, mostly a literal: term/fun.h */
    Term creator; /* pid */
    Term env[];
} Fun;
#define FUN_WORDS 4 /* and the free variables */
typedef struct {
    Term header; /* arity = 1 */
    struct Export *export;
} ExportFun;
static inline bool is_local_fun(Term t) { return is_boxed_kind(t, KIND_FUN); }
static inline bool is_export_fun(Term t) { return is_boxed_kind(t, KIND_EXPORT_FUN); }
static inline bool is_fun(Term t) { return is_local_fun(t) || is_export_fun(t); }
static inline Fun *fun_ptr(Term t) { return (Fun *)boxed_ptr(t); }
static inline size_t fun_free_count(Term t) { return header_arity(boxed_header(t)) + 1 - FUN_WORDS; }

/* Off-heap objects begin with these two words. */
typedef struct OffHeap {
    Term header;
    struct OffHeap *next;
} OffHeap;

typedef struct {
    Term header; /* arity = 2 */
    OffHeap *next;
    struct FunEntry *entry; /* one reference counted */
} FunRef;
#define FUN_REF_WORDS 3

/* Binaries and bitstrings. Sizes of the last three are counted in bits. */
struct RefcBinary; /* term/refc_binary.h */
typedef struct {
    Term header; /* arity = 1 + words of data */
    Word size;   /* bits */
    uint8_t bytes[]; /* unused bits of the last byte are zero; HEAP_BITS_MAX_BYTES unless the builder needs more */
} HeapBits;
#define HEAP_BITS_MAX_BYTES 64
typedef struct {
    Term header; /* arity = 4 */
    OffHeap *next;
    struct RefcBinary *binary; /* one reference counted */
    Term size;                 /* bytes, a small: the whole binary as seen by this term */
    Term flags;                /* a small: BIN_WRITABLE, ... */
} BinRef;
#define BIN_REF_WORDS 5
#define BIN_WRITABLE 1 /* bits_append may grow it in place: see term/bits.h; a copy for another owner has flags 0 */
typedef struct {
    Term header; /* arity = 3 */
    Term origin; /* boxed HeapBits or BinRef */
    Term offset; /* bits, a small */
    Term size;   /* bits, a small */
} SubBits;
#define SUB_BITS_WORDS 4
typedef struct {
    Term header; /* arity = 3 */
    Term origin; /* boxed HeapBits or BinRef */
    Term offset; /* bits from the origin's start to the next unmatched bit, a small */
    Term end;    /* bits from the origin's start to the end, a small */
} MatchContext;
#define MATCH_CONTEXT_WORDS 4
static inline bool is_bitstring(Term t) {
    if (!is_boxed(t))
        return false;
    Kind k = header_kind(boxed_header(t));
    return k == KIND_HEAP_BITS || k == KIND_BIN_REF || k == KIND_SUB_BITS;
}
static inline bool is_match_context(Term t) { return is_boxed_kind(t, KIND_MATCH_CONTEXT); }

/* References: `count` 32-bit numbers, 3 in ordinary ones, 5 in those that carry a pid (aliases). numbers[0] has 18
 * bits. */
#define REF_NUMBERS_MAX 5
typedef struct {
    Term header; /* arity = words of count and numbers: 2 or 3 */
    uint32_t count;
    uint32_t numbers[];
} Ref;
typedef struct {
    Term header; /* arity = 4 */
    OffHeap *next;
    uint32_t count; /* 3 */
    uint32_t numbers[3];
    struct RefcBinary *binary; /* one reference counted; its destructor runs when the last term is gone */
} MagicRef;
#define REF_WORDS 3
#define PID_REF_WORDS 4
#define MAGIC_REF_WORDS 5
static inline bool is_local_ref(Term t) { return is_boxed_kind(t, KIND_REF) || is_boxed_kind(t, KIND_MAGIC_REF); }
static inline bool is_magic_ref(Term t) { return is_boxed_kind(t, KIND_MAGIC_REF); }
/* The numbers of any local reference. */
static inline const uint32_t *ref_numbers(Term t, uint32_t *count) {
    if (is_boxed_kind(t, KIND_REF)) {
        Ref *r = (Ref *)boxed_ptr(t);
        *count = r->count;
        return r->numbers;
    }
    MagicRef *m = (MagicRef *)boxed_ptr(t);
    *count = m->count;
    return m->numbers;
}

/* Identifiers of other nodes, or of this node under another creation. */
struct Node; /* term/node.h */
typedef struct {
    Term header; /* arity = 3 for pid and port, 3 + words of numbers for ref */
    OffHeap *next;
    struct Node *node; /* one reference counted */
    union {
        Word data; /* pid: number | serial << 32; port: its 64-bit id */
        struct {
            uint32_t count;
            uint32_t numbers[REF_NUMBERS_MAX];
        } ref;
    };
} External;
static inline bool is_external_pid(Term t) { return is_boxed_kind(t, KIND_EXTERNAL_PID); }
static inline bool is_external_port(Term t) { return is_boxed_kind(t, KIND_EXTERNAL_PORT); }
static inline bool is_external_ref(Term t) { return is_boxed_kind(t, KIND_EXTERNAL_REF); }
static inline bool is_pid(Term t) { return is_local_pid(t) || is_external_pid(t); }
static inline bool is_port(Term t) { return is_local_port(t) || is_external_port(t); }
static inline bool is_ref(Term t) { return is_local_ref(t) || is_external_ref(t); }

#endif
