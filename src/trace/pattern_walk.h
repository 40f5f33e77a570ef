/*
 * Making a change of patterns: which functions it covers. They are looked up by name, or all functions and entries are
 * gone through. By the holder of the code modification permission.
 */
#ifndef VIV_TRACE_PATTERN_WALK_H
#define VIV_TRACE_PATTERN_WALK_H

#include "trace/pattern.h"

/* Makes a change, by the BIF that has the permission. The session is not over. *matched: how many functions it covers.
 * True: it is over after thread progress; then the permission, which was passed on, is given back, and request `id` of
 * `asker` is answered with that number. False: there was nothing to do. Counts as long work. */
bool pattern_change(const PatternChange *change, Term asker, uint64_t id, size_t *matched);

/* A function in C, of which a module only has a declaration: all that is wanted of it is wanted of its entry. One that
 * its module does not export has a body that calls it. */
bool pattern_is_of_entry(const Export *e);

#endif
