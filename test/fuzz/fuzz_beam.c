/* libFuzzer target: a BEAM file is read and its code decoded, or refused with one line; nothing outside of it is read. */
#include "code/beam_file.h"
#include "loader/decode.h"
#include "term/atom.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    atom_table_init((size_t)1 << 26);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    BeamFile file;
    if (beam_file_read(&file, data, size)) {
        DecodedCode decoded;
        bool ok = decode_code(&file, &decoded);
        decoded_release(&decoded);
        require(ok || file.detail[0] != '\0');
    } else {
        require(file.detail[0] != '\0');
    }
    beam_file_release(&file);
    return 0;
}
