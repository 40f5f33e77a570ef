#include "etf/local.h"

#include "base/long_work.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <zlib.h>

#define BYTES_PER_UNIT 4 /* of long work */
#define IS_DRAWN ((uint64_t)1 << 32)

/* Whoever is the first to store one has drawn it for all. */
uint32_t etf_local_start(void) {
    static _Atomic uint64_t salt;
    uint64_t drawn = atomic_load(&salt);
    if (drawn != 0)
        return (uint32_t)drawn;
    uint32_t mine;
    require(getrandom(&mine, sizeof mine, 0) == (ssize_t)sizeof mine);
    return (uint32_t)(atomic_compare_exchange_strong(&salt, &drawn, IS_DRAWN | mine) ? mine : drawn);
}

uint32_t etf_local_add(uint32_t sum, const uint8_t *bytes, size_t count) {
    long_work_count_large(count / BYTES_PER_UNIT, 1);
    return (uint32_t)crc32_z(sum, bytes, count);
}
