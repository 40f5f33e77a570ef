#include "inet/data.h"

#include "port/port.h"
#include "term/bits.h"
#include "term/iolist.h"

#define SHARED_WORDS ((sizeof(BinRef) + sizeof(SubBits)) / sizeof(Word))

static size_t words_of_binary(size_t size) {
    return size <= HEAP_BITS_MAX_BYTES ? HEAP_BITS_WORDS(size) : SHARED_WORDS;
}

/* Who wants data as from any port gets them in the form that the port was opened for: an accepted one for lists. */
static bool as_list(const Inet *d) {
    return d->mode == INET_LISTS || (d->deliver == INET_AS_PORT && !((const Port *)d->port)->options.is_binary);
}

size_t inet_data_words(const Inet *d, size_t size) {
    size_t header = d->header < size ? d->header : size;
    return as_list(d) ? 2 * size : 2 * header + words_of_binary(size - header);
}

static Term binary(Area *area, RefcBinary *shared, const uint8_t *bytes, size_t size) {
    if (size <= HEAP_BITS_MAX_BYTES)
        return binary_from_bytes(area, bytes, size);
    size_t offset = (size_t)(bytes - shared->bytes);
    refc_binary_retain(shared);
    return bits_sub(area, binary_from_refc(area, shared, offset + size), 8 * offset, 8 * size);
}

Term inet_data_term(const Inet *d, Area *area, RefcBinary *shared, const uint8_t *bytes, size_t size) {
    if (as_list(d) || d->header > size)
        return list_from_bytes(area, bytes, size, NIL);
    Term rest = binary(area, shared, bytes + d->header, size - d->header);
    return list_from_bytes(area, bytes, d->header, rest);
}
