/*
 * The process table: from a pid to its process, without a lock.
 *
 * A power of two of slots, each NULL or a process. The low bits of a pid's number are its slot. Numbers are given in
 * this order, as in the stock runtime: first one for each slot, counting up; then those of the slots that have become
 * free, as they did, each higher by the size of the table (28 bits, then from the beginning). So a pid comes back only
 * after its slot was used for all numbers, and the next one is found at once, however full the table is: free numbers
 * stand in a ring. A slot is written by whoever creates its process, and cleared by that itself when it has ended; its
 * memory goes through thread progress. Readers load a slot with acquire.
 *
 * The ring has a place for each slot. Who takes or gives a number gets a turn, which is a place; there he may have to
 * wait for another thread that is on its way there, and has an earlier turn: to give to a place where the one who is to
 * take from it comes late, or the other way round. Who has been counted as alive is owed a number, for a process is
 * counted until it has given its own; so whom one waits for is there, and the first in the order of turns waits for
 * nobody.
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

#endif
