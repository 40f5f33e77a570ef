#include "process/process_table.h"

#include <sys/mman.h>

#include "base/race_window.h"
#include "process/bounds.h"
#include "process/census.h"
#include "process/slots.h"

static Slots table;
static Censuses censuses;
static _Atomic Birth *bounds; /* process/bounds.h */

static void *address_space(size_t bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        panic("no address space for the bounds of processes: %zu bytes", bytes);
    return start;
}

static void count_bounds(size_t first, size_t count) {
    mem_count_mapped(ALLOC_PROCESS_TABLE, &bounds[first], count * sizeof *bounds);
}

void process_table_init(size_t limit) {
    size_t size = PROCESS_LIMIT_MIN;
    while (size < limit && size < PROCESS_LIMIT_MAX)
        size *= 2;
    slots_init(&table, size, ALLOC_PROCESS_TABLE, count_bounds);
    censuses_init(&censuses, &table);
    bounds = address_space(size * sizeof *bounds);
    bounds_init(bounds, address_space(size / BOUNDS_BLOCK * sizeof *bounds));
}

size_t process_table_limit(void) { return slots_limit(&table); }
size_t process_table_count(void) { return slots_count(&table); }

Term process_table_reserve(void) {
    uint64_t number = slots_reserve(&table);
    return number == NUMBER_NONE ? NON_VALUE : pid_make(number);
}

uint64_t process_table_next(void) { return slots_next(&table); }
void process_table_number_from(uint64_t first) { slots_number_from(&table, first); }

static size_t slot_of(const Process *p) { return pid_data(p->pid) & table.mask; }

void process_table_set_bound(const Process *p, Birth bound) { bounds_set(slot_of(p), bound); }

size_t process_table_used(void) { return slots_used(&table); }

Process *process_table_at(size_t slot) { return slots_at(&table, slot); }

void process_table_publish(Process *p) {
    process_table_set_bound(p, BIRTH_NEVER);
    census_note_birth(&censuses, p);
    race_window("a process has its birth, and is not yet found by anybody");
    slots_publish(&table, pid_data(p->pid), p);
}

void process_table_remove(Process *p) {
    slots_hide(&table, pid_data(p->pid));
    process_table_set_bound(p, 0); /* before the slot may be another's */
    slots_give_back(&table, pid_data(p->pid));
}

void process_table_replace(Process *p) { slots_publish(&table, pid_data(p->pid), p); }

Process *process_find(Term pid) {
    Process *p = slots_at(&table, pid_data(pid));
    return p != NULL && p->pid == pid ? p : NULL;
}

void process_table_each(void (*each)(Process *, void *), void *data) { slots_each(&table, each, data); }

static bool is_there(const Process *p) { return !process_is_exiting(p); }
static void set_bits(Process *p, uint32_t bits) { atomic_fetch_or(&p->state, bits); }

void process_table_end(Process *p, uint32_t bits) {
    census_note_end(&censuses, p, pid_data(p->pid), is_there, set_bits, bits);
}

void process_set_exiting(Process *p, Term reason) {
    if (process_is_exiting(p))
        return;
    p->exit_reason = reason;
    process_table_end(p, STATE_EXITING | STATE_ACTIVE);
}

void process_table_count_all(bool (*counts)(const Process *), void (*each)(Term, void *), void *data) {
    census_take(&censuses, counts, each, data);
}
