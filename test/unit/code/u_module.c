/*
 * Publishing under threads: one stages modules and commits them, waiting for thread progress between as the code
 * modification permission makes it wait; others call through export entries all the time. What they find is complete,
 * of the same version in all modules of one publication, and not freed until their next quiescent point.
 */
#include "code/module.h"

#include <string.h>

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "code/ranges.h"
#include "sys/thread.h"
#include "term/atom.h"
#include "unit.h"
#include "unit_progress.h"

#define READERS 3
#define MODULES 5
#define VERSIONS 200 /* at least, and until the readers have seen enough */
#define ENOUGH 3000
#define CODE_WORDS (sizeof(FunctionHeader) / sizeof(Word) + 1)

static Term names[MODULES];
static Export *exports[MODULES];
static _Atomic bool stop;
static _Atomic unsigned seen, freed;

/* One function, whose only instruction word is the version. */
static ModuleInstance *make_instance(unsigned m, Word version) {
    ModuleInstance *instance = mem_calloc(ALLOC_CODE, sizeof *instance);
    instance->name = names[m];
    instance->word_count = CODE_WORDS;
    instance->code = mem_calloc(ALLOC_CODE, CODE_WORDS * sizeof(Word));
    FunctionHeader *header = (FunctionHeader *)instance->code;
    header->module = names[m];
    header->function = am_ok;
    instance->code[CODE_WORDS - 1] = version;
    instance->functions = mem_calloc(ALLOC_CODE, sizeof *instance->functions);
    instance->function_count = 1;
    instance->exports = mem_alloc(ALLOC_CODE, sizeof *instance->exports);
    instance->exports[0] = (InstanceExport){exports[m], function_entry(header)};
    instance->export_count = 1;
    return instance;
}

static void free_instance(ModuleInstance *instance) {
    instance->code[CODE_WORDS - 1] = 0;
    mem_free(ALLOC_CODE, instance->exports);
    mem_free(ALLOC_CODE, instance->functions);
    mem_free(ALLOC_CODE, instance->code);
    mem_free(ALLOC_CODE, instance);
    atomic_fetch_add(&freed, 1);
}

/* All modules get a version at once; every fifth time one of them goes instead. */
static void publish(Word version) {
    code_stage_begin();
    for (unsigned m = 0; m < MODULES; m++) {
        if (version % 5 == 0 && m == version % MODULES)
            code_stage_delete(module_put(names[m]));
        else
            code_stage_instance(make_instance(m, version));
    }
    code_commit();
    unit_wait_for_progress();
}

static void purge(void) {
    ModuleInstance *old[MODULES];
    code_stage_begin();
    for (unsigned m = 0; m < MODULES; m++) {
        Module *module = module_put(names[m]);
        old[m] = module_old(module);
        __atomic_store_n(&module->old, NULL, __ATOMIC_RELAXED);
        if (old[m])
            ranges_stage_remove(old[m]);
    }
    code_commit();
    unit_wait_for_progress();
    for (unsigned m = 0; m < MODULES; m++)
        if (old[m])
            free_instance(old[m]);
}

/* One look at the active generation is good for a consistent picture. */
static Word look_at_all(void) {
    unsigned active = code_active();
    Word version = 0;
    for (unsigned m = 0; m < MODULES; m++) {
        const Word *address = exports[m]->address[active];
        if (address == exports[m]->trampoline[active])
            continue;
        assert_true(version == 0 || *address == version);
        version = *address;
        const ModuleInstance *current = module_find(names[m])->current[active];
        assert_non_null(current);
        assert_ptr_equal(current->exports[0].address, address);
    }
    return version;
}

static void read(void *data) {
    Word newest = 0;
    thread_progress_register();
    for (unsigned turn = 0; !atomic_load(&stop); turn++) {
        Word version = look_at_all();
        assert_true(version >= newest);
        newest = version;
        const Word *address = export_address(exports[version % MODULES]);
        const ModuleInstance *instance = range_find(address);
        assert_true(instance == NULL || (address >= instance->code && address < instance->code + CODE_WORDS));
        atomic_fetch_add(&seen, version > 0);
        thread_progress_quiescent();
        if (turn % 16 == 0)
            sched_yield(); /* where there are fewer cores than threads */
    }
    thread_progress_unregister();
}

static void readers_see_whole_publications(void **state) {
    Thread threads[READERS];
    thread_progress_register();
    for (unsigned i = 0; i < READERS; i++)
        thread_start(&threads[i], "reader", 0, read, NULL);
    Word version = 1;
    for (; version <= VERSIONS || atomic_load(&seen) < ENOUGH; version++) {
        publish(version);
        purge();
    }
    atomic_store(&stop, true);
    thread_progress_offline();
    for (unsigned i = 0; i < READERS; i++)
        thread_join(&threads[i]);
    thread_progress_online();
    for (unsigned m = 0; m < MODULES; m++) {
        const ModuleInstance *current = module_current(module_find(names[m]));
        assert_true(current == NULL || current->code[CODE_WORDS - 1] == version - 1);
    }
    assert_true(atomic_load(&freed) > VERSIONS);
    thread_progress_unregister();
}

static int setup(void **state) {
    static const char *const texts[MODULES] = {"m_one", "m_two", "m_three", "m_four", "m_five"};
    atom_table_init(10000);
    export_table_init();
    module_table_init();
    thread_progress_register();
    for (unsigned m = 0; m < MODULES; m++) {
        names[m] = atom_from_cstring(texts[m]);
        module_put(names[m]);
        exports[m] = export_put(names[m], am_ok, 0);
    }
    thread_progress_unregister();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(readers_see_whole_publications)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
