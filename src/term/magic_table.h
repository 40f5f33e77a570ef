/*
 * Magic references that have left as bytes. While its object lives, a reference that is read back (binary_to_term,
 * list_to_ref) is the magic one again.
 *
 * Whoever writes a magic reference remembers its object here, without counting it; the object is forgotten when its
 * last count is gone, before its destructor runs. All under LOCK_MAGIC_TABLE, from any thread: who recalls an object
 * takes a count of it only if there still is one, so of an object on its way out nothing is found.
 */
#ifndef VIV_TERM_MAGIC_TABLE_H
#define VIV_TERM_MAGIC_TABLE_H

#include "term/refc_binary.h"

/* The caller has a count, and the reference its numbers. */
void magic_remember(RefcBinary *binary);
/* With a count for the caller; NULL when there is none. */
RefcBinary *magic_recall(const uint32_t numbers[3]);
/* By refc_binary_last_released. */
void magic_forget(RefcBinary *binary);

#endif
