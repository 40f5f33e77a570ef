/*
 * The process table: from a pid to its process, without a lock.
 *
 * A power of two of slots, each NULL, RESERVED or a process. A pid's number counts up, its low bits are the slot; so a
 * pid comes back only after the whole number space was used (28 bits, as in the stock runtime). A slot is taken by
 * compare and swap by whoever creates a process, and cleared by the process itself when it has ended; its memory goes
 * through thread progress. Readers load a slot with acquire.
 */
#ifndef VIV_PROCESS_PROCESS_TABLE_H
#define VIV_PROCESS_PROCESS_TABLE_H

#include "process/process.h"

#define PROCESS_LIMIT_MIN 1024
#define PROCESS_LIMIT_DEFAULT 262144
#define PROCESS_LIMIT_MAX 134217727

/* `limit` is rounded up to a power of two. */
void process_table_init(size_t limit);
size_t process_table_limit(void);
size_t process_table_count(void);

/* A free slot's pid; NON_VALUE when the table is full. The process appears with process_table_publish. */
Term process_table_reserve(void);
void process_table_publish(Process *p);
void process_table_remove(Process *p);
/* In place of the one that has its pid now. */
void process_table_replace(Process *p);

/* Every process that is in the table throughout; those that come and go meanwhile may be missed. Exiting ones that have
 * not left yet are given too. */
void process_table_each(void (*each)(Process *p, void *data), void *data);

#endif
