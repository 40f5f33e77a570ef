/*
 * The reader of BEAM files and the decoder of code: stock files are read; every truncation of one, and many thousand
 * random changes, are read or refused without leaving the file (build with the asan preset to see to that).
 */
#include "code/beam_file.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/decode.h"
#include "term/atom.h"
#include "unit.h"

static UnitFile stock(const char *module) {
    char pattern[200];
    snprintf(pattern, sizeof pattern, "/usr/lib/erlang/lib/*/ebin/%s.beam", module);
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    UnitFile file = unit_file(found.gl_pathv[0]);
    globfree(&found);
    return file;
}

/* Reads and decodes a copy that ends where an allocation ends, so that asan sees a step over. */
static bool accepted(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    BeamFile file;
    DecodedCode decoded;
    bool ok = beam_file_read(&file, copy, size);
    if (ok) {
        ok = decode_code(&file, &decoded);
        decoded_release(&decoded);
    }
    assert_true(ok || file.detail[0] != '\0');
    beam_file_release(&file);
    free(copy);
    return ok;
}

static void tables_of_a_stock_file(void **state) {
    UnitFile lists = stock("lists");
    BeamFile file;
    assert_true(beam_file_read(&file, lists.bytes, lists.size));
    assert_int_equal(file.module, atom_from_cstring("lists"));
    bool reverse = false;
    for (uint32_t i = 0; i < file.export_count; i++)
        reverse |= file.exports[i].function == atom_from_cstring("keysort") && file.exports[i].arity == 2;
    assert_true(reverse);
    assert_true(file.line_count > 100);
    assert_true(file.lambda_count > 0);
    assert_true(file.type_count > 0);
    DecodedCode decoded;
    assert_true(decode_code(&file, &decoded));
    assert_true(decoded.count > 1000);
    decoded_release(&decoded);
    beam_file_release(&file);
    free(lists.bytes);
}

static void all_stock_files(void **state) {
    glob_t found;
    assert_int_equal(glob("/usr/lib/erlang/lib/{stdlib,compiler,kernel,erts}-*/ebin/*.beam", GLOB_BRACE, NULL, &found),
                     0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        UnitFile file = unit_file(found.gl_pathv[i]);
        if (!accepted(file.bytes, file.size))
            fail_msg("%s is refused", found.gl_pathv[i]);
        free(file.bytes);
    }
    globfree(&found);
}

static void every_truncation(void **state) {
    UnitFile file = stock("counters");
    for (size_t size = 0; size < file.size; size++)
        assert_false(accepted(file.bytes, size));
    free(file.bytes);
}

/* Chunk sizes lie as well when bytes are cut out of the middle and the form's size is put right. */
static void every_cut(void **state) {
    UnitFile file = stock("counters");
    uint8_t *cut = malloc(file.size);
    for (size_t at = 12; at + 4 <= file.size; at += 4) {
        memcpy(cut, file.bytes, at);
        memcpy(cut + at, file.bytes + at + 4, file.size - at - 4);
        uint32_t form = (uint32_t)file.size - 12;
        for (unsigned i = 0; i < 4; i++)
            cut[4 + i] = (uint8_t)(form >> (24 - 8 * i));
        accepted(cut, file.size - 4);
    }
    free(cut);
    free(file.bytes);
}

static void random_changes(void **state) {
    static const char *const modules[] = {"counters", "queue", "proplists", "zlib", "erl_bits"};
    uint32_t seed = 20240531;
    for (size_t m = 0; m < array_length(modules); m++) {
        UnitFile file = stock(modules[m]);
        for (unsigned round = 0; round < 2000; round++) {
            uint8_t *changed = malloc(file.size);
            memcpy(changed, file.bytes, file.size);
            for (unsigned change = 0; change < 1 + round % 4; change++) {
                seed = seed * 1664525 + 1013904223;
                size_t at = 12 + (seed >> 8) % (file.size - 12);
                seed = seed * 1664525 + 1013904223;
                changed[at] = (uint8_t)(seed >> 24);
            }
            accepted(changed, file.size);
            free(changed);
        }
        free(file.bytes);
    }
}

static int setup(void **state) {
    atom_table_init(1 << 20);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {unit(tables_of_a_stock_file), unit(all_stock_files), unit(every_truncation),
                                       unit(every_cut), unit(random_changes)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
