#include "loader/own_modules.h"

#include "base/defs.h"
#include "code/module.h"
#include "loader/prepare.h"
#include "term/atom.h"

static bool is_node; /* constant once they are loaded */

bool own_module_was_first(const LibBeam *beam) { return is_node ? beam->at_node_start : beam->at_start; }

void own_modules_load(bool for_node) {
    is_node = for_node;
    code_stage_begin();
    for (uint32_t i = 0; i < lib_beam_count; i++) {
        char detail[200];
        const LibBeam *beam = &lib_beams[i];
        if (!own_module_was_first(beam))
            continue;
        ModuleInstance *m =
            module_prepare(atom_from_cstring(beam->name), beam->bytes, beam->size, detail, sizeof detail);
        if (m == NULL)
            panic("module %s: %s", beam->name, detail);
        code_stage_instance(m);
    }
    code_commit();
}
