#include "base/birth.h"

#include <stdatomic.h>

static _Atomic Birth newest;

Birth birth_next(void) { return atomic_fetch_add_explicit(&newest, 1, memory_order_relaxed) + 1; }
Birth birth_newest(void) { return atomic_load_explicit(&newest, memory_order_relaxed); }
