/*
 * Texts lie in chunks that are never moved: chunk n of `the_chunks` holds the names of indices n*CHUNK ... An index
 * leaves the lock only after its name is written, and whoever passes a term on orders memory anyway, so readers need no
 * barrier. The hash table (open addressing, indices + 1) is read and written under the lock only.
 */
#include "term/atom.h"

#include "alloc/alloc.h"
#include "base/unicode.h"
#include "sys/thread.h"
#include "term/hash.h"

#include <string.h>

#define CHUNK_BITS 12
#define CHUNK (1u << CHUNK_BITS)

typedef struct {
    AtomName name;
    uint32_t hash;
} Entry;

static Entry **the_chunks;
static size_t the_limit, the_count, the_text_bytes;
static uint32_t *the_slots; /* index + 1; 0: free */
static size_t the_slot_mask;
static RwLock the_lock;

static Entry *entry_of(size_t index) { return &the_chunks[index >> CHUNK_BITS][index & (CHUNK - 1)]; }

const AtomName *atom_name(Term atom) { return &entry_of(atom_index(atom))->name; }

/* Where the name stands in the hash table, or the free slot where it belongs. */
static size_t find_slot(const uint8_t *utf8, size_t bytes, uint32_t hash) {
    for (size_t i = hash & the_slot_mask;; i = (i + 1) & the_slot_mask) {
        if (the_slots[i] == 0)
            return i;
        const Entry *e = entry_of(the_slots[i] - 1);
        if (e->hash == hash && e->name.byte_count == bytes && memcmp(e->name.bytes, utf8, bytes) == 0)
            return i;
    }
}

static void grow_slots(void) {
    size_t old_count = the_slot_mask + 1;
    uint32_t *old = the_slots;
    the_slots = mem_calloc(ALLOC_ATOM_TABLE, 2 * old_count * sizeof *the_slots);
    the_slot_mask = 2 * old_count - 1;
    for (size_t i = 0; i < the_count; i++) {
        const Entry *e = entry_of(i);
        the_slots[find_slot(e->name.bytes, e->name.byte_count, e->hash)] = (uint32_t)i + 1;
    }
    mem_free(ALLOC_ATOM_TABLE, old);
}

/* Big-endian first bytes, so that a difference here is the order of the texts (UTF-8 keeps the order of characters). */
static uint32_t order_value(const uint8_t *utf8, size_t bytes) {
    uint32_t v = 0;
    for (size_t i = 0; i < 4; i++)
        v = v << 8 | (i < bytes ? utf8[i] : 0);
    return v >> 1;
}

/* P. J. Weinberger's hash in 28 bits, over characters where they are Latin-1 and over the bytes of the others. */
static uint32_t text_hash(const uint8_t *p, size_t bytes) {
    const uint8_t *end = p + bytes;
    uint32_t h = 0;
    while (p < end) {
        uint32_t v = *p++;
        if (p < end && (v & 0xfe) == 0xc2 && (*p & 0xc0) == 0x80)
            v = (v << 6 | (*p++ & 0x3f)) & 0xff;
        h = (h << 4) + v;
        uint32_t high = h & 0xf0000000;
        h = (h ^ high >> 24) & ~high;
    }
    return h;
}

/* The lock is held for writing. */
static Term add(const uint8_t *utf8, size_t bytes, size_t characters, bool latin1, uint32_t hash, size_t slot) {
    size_t index = the_count;
    if (the_chunks[index >> CHUNK_BITS] == NULL)
        the_chunks[index >> CHUNK_BITS] = mem_calloc(ALLOC_ATOM_TABLE, CHUNK * sizeof(Entry));
    uint8_t *text = mem_alloc(ALLOC_ATOM_TEXT, bytes > 0 ? bytes : 1);
    memcpy(text, utf8, bytes);
    Entry *e = entry_of(index);
    e->name = (AtomName){.bytes = text,
                         .byte_count = (uint32_t)bytes,
                         .character_count = (uint32_t)characters,
                         .order_value = order_value(utf8, bytes),
                         .text_hash = text_hash(utf8, bytes),
                         .latin1 = latin1};
    e->hash = hash;
    the_text_bytes += bytes;
    the_slots[slot] = (uint32_t)index + 1;
    __atomic_store_n(&the_count, index + 1, __ATOMIC_RELEASE); /* atom_count() takes no lock */
    if ((index + 1) * 2 > the_slot_mask)
        grow_slots();
    return atom_make((uint32_t)index);
}

