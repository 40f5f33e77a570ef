/*
 * The list of libraries, which the halt looks at while others are unloaded: what is found there and can be retained is
 * not closed, and each library is closed once. For the sanitizers.
 */
#include "nif/library.h"

#include <dlfcn.h>

#include "nif/load.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "unit.h"

#define LOADERS 3
#define LIBRARIES 3000
#define MOST 64

static _Atomic unsigned closed, loaders_left;

static void unload(ErlNifEnv *env, void *data) {
    assert_false(atomic_exchange((_Atomic bool *)data, true));
    atomic_fetch_add(&closed, 1);
}

static void load_and_unload(void *data) {
    thread_progress_register();
    for (int i = 0; i < LIBRARIES; i++) {
        _Atomic bool is_closed = false;
        NifLibrary *l = nif_library_create(dlopen(NULL, RTLD_NOW), am_erlang);
        l->priv_data = &is_closed;
        l->entry.unload = unload;
        nif_library_publish(l);
        nif_library_unload(l);
        while (!atomic_load(&is_closed)) /* another may have the last count */
            thread_progress_quiescent();
    }
    thread_progress_unregister();
    atomic_fetch_sub(&loaders_left, 1);
}

typedef struct {
    NifLibrary *all[MOST];
    unsigned count;
} Found;

static void find(NifLibrary *l, void *data) {
    Found *found = data;
    if (found->count < MOST && nif_library_try_retain(l))
        found->all[found->count++] = l;
}

static void what_is_found_is_not_closed(void **state) {
    Thread threads[LOADERS];
    atomic_store(&loaders_left, LOADERS);
    for (int i = 0; i < LOADERS; i++)
        thread_start(&threads[i], "loader", 0, load_and_unload, NULL);
    while (atomic_load(&loaders_left) > 0) {
        Found found = {.count = 0};
        nif_library_each(find, &found);
        for (unsigned i = 0; i < found.count; i++) {
            assert_ptr_equal(found.all[i]->entry.unload, unload);
            nif_library_release(found.all[i]);
        }
    }
    for (int i = 0; i < LOADERS; i++)
        thread_join(&threads[i]);
    assert_int_equal(atomic_load(&closed), LOADERS * LIBRARIES);
}

int main(void) {
    atom_table_init(10000);
    const struct CMUnitTest tests[] = {unit(what_is_found_is_not_closed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
