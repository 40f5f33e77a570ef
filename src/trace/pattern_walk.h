/*
 * Which functions a change of patterns covers: they are looked up by name, or all functions and entries are gone
 * through. By the holder of the code modification permission.
 */
#ifndef VIV_TRACE_PATTERN_WALK_H
#define VIV_TRACE_PATTERN_WALK_H

#include "trace/pattern.h"

/* Stages the change for all that it covers, and gives how many they are. Counts as long work. */
size_t pattern_walk(const PatternChange *change);

/* A function in C, of which a module only has a declaration: all that is wanted of it is wanted of its entry. One that
 * its module does not export has a body that calls it. */
bool pattern_is_of_entry(const Export *e);

#endif
