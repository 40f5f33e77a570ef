#include "code/entry_table.h"

static EntrySlots *slots_create(AllocType type, size_t count) {
    EntrySlots *s = mem_calloc(type, sizeof *s + count * sizeof s->slot[0]);
    s->type = type;
    s->mask = count - 1;
    return s;
}

void entry_table_init(EntryTable *t, AllocType type, size_t slots) {
    if (atomic_load_explicit(&t->slots, memory_order_relaxed) == NULL)
        atomic_store_explicit(&t->slots, slots_create(type, slots), memory_order_release);
}

static void insert(EntrySlots *s, size_t hash, void *entry) {
    size_t i = hash;
    while (atomic_load_explicit(&s->slot[i & s->mask], memory_order_relaxed) != NULL)
        i++;
    atomic_store_explicit(&s->slot[i & s->mask], entry, memory_order_release);
}

static void free_slots(ProgressNode *node) { mem_free(container_of(node, EntrySlots, progress)->type, node); }

static EntrySlots *grow(EntryTable *t, EntrySlots *old) {
    EntrySlots *s = slots_create(old->type, 2 * (old->mask + 1));
    for (size_t i = 0; i <= old->mask; i++) {
        void *entry = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
        if (entry != NULL)
            insert(s, t->hash(entry), entry);
    }
    atomic_store_explicit(&t->slots, s, memory_order_release);
    old->progress.run = free_slots;
    thread_progress_later(&old->progress);
    return s;
}

/* Half of the slots at most are taken. */
void entry_table_add(EntryTable *t, void *entry) {
    EntrySlots *s = atomic_load_explicit(&t->slots, memory_order_relaxed);
    if (2 * ++t->count > s->mask)
        s = grow(t, s);
    insert(s, t->hash(entry), entry);
}

size_t entry_table_each(const EntryTable *t, void (*each)(void *entry, void *data), void *data) {
    const EntrySlots *s = atomic_load_explicit(&t->slots, memory_order_acquire);
    for (size_t i = 0; i <= s->mask; i++) {
        void *entry = atomic_load_explicit(&s->slot[i], memory_order_acquire);
        if (entry != NULL)
            each(entry, data);
    }
    return s->mask + 1;
}
