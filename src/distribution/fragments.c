#include "distribution/fragments.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/mix.h"

#define BUCKETS_MIN 16
#define BELIEVED_TIMES 32 /* so many times what has come there is room for, if it is promised */

void fragments_init(Fragments *f, size_t open_max, size_t bytes_max) {
    *f = (Fragments){.open_max = open_max, .bytes_max = bytes_max};
}

void assembly_free(Assembly *a) {
    if (a->bytes != NULL)
        refc_binary_release(a->bytes);
    mem_free(ALLOC_DISTRIBUTION, a);
}

void fragments_release(Fragments *f) {
    for (size_t i = 0; i < f->bucket_count; i++)
        for (Assembly *a = f->buckets[i], *next; a != NULL; a = next) {
            next = a->hash_next;
            assembly_free(a);
        }
    mem_free(ALLOC_DISTRIBUTION, f->buckets);
    fragments_init(f, f->open_max, f->bytes_max);
}

static Assembly **bucket(const Fragments *f, uint64_t sequence) {
    return &f->buckets[mix_word(sequence) & (f->bucket_count - 1)];
}

/* The place that refers to it, or NULL. */
static Assembly **find(const Fragments *f, uint64_t sequence) {
    if (f->bucket_count == 0)
        return NULL;
    Assembly **at = bucket(f, sequence);
    while (*at != NULL && (*at)->id.sequence != sequence)
        at = &(*at)->hash_next;
    return *at != NULL ? at : NULL;
}

static void put(const Fragments *f, Assembly *a) {
    Assembly **at = bucket(f, a->id.sequence);
    a->hash_next = *at;
    *at = a;
}

/* Not more assemblies than buckets. */
static void grow_buckets(Fragments *f) {
    Fragments old = *f;
    f->bucket_count = old.bucket_count == 0 ? BUCKETS_MIN : 2 * old.bucket_count;
    f->buckets = mem_calloc(ALLOC_DISTRIBUTION, f->bucket_count * sizeof(Assembly *));
    for (size_t i = 0; i < old.bucket_count; i++)
        for (Assembly *a = old.buckets[i], *next; a != NULL; a = next) {
            next = a->hash_next;
            put(f, a);
        }
    mem_free(ALLOC_DISTRIBUTION, old.buckets);
}

/* Fragments are of one size mostly; what the number of those to come promises need not come. */
static size_t promised(uint64_t fragments, size_t size) {
    return size > 0 && fragments > SIZE_MAX / size ? SIZE_MAX : (size_t)fragments * size;
}

static bool grow_bytes(Assembly *a, size_t size) {
    size_t room = a->promised < size || a->promised / BELIEVED_TIMES > size ? 2 * size : a->promised;
    RefcBinary *larger = refc_binary_try_resize(a->bytes, room);
    if (larger != NULL)
        a->bytes = larger;
    return larger != NULL;
}

static bool append(Fragments *f, Assembly *a, const uint8_t *rest, size_t size) {
    if (size > f->bytes_max - f->bytes)
        return false;
    if (a->size + size > a->bytes->size && !grow_bytes(a, a->size + size))
        return false;
    if (size > 0)
        memcpy(a->bytes->bytes + a->size, rest, size);
    a->size += size;
    f->bytes += size;
    return true;
}

static Assembly *assembly_create(const HeaderIn *h, size_t size) {
    size_t all = promised(h->id.fragment, size), most = promised(BELIEVED_TIMES, size);
    RefcBinary *bytes = refc_binary_try_create(all < most ? all : most);
    if (bytes == NULL)
        return NULL;
    size_t atoms_size = h->atom_count * sizeof(Term);
    Assembly *a = mem_alloc(ALLOC_DISTRIBUTION, sizeof(Assembly) + atoms_size);
    *a = (Assembly){.id = h->id, .bytes = bytes, .promised = all, .atom_count = h->atom_count};
    memcpy(a->atoms, h->atoms, atoms_size);
    return a;
}

static FragmentsStatus begin(Fragments *f, const HeaderIn *h, const uint8_t *rest, size_t size) {
    if (find(f, h->id.sequence) != NULL)
        return FRAGMENTS_BAD;
    if (f->open == f->open_max || size > f->bytes_max - f->bytes)
        return FRAGMENTS_TOO_MUCH;
    Assembly *a = assembly_create(h, size);
    if (a == NULL)
        return FRAGMENTS_TOO_MUCH;
    if (f->open == f->bucket_count)
        grow_buckets(f);
    put(f, a);
    f->open++;
    return append(f, a, rest, size) ? FRAGMENTS_MORE : FRAGMENTS_TOO_MUCH;
}

static FragmentsStatus go_on(Fragments *f, const HeaderIn *h, const uint8_t *rest, size_t size) {
    Assembly **at = find(f, h->id.sequence);
    if (at == NULL || h->id.fragment != (*at)->id.fragment - 1)
        return FRAGMENTS_BAD;
    (*at)->id.fragment--;
    return append(f, *at, rest, size) ? FRAGMENTS_MORE : FRAGMENTS_TOO_MUCH;
}

static Assembly *take(Fragments *f, uint64_t sequence) {
    Assembly **at = find(f, sequence), *a = *at;
    *at = a->hash_next;
    f->open--;
    f->bytes -= a->size;
    if (a->bytes->size > a->size)
        a->bytes = refc_binary_resize(a->bytes, a->size);
    return a;
}

FragmentsStatus fragments_add(Fragments *f, const HeaderIn *h, const uint8_t *rest, size_t size, Assembly **whole) {
    assume(h->kind == HEADER_FIRST || h->kind == HEADER_CONTINUING);
    *whole = NULL;
    FragmentsStatus status = h->kind == HEADER_FIRST ? begin(f, h, rest, size) : go_on(f, h, rest, size);
    if (status != FRAGMENTS_MORE || h->id.fragment > 1)
        return status;
    *whole = take(f, h->id.sequence);
    return FRAGMENTS_WHOLE;
}
