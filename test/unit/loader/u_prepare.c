/* Preparing: every module of the stock libraries is accepted, twice at once does no harm, and what is damaged is
 * refused. */
#include "loader/prepare.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread_progress.h"
#include "emu/emu.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "unit.h"

static Term module_name(const char *path) {
    const char *base = strrchr(path, '/') + 1;
    return atom_put((const uint8_t *)base, strlen(base) - strlen(".beam"), NULL);
}

/* Some libraries' files are: erlang:prepare_loading/2 unpacks them before they come here. */
static bool is_packed(const UnitFile *file) { return file->size > 2 && memcmp(file->bytes, "\x1f\x8b", 2) == 0; }

static unsigned prepare_one(const char *path, const UnitFile *file) {
    char detail[200];
    ModuleInstance *m = module_prepare(module_name(path), file->bytes, file->size, detail, sizeof detail);
    if (m == NULL) {
        print_message("%s: %s\n", path, detail);
        return 1;
    }
    assert_true(m->function_count > 0 && m->export_count > 0);
    module_instance_free(m);
    return 0;
}

static unsigned prepare_all(const char *pattern) {
    glob_t found;
    unsigned refused = 0;
    if (glob(pattern, GLOB_BRACE, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        UnitFile file = unit_file(found.gl_pathv[i]);
        if (!is_packed(&file))
            refused += prepare_one(found.gl_pathv[i], &file);
        free(file.bytes);
    }
    globfree(&found);
    return refused;
}

static void stock_libraries(void **state) { assert_int_equal(prepare_all("/usr/lib/erlang/lib/*/ebin/*.beam"), 0); }

/* Where tools/otp27 has put OTP 27's libraries; nothing is tested where it did not run. */
static void otp27_libraries(void **state) {
    const char *root = getenv("VIV_OTP27_ROOT");
    char pattern[500];
    if (root == NULL)
        return;
    snprintf(pattern, sizeof pattern, "%s/lib/*/ebin/*.beam", root);
    assert_int_equal(prepare_all(pattern), 0);
}

static void damaged(void **state) {
    UnitFile file = unit_file("/usr/lib/erlang/lib/stdlib-4.2/ebin/queue.beam");
    Term queue = atom_from_cstring("queue");
    char detail[200] = "";
    assert_null(module_prepare(atom_from_cstring("other"), file.bytes, file.size, detail, sizeof detail));
    assert_non_null(strstr(detail, "queue"));
    uint32_t seed = 7;
    for (unsigned round = 0; round < 3000; round++) {
        uint8_t *changed = malloc(file.size);
        memcpy(changed, file.bytes, file.size);
        for (unsigned change = 0; change < 1 + round % 3; change++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = 12 + (seed >> 8) % (file.size - 12);
            seed = seed * 1664525 + 1013904223;
            changed[at] = (uint8_t)(seed >> 24);
        }
        ModuleInstance *m = module_prepare(queue, changed, file.size, detail, sizeof detail);
        if (m != NULL)
            module_instance_free(m);
        free(changed);
    }
    free(file.bytes);
}

static int setup(void **state) {
    thread_progress_register();
    atom_table_init(1 << 20);
    literal_span_init();
    export_table_init();
    fun_table_init();
    module_table_init();
    emu_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(stock_libraries), unit(otp27_libraries), unit(damaged)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
