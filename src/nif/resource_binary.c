/*
 * Binaries that show memory of a resource.
 *
 * The bytes of a RefcBinary lie behind its header, and whoever reads binaries relies on it; these bytes lie where the
 * library says. So the term is a window (SubBits) on a RefcBinary of no bytes, a proxy, at an offset that is the
 * distance of the two. An offset is never negative: proxies lie in spans of low addresses, the first one below the
 * program itself, and so below all that it allocates. The proxy has a count of the resource. Where there is none below
 * the bytes (some 60,000 have been made that live, and the bytes lie low too) the bytes are copied.
 */
#include "nif/resource.h"

#include <string.h>
#include <sys/mman.h>

#include "base/fault.h"
#include "sys/thread.h"
#include "term/bits.h"

static const struct {
    uintptr_t start, end;
} spans[] = {{0x10000, 0x3f0000}, {0x10000000, 0x20000000}, {0x20000000, 0x30000000}, {0x30000000, 0x40000000}};

typedef union Proxy {
    RefcBinary binary;
    union Proxy *next; /* when it is free */
} Proxy;

static Mutex lock = MUTEX_INITIALIZER(LOCK_NIF_PROXIES);
static Proxy *free_proxies, *unused, *end; /* under the lock */
static unsigned spans_tried;               /* the same */

static void next_span(void) {
    while (unused == end && spans_tried < array_length(spans)) {
        void *at = (void *)spans[spans_tried].start;
        size_t bytes = spans[spans_tried].end - spans[spans_tried].start;
        spans_tried++;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
        void *span = fault_now(FAULT_MMAP) ? MAP_FAILED : mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (span == at) {
            unused = span;
            end = unused + bytes / sizeof(Proxy);
        } else if (span != MAP_FAILED) {
            munmap(span, bytes);
        }
    }
}

static Proxy *proxy_take(void) {
    mutex_lock(&lock);
    Proxy *p = free_proxies;
    if (p != NULL) {
        free_proxies = p->next;
    } else {
        next_span();
        p = unused < end ? unused++ : NULL;
    }
    mutex_unlock(&lock);
    return p;
}

static void proxy_put(Proxy *p) {
    mutex_lock(&lock);
    p->next = free_proxies;
    free_proxies = p;
    mutex_unlock(&lock);
}

/* False: nobody else frees it. */
static bool release_proxy(RefcBinary *binary) {
    RefcBinary *resource = binary->extra;
    proxy_put((Proxy *)binary);
    refc_binary_release(resource);
    return false;
}

static bool release_copy(RefcBinary *binary) {
    refc_binary_release(binary->extra);
    return true;
}

static ERL_NIF_TERM copied(ErlNifEnv *env, RefcBinary *resource, const void *data, size_t size) {
    RefcBinary *bytes = refc_magic_create(size, release_copy);
    bytes->extra = resource;
    memcpy(bytes->bytes, data, size);
    return binary_from_refc(env->area, bytes, size);
}

ERL_NIF_TERM enif_make_resource_binary(ErlNifEnv *env, void *object, const void *data, size_t size) {
    RefcBinary *resource = nif_resource_binary(nif_resource_of(object));
    refc_binary_retain(resource);
    Proxy *p = proxy_take();
    if (p == NULL || (const uint8_t *)data < p->binary.bytes) {
        if (p != NULL)
            proxy_put(p);
        return copied(env, resource, data, size);
    }
    refc_binary_init_elsewhere(&p->binary, size, release_proxy);
    p->binary.extra = resource;
    return bits_elsewhere(env->area, &p->binary, data, size);
}

NifResource *nif_resource_of_binary(Term t) {
    if (!is_bitstring(t))
        return NULL;
    Term origin = is_boxed_kind(t, KIND_SUB_BITS) ? ((SubBits *)boxed_ptr(t))->origin : t;
    if (!is_boxed_kind(origin, KIND_BIN_REF) || bits_size(origin) != bits_size(t))
        return NULL;
    RefcBinary *binary = ((BinRef *)boxed_ptr(origin))->binary;
    bool is_ours = binary->destructor == release_proxy || binary->destructor == release_copy;
    return is_ours ? (NifResource *)((RefcBinary *)binary->extra)->bytes : NULL;
}
