/*
 * The process table: from a pid to its process, without a lock.
 *
 * The numbers of pids are given, and their slots found, as process/slots.h tells.
 *
 * Beside each slot stands what its process may refer to at most, a *bound* (process/bounds.h): anything, when it is
 * made. They lie by themselves, so that a walk over those of many processes reads nothing else.
 */
#ifndef VIV_PROCESS_PROCESS_TABLE_H
#define VIV_PROCESS_PROCESS_TABLE_H

#include "base/birth.h"
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

/* By its owner, and by who has set QUEUED, before it is added to a queue. */
void process_table_set_bound(const Process *p, Birth bound);
/* So many slots have been taken at some time, the first ones. */
size_t process_table_used(void);
/* NULL: the slot is free. As process_find. */
Process *process_table_at(size_t slot);
/* The number that the next process gets, if nobody else takes it; and for tests: the free numbers become those from
 * `first` on, in this order, each with a slot of its own that is free. Who takes one meanwhile waits. */
uint64_t process_table_next(void);
void process_table_number_from(uint64_t first);

/* Every process that is in the table throughout, from its end to its beginning, so that a list made of them has them in
 * the order of their numbers; those that come and go meanwhile may be missed. Exiting ones that have
 * not left yet are given too. Long work, and thread progress may pass between two of them: the caller holds no lock and
 * nothing that it keeps good. */
void process_table_each(void (*each)(Process *p, void *data), void *data);

/* Sets these bits of p's state, STATE_EXITING among them. By who owns p, or has its gate. */
void process_table_end(Process *p, uint32_t bits);
/* The pids of all that count and are not exiting, or were not at one moment (process/census.h). */
void process_table_count_all(bool (*counts)(const Process *p), void (*each)(Term pid, void *data), void *data);

#endif
