/*
 * New references, and unique integers. Each thread takes numbers from a common counter in blocks, so making one costs
 * no shared write. Any thread; no lock.
 *
 * A local reference is a 64-bit number of its own: bits 0..17 in numbers[0], 18..49 in numbers[1], 50..63 in the low
 * bits of numbers[2]. Above them numbers[2] says which timer wheel keeps the timer of that reference (plus one), and in
 * its uppermost bit that the reference was made a magic one (term/node.h).
 * An alias has two numbers more: the pid it leads to. The number alone tells references apart.
 */
#ifndef VIV_PROCESS_REFERENCE_H
#define VIV_PROCESS_REFERENCE_H

#include "term/area.h"

void reference_init(void);
uint64_t reference_next(void);
/* For those that make magic references. */
void reference_new_magic_numbers(uint32_t numbers[3]);
/* Has it such numbers? It is a plain one when it comes from outside, and what it led to has gone. */
bool reference_was_magic(Term local_ref);
Term reference_new(Area *area); /* make_ref/0: REF_WORDS words */

uint64_t reference_key(Term local_ref);
/* May this node have given it since it began, and for no timer and no magic one? */
bool reference_was_given(Term local_ref);
Term reference_of_key(Area *area, uint64_t key);
Term reference_with_wheel(Area *area, uint64_t key, unsigned wheel);
/* -1 when it is no timer's. */
int reference_wheel(Term local_ref);
/* PID_REF_WORDS words. */
Term reference_alias(Area *area, uint64_t key, Term pid);
/* The pid that an alias leads to, NON_VALUE for other references. */
Term reference_alias_pid(Term local_ref);

/* erlang(3) unique_integer/1. Those of any sign begin at the least integer that is small on the stock runtime. */
#define UNIQUE_INTEGER_MIN (-((int64_t)1 << 59))
int64_t unique_integer_next(void); /* any sign */
uint64_t unique_integer_next_positive(void);
/* The strictly monotonic ones are one shared counter of 64 bits: the one after 2^64 of them is the first again. At most
 * INTEGER_INT64_WORDS. */
Term unique_integer_monotonic(Area *area, bool positive);
/* For tests: the counter, which is UINT64_MAX before the first. */
uint64_t unique_integer_last_monotonic(void);
void unique_integer_set_last_monotonic(uint64_t last);

#endif
