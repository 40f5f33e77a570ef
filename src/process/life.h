/*
 * The memory of a process: made before anybody can see it (process/spawn.h then makes it run), released by its own
 * thread when it ends (process/exit.h), freed through thread progress, when nobody can see it any more.
 */
#ifndef VIV_PROCESS_LIFE_H
#define VIV_PROCESS_LIFE_H

#include "process/process.h"

/* A process that is in no table and no queue: an empty heap whose stack holds the return address exit_normal, ip at
 * `apply`. process/spawn.h makes it run. */
Process *process_create(size_t min_heap_words, size_t min_virtual_words, uint16_t fullsweep_after);
/* What only it can see, its messages, its heap, a native call that goes on: by its own thread when it ends.
 * process_free does the rest. */
void process_release(Process *p);
/* Frees it and all it holds, at once: nobody can see it. */
void process_free(Process *p);

/* Bytes of what it takes, and how many signals have come that it did not look at yet. */
typedef struct {
    size_t structure, heap, old_heap, fragments, dictionary, messages, links, registers;
    size_t signals;
} ProcessParts;
/* By its own thread. */
ProcessParts process_parts(const Process *p);
/* Bytes that it takes: process_info(memory). By its own thread. */
size_t process_memory(const Process *p);

#endif
