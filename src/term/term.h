/*
 * Tagged words. A Term is 64 bits; its low three bits say what it is:
 *
 *   000          small integer, 61 bits, value << 3
 *   001 100 101  float whose high three exponent bits are 000, 011 or 100: the double's bits rotated left by 4, plus 1
 *   010          list cell pointer          (address + 2)
 *   011          boxed pointer              (address + 3), the first word there is a header
 *   110          header word (on a heap only), or return address (on a stack only)
 *   111          other immediates: atom, nil, local pid, local port, catch; three more bits select among them
 *
 * Invariants that others rely on:
 *   - an address that is a multiple of 8 looks like a small integer, so raw aligned pointers may stand in scanned
 *     objects;
 *   - a header never stands where a term may stand, so a boxed pointer found in a header's place is a forwarding
 *     pointer left by the collector;
 *   - NON_VALUE is not a term: it is returned where a function failed or trapped, and marks absent values.
 *
 * Atoms are odd: there are native libraries that take an even word for no atom (the lists of algorithms in OTP 25's
 * crypto.so end so).
 *
 * Nothing outside term/ may know how floats are encoded: use is_float, float_value and float_make (term/float.h).
 * (Self-tagged floats: Melancon, Serrano, Feeley, "Float Self-Tagging", OOPSLA 2025.)
 */
#ifndef VIV_TERM_TERM_H
#define VIV_TERM_TERM_H

#include "base/defs.h"

typedef Word Term;

enum {
    TAG_SMALL = 0,
    TAG_LIST = 2,
    TAG_BOXED = 3,
    TAG_HEADER = 6,
    TAG_IMMEDIATE = 7,
    TAG_MASK = 7,
};

/* Second-level tags of the immediates, low six bits. */
enum {
    IMM_ATOM = 0x07,
    IMM_SPECIAL = 0x0f, /* nil and the values that are no terms */
    IMM_PID = 0x17,
    IMM_PORT = 0x1f,
    IMM_CATCH = 0x27,
    IMM_MASK = 0x3f,
    IMM_SHIFT = 6,
};

#define NIL ((Term)IMM_SPECIAL)
#define NON_VALUE ((Term)((1 << IMM_SHIFT) | IMM_SPECIAL))

static inline unsigned term_tag(Term t) { return t & TAG_MASK; }
static inline bool is_value(Term t) { return t != NON_VALUE; }

/* Small integers */
#define SMALL_BITS 61
#define SMALL_MAX (((SWord)1 << (SMALL_BITS - 1)) - 1)
#define SMALL_MIN (-SMALL_MAX - 1)
static inline bool is_small(Term t) { return (t & TAG_MASK) == TAG_SMALL; }
static inline bool are_small(Term a, Term b) { return ((a | b) & TAG_MASK) == TAG_SMALL; }
static inline SWord small_value(Term t) { return (SWord)t >> 3; }
static inline Term small_make(SWord v) { return (Term)((Word)v << 3); }
static inline bool small_fits(SWord v) { return v >= SMALL_MIN && v <= SMALL_MAX; }

/* Immediates */
static inline bool is_atom(Term t) { return (t & IMM_MASK) == IMM_ATOM; }
static inline uint32_t atom_index(Term t) { return (uint32_t)(t >> IMM_SHIFT); }
static inline Term atom_make(uint32_t index) { return ((Term)index << IMM_SHIFT) | IMM_ATOM; }
static inline bool is_nil(Term t) { return t == NIL; }

/* A local pid or port carries 58 bits. A pid shows as <0.number.serial>: 15 bits of number (low), the rest serial. */
#define PID_NUMBER_BITS 15
#define PID_NUMBER_MASK (((Word)1 << PID_NUMBER_BITS) - 1)
static inline bool is_local_pid(Term t) { return (t & IMM_MASK) == IMM_PID; }
static inline Term pid_make(Word data) { return (data << IMM_SHIFT) | IMM_PID; }
static inline Word pid_data(Term t) { return t >> IMM_SHIFT; }
static inline bool is_local_port(Term t) { return (t & IMM_MASK) == IMM_PORT; }
static inline Term port_make(Word data) { return (data << IMM_SHIFT) | IMM_PORT; }
static inline Word port_data(Term t) { return t >> IMM_SHIFT; }

/* A catch holds the address of its handler's instruction (an 8-byte aligned, 48-bit address). On stacks only. */
static inline bool is_catch(Term t) { return (t & IMM_MASK) == IMM_CATCH; }
static inline Term catch_make(const Word *handler) { return ((Word)(uintptr_t)handler << IMM_SHIFT) | IMM_CATCH; }
static inline const Word *catch_handler(Term t) { return (const Word *)(uintptr_t)(t >> IMM_SHIFT); }

/* Return addresses on a stack: instruction address + 6. All instructions are below 4 GB, and the upper half belongs to
 * native code (jit/emit.h): two of the same instruction may differ there. */
static inline bool is_return_address(Term t) { return (t & TAG_MASK) == TAG_HEADER; }
static inline Term return_address_make(const Word *ip) { return (Word)(uintptr_t)ip | TAG_HEADER; }
#ifdef VIV_SANITIZE /* they are anywhere, and there is no native code */
static inline const Word *return_address_ip(Term t) { return (const Word *)(uintptr_t)(t - TAG_HEADER); }
#else
static inline const Word *return_address_ip(Term t) { return (const Word *)(uintptr_t)((uint32_t)t - TAG_HEADER); }
#endif

/* Lists */
static inline bool is_list(Term t) { return (t & TAG_MASK) == TAG_LIST; } /* a cell: nil is not one */
static inline Term *list_ptr(Term t) { return (Term *)(uintptr_t)(t - TAG_LIST); }
static inline Term list_make(const Term *cell) { return (Term)(uintptr_t)cell | TAG_LIST; }
static inline Term list_head(Term t) { return list_ptr(t)[0]; }
static inline Term list_tail(Term t) { return list_ptr(t)[1]; }

/* Boxed */
static inline bool is_boxed(Term t) { return (t & TAG_MASK) == TAG_BOXED; }
static inline Term *boxed_ptr(Term t) { return (Term *)(uintptr_t)(t - TAG_BOXED); }
static inline Term boxed_make(const void *object) { return (Term)(uintptr_t)object | TAG_BOXED; }
static inline Term boxed_header(Term t) { return boxed_ptr(t)[0]; }

static inline bool is_header(Word w) { return (w & TAG_MASK) == TAG_HEADER; }
static inline bool is_pointer(Term t) { return (t & 6) == 2; } /* list or boxed */
/* A float may be immediate, so "immediate" is: not a pointer. */
static inline bool is_immediate(Term t) { return !is_pointer(t); }

#endif
