/*
 * The breakpoint of a function under threads: a thread that has met the instruction and then looks, as dirty threads
 * do, finds what is to be done in its place, while the breakpoint goes and another one comes.
 */
#include "code/breakpoint.h"

#include <stdatomic.h>

#include "base/thread_progress.h"
#include "sys/thread.h"
#include "unit.h"
#include "unit_progress.h"

#define ROUNDS 1000
#define BODY 7u
#define BREAKPOINT 9u

static struct {
    FunctionHeader header;
    Word body;
} function;
static uint32_t places[1];
static ModuleInstance instance = {.code = (Word *)&function, .functions = places, .function_count = 1};

static atomic_bool is_over;

static void look(void *data) {
    thread_progress_register();
    thread_progress_offline();
    while (!atomic_load(&is_over)) {
        thread_progress_enter();
        assert_int_equal(breakpoint_original(&function.header), BODY);
        thread_progress_leave();
    }
    thread_progress_online();
    thread_progress_unregister();
}

static void the_original_is_there(void **state) {
    Thread looker;
    breakpoint_instruction = BREAKPOINT;
    function.body = BODY;
    thread_progress_register();
    thread_start(&looker, "looker", 0, look, NULL);
    for (unsigned n = 0; n < ROUNDS; n++) {
        GenericBp *bp = breakpoint_of_function(&instance, 0, n % 2 == 0);
        breakpoint_install(bp);
        assert_int_equal((uint32_t)function.body, BREAKPOINT);
        unit_wait_for_progress();
        breakpoint_uninstall(bp);
        assert_int_equal((uint32_t)function.body, BODY);
        unit_wait_for_progress();
        breakpoint_free(bp);
    }
    atomic_store(&is_over, true);
    thread_progress_unregister();
    thread_join(&looker);
    assert_null(instance.breakpoints);
}

UNIT_TESTS(unit(the_original_is_there))
