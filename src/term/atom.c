/*
 * Texts lie in chunks that are never moved: chunk n of `atom_names` holds the names of indices n*ATOM_CHUNK ... An
 * index leaves the lock only after its name is written, and whoever passes a term on orders memory anyway, so readers
 * need no barrier. The hash table is read and written under the lock only; it grows by a bucket for each atom, so that
 * nobody waits long for who adds one.
 */
#include "term/atom.h"

#include "alloc/alloc.h"
#include "base/linear_hash.h"
#include "base/unicode.h"
#include "sys/thread.h"
#include "term/hash.h"
#include "term/recent_atoms.h"

#include <endian.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_BUCKETS 8192

/* What the hash table has for each name; in chunks of its own. */
typedef struct {
    uint32_t hash;
    _Atomic uint32_t next; /* index plus one of another in its bucket, or 0 */
} Link;

AtomName **atom_names;
static Link **the_links;
static size_t the_limit, the_count, the_text_bytes;
static _Atomic uint32_t *the_buckets; /* with address space for all; each the first in it, as Link.next */
static _Atomic uint32_t the_bucket_count;
static RwLock the_lock;

static Link *link_of(size_t index) { return &the_links[index / ATOM_CHUNK][index % ATOM_CHUNK]; }
static const AtomName *name_of(size_t index) { return &atom_names[index / ATOM_CHUNK][index % ATOM_CHUNK]; }

static uint32_t buckets_now(void) { return atomic_load_explicit(&the_bucket_count, memory_order_relaxed); }
static _Atomic uint32_t *bucket_of(uint32_t hash) { return &the_buckets[linear_index(hash, buckets_now())]; }
/* Who finds an index finds the entry, and what it leads to, written. */
static uint32_t link_read(const _Atomic uint32_t *link) { return atomic_load_explicit(link, memory_order_acquire); }
static void link_write(_Atomic uint32_t *link, uint32_t to) { atomic_store_explicit(link, to, memory_order_release); }

/* Index plus one, or 0. Without the lock it may miss one that moves to another bucket meanwhile, and go on in that
 * bucket; but it comes to an end, for links make no circle at any moment, and what it finds is right, for all of an
 * entry but its link stays. */
static uint32_t find(const uint8_t *utf8, size_t bytes, uint32_t hash) {
    for (uint32_t at = link_read(bucket_of(hash)); at != 0; at = link_read(&link_of(at - 1)->next)) {
        if (link_of(at - 1)->hash != hash)
            continue;
        const AtomName *name = name_of(at - 1);
        if (name->byte_count == bytes && memcmp(name->bytes, utf8, bytes) == 0)
            return at;
    }
    return 0;
}

static void push(_Atomic uint32_t *bucket, uint32_t index) {
    link_write(&link_of(index)->next, link_read(bucket));
    link_write(bucket, index + 1);
}

static void add_bucket(void) {
    uint32_t new = buckets_now(), at;
    _Atomic uint32_t *from = &the_buckets[linear_buddy(new)];
    atomic_store_explicit(&the_bucket_count, new + 1, memory_order_relaxed);
    while ((at = link_read(from)) != 0) {
        Link *link = link_of(at - 1);
        if (linear_index(link->hash, new + 1) != new) {
            from = &link->next;
            continue;
        }
        link_write(from, link_read(&link->next));
        push(&the_buckets[new], at - 1);
    }
}

static size_t bucket_bytes(void) {
    return (the_limit < FIRST_BUCKETS ? FIRST_BUCKETS : the_limit) * sizeof *the_buckets;
}

static void make_buckets(void) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    the_buckets = mmap(NULL, bucket_bytes(), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (the_buckets == MAP_FAILED)
        panic("no address space for atoms");
    atomic_init(&the_bucket_count, FIRST_BUCKETS);
}

