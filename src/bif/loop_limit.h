/*
 * How far functions go before their work counts as long, when a test suite has said it: set_internal_state of
 * binary_loop_limit, re_loop_limit and unicode_loop_limit. What would be tested with huge input only is tested so with
 * a small one: a search in a binary, or a match, gives its scheduler away (base/long_work.h) after so many units, a
 * conversion goes on in another slice after so many steps.
 */
#ifndef VIV_BIF_LOOP_LIMIT_H
#define VIV_BIF_LOOP_LIMIT_H

#include <stdatomic.h>

#include "base/long_work.h"

typedef enum { LOOP_BINARY, LOOP_RE, LOOP_UNICODE, LOOP_KINDS } LoopKind;
extern _Atomic uint32_t loop_limits[LOOP_KINDS]; /* 0: nobody has said anything */

static inline int64_t loop_limit(LoopKind kind, int64_t usual) {
    uint32_t limit = atomic_load_explicit(&loop_limits[kind], memory_order_relaxed);
    return likely(limit == 0) || limit > usual ? usual : limit;
}

/* At the beginning of a function of that kind. */
static inline void loop_begin(LoopKind kind) {
    if (unlikely(atomic_load_explicit(&loop_limits[kind], memory_order_relaxed) != 0))
        long_work_hurry(loop_limit(kind, LONG_WORK_UNITS));
}

#endif
