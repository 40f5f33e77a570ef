/* What the code of a module takes, for lib/memory/viv_memory.erl. */
#include "bif/argument.h"
#include "bif_table.h"
#include "code/module.h"
#include "heap/literal.h"
#include "jit/by_need.h"
#include "process/fail.h"
#include "term/atom.h"
#include "term/integer.h"

static size_t code_bytes(const ModuleInstance *m) {
    return sizeof *m + m->word_count * sizeof(Word) + native_need_bytes(&m->native) +
           m->function_count * sizeof *m->functions + m->line_count * sizeof *m->lines +
           m->file_count * sizeof *m->files + m->export_count * sizeof *m->exports + m->fun_count * sizeof *m->funs +
           m->attributes.size + m->compile_info.size;
}

/* [{Which, Code, Literals} | List], in bytes. */
static Term with_instance(Area *area, Term which, const ModuleInstance *m, Term list) {
    if (!m)
        return list;
    Term code = integer_from_uint64(area, code_bytes(m));
    Term literals = integer_from_uint64(area, m->literals ? literal_area_bytes(m->literals) : 0);
    return area_cons(area, area_tuple3(area, which, code, literals), list);
}

/* module(Name) -> [{current | old, Code, Literals}] */
Term viv_memory_map_module_1(Process *p, const Term *a) {
    if (!is_atom(a[0]))
        return fail_badarg(p);
    const Module *m = module_find(a[0]);
    if (!m)
        return NIL;
    Term list = with_instance(process_area(p), am_old, module_old(m), NIL);
    return with_instance(process_area(p), am_current, module_current(m), list);
}