/* Big-endian first bytes, so that a difference here is the order of the texts (UTF-8 keeps the order of characters). */
static uint64_t order_value(const uint8_t *utf8, size_t bytes) {
    uint64_t v = 0;
    memcpy(&v, utf8, bytes < sizeof v ? bytes : sizeof v);
    return htobe64(v);
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

/* Whole chunks, zeroed. */
static void make_chunk(size_t chunk) {
    atom_names[chunk] = mem_calloc(ALLOC_ATOM_TABLE, ATOM_CHUNK * sizeof **atom_names);
    the_links[chunk] = mem_calloc(ALLOC_ATOM_TABLE, ATOM_CHUNK * sizeof **the_links);
}

/* The lock is held for writing. */
static Term add(const uint8_t *utf8, size_t bytes, size_t characters, bool latin1, uint32_t hash) {
    size_t index = the_count;
    if (atom_names[index / ATOM_CHUNK] == NULL)
        make_chunk(index / ATOM_CHUNK);
    uint8_t *text = mem_alloc(ALLOC_ATOM_TEXT, bytes > 0 ? bytes : 1);
    memcpy(text, utf8, bytes);
    atom_names[index / ATOM_CHUNK][index % ATOM_CHUNK] = (AtomName){.bytes = text,
                                                                    .order_value = order_value(utf8, bytes),
                                                                    .text_hash = text_hash(utf8, bytes),
                                                                    .byte_count = (uint16_t)bytes,
                                                                    .character_count = (uint16_t)characters,
                                                                    .latin1 = latin1};
    link_of(index)->hash = hash;
    the_text_bytes += bytes;
    if (index >= buckets_now())
        add_bucket();
    push(bucket_of(hash), (uint32_t)index);
    __atomic_store_n(&the_count, index + 1, __ATOMIC_RELEASE); /* atom_count() takes no lock */
    return atom_make((uint32_t)index);
}

/* Most are there, and found without the lock. */
static uint32_t look_up(const uint8_t *utf8, size_t bytes) {
    uint32_t hash = hash_bytes(utf8, bytes), found = find(utf8, bytes, hash);
    if (found == 0) {
        rwlock_read(&the_lock);
        found = find(utf8, bytes, hash);
        rwlock_unlock(&the_lock);
    }
    return found;
}

static uint32_t look_up_short(const uint8_t *utf8, size_t bytes) {
    ShortText text = short_text(utf8, bytes);
    RecentAtom *recent = recent_place(&text);
    if (likely(is_text_of(recent, &text)))
        return recent->found;
    uint32_t found = look_up(utf8, bytes);
    if (found != 0)
        *recent = (RecentAtom){text, found};
    return found;
}

Term atom_find(const uint8_t *utf8, size_t bytes) {
    bool is_short = bytes - 1 < RECENT_TEXT_MAX;
    uint32_t found = likely(is_short) ? look_up_short(utf8, bytes) : look_up(utf8, bytes);
    return found == 0 ? NON_VALUE : atom_make(found - 1);
}

static size_t latin1_to_utf8(const uint8_t *latin1, size_t bytes, uint8_t *utf8) {
    size_t size = 0;
    for (size_t i = 0; i < bytes; i++)
        size += utf8_encode(latin1[i], utf8 + size);
    return size;
}

Term atom_find_latin1(const uint8_t *latin1, size_t bytes) {
    uint8_t utf8[2 * ATOM_MAX_CHARACTERS];
    if (bytes > ATOM_MAX_CHARACTERS)
        return NON_VALUE;
    if (likely(utf8_is_ascii(latin1, bytes)))
        return atom_find(latin1, bytes);
    return atom_find(utf8, latin1_to_utf8(latin1, bytes, utf8));
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
    uint32_t found = find(utf8, bytes, hash);
    if (found != 0)
        atom = atom_make(found - 1);
    else if (the_count < the_limit)
        atom = add(utf8, bytes, (size_t)characters, latin1, hash);
    else if (full != NULL)
        *full = true;
    rwlock_unlock(&the_lock);
    return atom;
}

Term atom_put_latin1(const uint8_t *latin1, size_t bytes, bool *full) {
    uint8_t utf8[2 * ATOM_MAX_CHARACTERS];
    if (full != NULL)
        *full = false;
    if (bytes > ATOM_MAX_CHARACTERS)
        return NON_VALUE;
    if (likely(utf8_is_ascii(latin1, bytes)))
        return atom_put(latin1, bytes, full);
    return atom_put(utf8, latin1_to_utf8(latin1, bytes, utf8), full);
}

Term atom_from_cstring(const char *ascii) {
    Term atom = atom_put((const uint8_t *)ascii, strlen(ascii), NULL);
    require(is_value(atom));
    return atom;
}

void atom_table_init(size_t limit) {
    the_limit = limit < am_text_count ? am_text_count : limit;
    size_t chunks = (the_limit + ATOM_CHUNK - 1) / ATOM_CHUNK;
    rwlock_init(&the_lock, LOCK_ATOM_TABLE);
    atom_names = mem_calloc(ALLOC_ATOM_TABLE, chunks * sizeof *atom_names);
    the_links = mem_calloc(ALLOC_ATOM_TABLE, chunks * sizeof *the_links);
    make_buckets();
    the_count = the_text_bytes = 0;
    for (uint32_t i = 0; i < am_text_count; i++) {
        Term atom = atom_put((const uint8_t *)am_text[i].bytes, am_text[i].byte_count, NULL);
        require(atom == atom_make(i));
    }
}

void atom_table_release(void) {
    for (size_t i = 0; i < the_count; i++)
        mem_free(ALLOC_ATOM_TEXT, (void *)(uintptr_t)name_of(i)->bytes);
    for (size_t i = 0; i <= (the_count - 1) / ATOM_CHUNK; i++) {
        mem_free(ALLOC_ATOM_TABLE, atom_names[i]);
        mem_free(ALLOC_ATOM_TABLE, the_links[i]);
    }
    mem_free(ALLOC_ATOM_TABLE, atom_names);
    mem_free(ALLOC_ATOM_TABLE, the_links);
    munmap(the_buckets, bucket_bytes());
    the_count = 0;
    recent_atoms_clear();
    rwlock_release(&the_lock);
}

size_t atom_count(void) { return __atomic_load_n(&the_count, __ATOMIC_ACQUIRE); }
size_t atom_limit(void) { return the_limit; }

void atom_memory(size_t *used, size_t *total) {
    rwlock_read(&the_lock);
    *used = the_text_bytes;
    *total = the_text_bytes + the_bucket_count * sizeof *the_buckets +
             (the_count + ATOM_CHUNK) * (sizeof(AtomName) + sizeof(Link));
    rwlock_unlock(&the_lock);
}

int atom_compare_texts(const AtomName *a, const AtomName *b) {
    size_t shared = a->byte_count < b->byte_count ? a->byte_count : b->byte_count;
    int order = memcmp(a->bytes, b->bytes, shared);
    if (order != 0)
        return order < 0 ? -1 : 1;
    return a->byte_count < b->byte_count ? -1 : a->byte_count > b->byte_count;
}
