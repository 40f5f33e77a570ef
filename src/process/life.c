#include "process/life.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "process/clock.h"
#include "process/dictionary.h"
#include "process/message.h"
#include "process/native_frame.h"
#include "process/signal.h"
#include "process/system_monitor.h"
#include "term/atom.h"

static void put_bottom(Process *p) { *--p->heap.area.limit = return_address_make(process_entries.exit_normal); }

Process *process_create(size_t min_heap_words, size_t min_virtual_words, uint16_t fullsweep_after) {
    static _Atomic uint64_t next_unique;
    Process *p = mem_calloc(ALLOC_PROCESS, sizeof *p);
    size_t first = min_heap_words <= HEAP_DEFAULT_WORDS ? HEAP_FIRST_WORDS : min_heap_words;
    heap_init(&p->heap, first, min_virtual_words, fullsweep_after);
    p->heap.min_words = min_heap_words;
    put_bottom(p);
    p->ip = process_entries.apply;
    p->saved = p->saved_inline;
    p->saved_capacity = INLINE_SAVED_REGISTERS;
    fail_with(p, FAIL_NONE);
    for (int i = 0; i < TRAP_ARGUMENTS_MAX; i++)
        p->fail.trap_arguments[i] = NIL;
    p->messages_last = p->save = &p->messages;
    p->seq_trace_token = p->group_leader = NIL;
    p->exit_reason = p->exit_class = p->parent = NON_VALUE;
    p->error_handler = am_error_handler;
    p->start_time_native = (uint64_t)monotonic_time();
    p->unique = atomic_fetch_add_explicit(&next_unique, 1, memory_order_relaxed);
    atomic_init(&p->registered_name, NON_VALUE);
    atomic_init(&p->state, (uint32_t)PRIORITY_NORMAL << STATE_PRIORITY_SHIFT);
    return p;
}

#define UNITS_TO_FREE_MESSAGE 50 /* of long work */

void process_release(Process *p) {
    for (Message *m = p->messages, *next; m; m = next) {
        next = (Message *)m->signal.next;
        message_free(m);
        long_work_count(UNITS_TO_FREE_MESSAGE);
    }
    p->messages = NULL;
    p->message_words = 0;
    heap_release(&p->heap);
    native_frame_free(p);
}

void process_free(Process *p) {
    process_release(p);
    dictionary_erase_all(p);
    system_monitor_forget(p);
    mem_free(ALLOC_PROCESS_MISC, p->markers);
    mem_free(ALLOC_PROCESS_MISC, p->saved_calls);
    mem_free(ALLOC_PROCESS_MISC, p->node_monitors);
    if (p->saved != p->saved_inline)
        mem_free(ALLOC_PROCESS_MISC, p->saved);
    mem_free(ALLOC_PROCESS, p);
}

static void add_link_bytes(KeyNode *node, void *data) { *(size_t *)data += 32; }

static size_t messages_bytes(const Process *p) {
    size_t bytes = 0;
    for (const Message *m = p->messages; m; m = (const Message *)m->signal.next) {
        bytes += message_bytes(m);
        long_work_count(MESSAGE_UNITS_TO_LOOK);
    }
    return bytes;
}

static size_t links_bytes(const Process *p) {
    const KeyTable *tables[] = {&p->links, &p->monitors, &p->watchers};
    size_t bytes = 0;
    for (unsigned i = 0; i < array_length(tables); i++) {
        bytes += key_table_bytes(tables[i]);
        key_table_each(tables[i], add_link_bytes, &bytes);
    }
    return bytes;
}

/* Only its owner takes them off, so those that are there stay. */
static size_t signals_waiting(const Process *p) {
    size_t count = 0;
    const Signal *s = atomic_load_explicit(&p->signals_in, memory_order_acquire);
    for (; s && s != SIGNALS_CLOSED; s = s->next, count++)
        long_work_count(1);
    return count;
}

ProcessParts process_parts(const Process *p) {
    const Heap *h = &p->heap;
    return (ProcessParts){
        .structure = sizeof *p,
        .heap = heap_size_words(h) * sizeof(Term),
        .old_heap = (size_t)(h->old_end - h->old_start) * sizeof(Term),
        .fragments = h->fragment_words * sizeof(Term),
        .dictionary = dictionary_bytes(p),
        .messages = messages_bytes(p),
        .links = links_bytes(p),
        .registers = p->saved != p->saved_inline ? p->saved_capacity * sizeof(Term) : 0,
        .signals = signals_waiting(p),
    };
}

size_t process_memory(const Process *p) {
    ProcessParts parts = process_parts(p);
    return parts.structure + parts.heap + parts.old_heap + parts.fragments + parts.dictionary + parts.messages +
           parts.links + parts.registers;
}