Term atom_find(const uint8_t *utf8, size_t bytes) {
    uint32_t hash = hash_bytes(utf8, bytes);
    rwlock_read(&the_lock);
    uint32_t found = the_slots[find_slot(utf8, bytes, hash)];
    rwlock_unlock(&the_lock);
    return found == 0 ? NON_VALUE : atom_make(found - 1);
}

Term atom_put(const uint8_t *utf8, size_t bytes, bool *full) {
    if (full != NULL)
        *full = false;
    Term atom = atom_find(utf8, bytes);
    if (is_value(atom))
        return atom;
    bool latin1;
    int64_t characters = utf8_count(utf8, bytes, &latin1);
    if (characters < 0 || characters > ATOM_MAX_CHARACTERS)
        return NON_VALUE;
    uint32_t hash = hash_bytes(utf8, bytes);
    rwlock_write(&the_lock);
    size_t slot = find_slot(utf8, bytes, hash);
    if (the_slots[slot] != 0)
        atom = atom_make(the_slots[slot] - 1);
    else if (the_count < the_limit)
        atom = add(utf8, bytes, (size_t)characters, latin1, hash, slot);
    else if (full != NULL)
        *full = true;
    rwlock_unlock(&the_lock);
    return atom;
}

Term atom_put_latin1(const uint8_t *latin1, size_t bytes, bool *full) {
    uint8_t utf8[2 * ATOM_MAX_CHARACTERS];
    size_t size = 0;
    if (full != NULL)
        *full = false;
    if (bytes > ATOM_MAX_CHARACTERS)
        return NON_VALUE;
    for (size_t i = 0; i < bytes; i++)
        size += utf8_encode(latin1[i], utf8 + size);
    return atom_put(utf8, size, full);
}

Term atom_from_cstring(const char *ascii) {
    Term atom = atom_put((const uint8_t *)ascii, strlen(ascii), NULL);
    require(is_value(atom));
    return atom;
}

void atom_table_init(size_t limit) {
    the_limit = limit < am_text_count ? am_text_count : limit;
    size_t chunks = (the_limit + CHUNK - 1) / CHUNK;
    rwlock_init(&the_lock, LOCK_ATOM_TABLE);
    the_chunks = mem_calloc(ALLOC_ATOM_TABLE, chunks * sizeof *the_chunks);
    the_slot_mask = 8191;
    the_slots = mem_calloc(ALLOC_ATOM_TABLE, (the_slot_mask + 1) * sizeof *the_slots);
    the_count = the_text_bytes = 0;
    for (uint32_t i = 0; i < am_text_count; i++) {
        Term atom = atom_put((const uint8_t *)am_text[i].bytes, am_text[i].byte_count, NULL);
        require(atom == atom_make(i));
    }
}

void atom_table_release(void) {
    for (size_t i = 0; i < the_count; i++)
        mem_free(ALLOC_ATOM_TEXT, (void *)(uintptr_t)entry_of(i)->name.bytes);
    for (size_t i = 0; i <= (the_count - 1) >> CHUNK_BITS; i++)
        mem_free(ALLOC_ATOM_TABLE, the_chunks[i]);
    mem_free(ALLOC_ATOM_TABLE, the_chunks);
    mem_free(ALLOC_ATOM_TABLE, the_slots);
    the_count = 0;
    rwlock_release(&the_lock);
}

size_t atom_count(void) { return __atomic_load_n(&the_count, __ATOMIC_ACQUIRE); }
size_t atom_limit(void) { return the_limit; }

void atom_memory(size_t *used, size_t *total) {
    rwlock_read(&the_lock);
    *used = the_text_bytes;
    *total = the_text_bytes + (the_slot_mask + 1) * sizeof *the_slots + (the_count + CHUNK) * sizeof(Entry);
    rwlock_unlock(&the_lock);
}

int atom_compare(Term a, Term b) {
    if (a == b)
        return 0;
    const AtomName *x = atom_name(a), *y = atom_name(b);
    if (x->order_value != y->order_value)
        return x->order_value < y->order_value ? -1 : 1;
    size_t shared = x->byte_count < y->byte_count ? x->byte_count : y->byte_count;
    int order = memcmp(x->bytes, y->bytes, shared);
    if (order != 0)
        return order < 0 ? -1 : 1;
    return x->byte_count < y->byte_count ? -1 : x->byte_count > y->byte_count;
}
