/*
 * Faults that a test asks for: in debug builds every n-th of what may fail fails, as if the system had no more. The
 * environment says n, none when it says nothing:
 *   VIV_FAIL_THREAD   threads that cannot be started
 *   VIV_FAIL_ALLOC    memory that whoever asks can do without (mem_try_alloc; all other memory is there, or the program
 *                     ends and says so)
 *   VIV_FAIL_MMAP     pages that are not given, or not taken back
 *   VIV_FAIL_POLL     descriptors that are not watched
 * What fails from the first one on (1) shows what the start needs. Nothing may be lost, hang or crash of a fault: the
 * caller is told, as stock tells it, or does without. Elsewhere this is nothing.
 */
#ifndef VIV_BASE_FAULT_H
#define VIV_BASE_FAULT_H

#include "base/defs.h"

typedef enum { FAULT_THREAD, FAULT_ALLOC, FAULT_MMAP, FAULT_POLL, FAULT_COUNT } Fault;

/* Is this one to fail? From any thread, no locks. */
#ifdef VIV_DEBUG
bool fault_now(Fault kind);
#else
static inline bool fault_now(Fault kind) { return false; }
#endif

#endif
