/*
 * Bytes that have come, as terms: a list, a binary, or the first bytes as a list in front of it (the option `header`).
 */
#ifndef VIV_INET_DATA_H
#define VIV_INET_DATA_H

#include "inet/inet.h"

/* Words that it takes, at most. */
size_t inet_data_words(const Inet *d, size_t size);
/* `bytes` lie in `shared`, which is kept where they are many. */
Term inet_data_term(const Inet *d, Area *area, RefcBinary *shared, const uint8_t *bytes, size_t size);

#endif
