#include "process/process_table.h"

#include <sys/mman.h>

#define PID_MASK (((uint64_t)1 << 28) - 1)
#define RESERVED ((Process *)8)

static _Atomic(Process *) *slots;
static size_t slot_mask;
static _Atomic uint64_t next_pid;
static _Atomic size_t live_count;
static _Atomic size_t slots_used; /* slots from here on were never taken */

void process_table_init(size_t limit) {
    size_t size = PROCESS_LIMIT_MIN;
    while (size < limit && size < PROCESS_LIMIT_MAX)
        size *= 2;
    /* Untouched pages cost nothing, so even the largest table may be reserved at once. */
    slots = mmap(NULL, size * sizeof *slots, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0);
    if (slots == MAP_FAILED)
        panic("no address space for a table of %zu processes", size);
    slot_mask = size - 1;
}

size_t process_table_limit(void) { return slot_mask + 1; }
size_t process_table_count(void) { return atomic_load_explicit(&live_count, memory_order_relaxed); }

static void raise_used(size_t count) {
    size_t used = atomic_load_explicit(&slots_used, memory_order_relaxed);
    while (used < count && !atomic_compare_exchange_weak(&slots_used, &used, count)) {
    }
}

Term process_table_reserve(void) {
    if (atomic_fetch_add(&live_count, 1) > slot_mask) {
        atomic_fetch_sub(&live_count, 1);
        return NON_VALUE;
    }
    /* There is a free slot now, and it cannot be taken by more than those who were counted. */
    for (;;) {
        uint64_t data = atomic_fetch_add_explicit(&next_pid, 1, memory_order_relaxed) & PID_MASK;
        _Atomic(Process *) *slot = &slots[data & slot_mask];
        Process *free_slot = NULL;
        if (atomic_load_explicit(slot, memory_order_relaxed) == NULL &&
            atomic_compare_exchange_strong(slot, &free_slot, RESERVED)) {
            raise_used((data & slot_mask) + 1);
            return pid_make(data);
        }
    }
}

void process_table_publish(Process *p) {
    atomic_store_explicit(&slots[pid_data(p->pid) & slot_mask], p, memory_order_release);
}

void process_table_remove(Process *p) {
    atomic_store(&slots[pid_data(p->pid) & slot_mask], NULL);
    atomic_fetch_sub(&live_count, 1);
}

void process_table_replace(Process *p) { atomic_store(&slots[pid_data(p->pid) & slot_mask], p); }

Process *process_find(Term pid) {
    assume(thread_progress_may_read());
    Process *p = atomic_load_explicit(&slots[pid_data(pid) & slot_mask], memory_order_acquire);
    return p > RESERVED && p->pid == pid ? p : NULL;
}

void process_table_each(void (*each)(Process *, void *), void *data) {
    size_t used = atomic_load(&slots_used);
    for (size_t i = 0; i < used; i++) {
        Process *p = atomic_load_explicit(&slots[i], memory_order_acquire);
        if (p > RESERVED)
            each(p, data);
    }
}
