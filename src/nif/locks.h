/*
 * Mutexes, conditions and read-write locks of libraries.
 *
 * They are the system's own, without a rank: in which order a library takes its locks, and for how long it holds them,
 * is its affair; the order of sys/locks.tab is for the runtime's locks only. The runtime never takes one of these, and
 * holds none of its own while it calls a library, so the two kinds can not wait for each other.
 */
#ifndef VIV_NIF_LOCKS_H
#define VIV_NIF_LOCKS_H

/* The name that something has whose maker gave it none. */
static inline const char *nif_name(const char *name) { return name ? name : "unknown"; }

#endif
