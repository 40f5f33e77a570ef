/*
 * An explicit stack of words: what C code uses instead of recursion, since terms may be nested without bound.
 *
 * The first ESTACK_FIXED words lie on the C stack; after that the words move to the C heap. ESTACK(name) declares one
 * that is released on every way out of its block. Not for terms across a collection: the collector does not know it.
 */
#ifndef VIV_BASE_ESTACK_H
#define VIV_BASE_ESTACK_H

#include "base/defs.h"

#define ESTACK_FIXED 64

typedef struct {
    Word *base, *top, *end;
    Word fixed[ESTACK_FIXED];
} EStack;

static inline void estack_init(EStack *s) {
    s->base = s->top = s->fixed;
    s->end = s->fixed + ESTACK_FIXED;
}
/* Makes room for `words` more. */
void estack_grow(EStack *s, size_t words);
void estack_free(EStack *s); /* of one that has moved to the C heap */
static inline void estack_release(EStack *s) {
    if (unlikely(s->base != s->fixed))
        estack_free(s);
}
#define ESTACK(name)                                                                                                   \
    EStack name __attribute__((cleanup(estack_release)));                                                              \
    estack_init(&name)

static inline bool estack_is_empty(const EStack *s) { return s->top == s->base; }
static inline size_t estack_count(const EStack *s) { return (size_t)(s->top - s->base); }
static inline void estack_push(EStack *s, Word w) {
    if (unlikely(s->top == s->end))
        estack_grow(s, 1);
    *s->top++ = w;
}
static inline void estack_push2(EStack *s, Word a, Word b) {
    if (unlikely(s->end - s->top < 2))
        estack_grow(s, 2);
    Word *top = s->top; /* what is written might be s->top itself, for all the compiler knows */
    top[0] = a;
    top[1] = b;
    s->top = top + 2;
}
static inline void estack_push3(EStack *s, Word a, Word b, Word c) {
    if (unlikely(s->end - s->top < 3))
        estack_grow(s, 3);
    Word *top = s->top;
    top[0] = a;
    top[1] = b;
    top[2] = c;
    s->top = top + 3;
}
static inline Word estack_pop(EStack *s) { return *--s->top; }
/* The last `words`, which are still to be read, in the order in which they were pushed. */
static inline const Word *estack_drop(EStack *s, size_t words) { return s->top -= words; }

#endif
