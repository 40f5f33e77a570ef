/*
 * What every unit test includes: cmocka and its needs. A program is one file u_<file>.c with
 *     UNIT_TESTS(unit(name), ...)
 */
#ifndef VIV_TEST_UNIT_H
#define VIV_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define unit(name) cmocka_unit_test(name)
#define UNIT_TESTS(...)                                                                                                \
    int main(void) {                                                                                                   \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                               \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                              \
    }

/* A whole file; the bytes are the caller's to free. */
typedef struct {
    uint8_t *bytes;
    size_t size;
} UnitFile;

static inline UnitFile unit_file(const char *path) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    UnitFile file = {.size = (size_t)ftell(in)};
    rewind(in);
    file.bytes = malloc(file.size);
    assert_int_equal(fread(file.bytes, 1, file.size, in), file.size);
    fclose(in);
    return file;
}

#endif
