/* libFuzzer target: a BEAM file is prepared (read, decoded, selected, emitted) and given up again, or refused with one
 * line; nothing outside of it is read, and nothing of it is left. */
#include "base/thread_progress.h"
#include "emu/emu.h"
#include "heap/literal.h"
#include "loader/prepare.h"
#include "term/atom.h"
#include "term/node.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    thread_progress_register();
    atom_table_init((size_t)1 << 26);
    node_table_init();
    literal_span_init();
    export_table_init();
    fun_table_init();
    module_table_init();
    emu_init();
    return 0;
}

/* Prepared under the name that it says it has. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    BeamFile file;
    bool read = beam_file_read(&file, data, size);
    require(read || file.detail[0] != '\0');
    Term name = read ? file.module : atom_from_cstring("none");
    beam_file_release(&file);
    char detail[200] = "";
    ModuleInstance *m = module_prepare(name, data, size, detail, sizeof detail);
    require(m != NULL ? read : detail[0] != '\0');
    if (m != NULL)
        module_instance_free(m);
    thread_progress_quiescent();
    return 0;
}
