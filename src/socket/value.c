#include "socket/value.h"

#include <limits.h>

#include "term/integer.h"
#include "term/map.h"

Term socket_map_value(Term map, Term key) {
    const Term *value = is_flat_map(map) || is_hash_map(map) ? map_get(map, key) : NULL;
    return value != NULL ? *value : NON_VALUE;
}

static bool int64_from(Term t, int64_t low, int64_t high, int64_t *to) {
    return is_value(t) && is_integer(t) && integer_to_int64(t, to) && *to >= low && *to <= high;
}

bool socket_int_from(Term t, int *to) {
    int64_t value;
    if (!int64_from(t, INT_MIN, INT_MAX, &value))
        return false;
    *to = (int)value;
    return true;
}

bool socket_uint_from(Term t, unsigned *to) {
    int64_t value;
    if (!int64_from(t, 0, UINT_MAX, &value))
        return false;
    *to = (unsigned)value;
    return true;
}
