/*
 * Objects that hold one another: what is released last is destroyed within what released it, but for long chains, which
 * do not use up the C stack; and every one of a chain or a tree is destroyed once, on the thread that let go.
 */
#include "term/refc_binary.h"

#include "sys/thread.h"
#include "unit.h"

#define CHAIN 1000000
#define THREADS 3

typedef struct {
    RefcBinary *held[2];
    unsigned *destroyed, *nested, *deepest; /* of the thread that lets go */
} Object;

static bool destroy(RefcBinary *b) {
    Object *o = (Object *)b->bytes;
    assert_int_equal(atomic_load(&b->refc), 0);
    unsigned before = *o->destroyed;
    bool is_last = o->held[0] != NULL && refc_binary_is_sole(o->held[0]);
    if (++*o->nested > *o->deepest)
        *o->deepest = *o->nested;
    for (unsigned i = 0; i < 2; i++)
        if (o->held[i] != NULL)
            refc_binary_release(o->held[i]);
    bool waits = is_last && *o->destroyed == before;
    assert_false(waits && *o->nested < 10);
    if (waits)
        assert_true(atomic_load(&o->held[0]->refc) <= 0); /* nobody takes a count of it */
    --*o->nested;
    ++*o->destroyed;
    return true;
}

typedef struct {
    unsigned destroyed, nested, deepest;
} Counts;

static RefcBinary *object(Counts *c, RefcBinary *a, RefcBinary *b) {
    RefcBinary *binary = refc_magic_create(sizeof(Object), destroy);
    *(Object *)binary->bytes = (Object){{a, b}, &c->destroyed, &c->nested, &c->deepest};
    return binary;
}

static void release_chain(void *data) {
    Counts c = {0};
    RefcBinary *chain = NULL;
    for (unsigned i = 0; i < CHAIN; i++)
        chain = object(&c, chain, NULL);
    refc_binary_release(chain);
    assert_int_equal(c.destroyed, CHAIN);
    assert_int_equal(c.nested, 0);
    assert_true(c.deepest < 100);
}

static void chain(void **state) { release_chain(NULL); }

static void chains_of_threads(void **state) {
    Thread threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        thread_start(&threads[i], "releases", 0, release_chain, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
}

/* A spine of objects, each of which holds a short chain as well. */
static void tree(void **state) {
    Counts c = {0};
    RefcBinary *spine = NULL;
    for (unsigned i = 0; i < 10000; i++)
        spine = object(&c, object(&c, object(&c, NULL, NULL), NULL), spine);
    refc_binary_release(spine);
    assert_int_equal(c.destroyed, 30000);
    assert_true(c.deepest < 100);
}

static void held_by_others(void **state) {
    Counts c = {0};
    RefcBinary *kept = object(&c, NULL, NULL);
    refc_binary_retain(kept);
    refc_binary_release(object(&c, kept, NULL));
    assert_int_equal(c.destroyed, 1);
    refc_binary_release(kept);
    assert_int_equal(c.destroyed, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(chain), unit(chains_of_threads), unit(tree), unit(held_by_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
