#include "dump/sections.h"

#include "bif/data/persistent_term.h"
#include "code/module.h"
#include "dump/external.h"
#include "dump/terms.h"
#include "heap/literal.h"
#include "term/atom.h"
#include "term/fun.h"
#include "term/print.h"

/* --- modules ----------------------------------------------------------------------------------------------------- */

static const ModuleInstance *current(const Module *m) { return module_current(m); }

static size_t code_bytes(const ModuleInstance *i) { return i != NULL ? i->word_count * WORD_BYTES : 0; }

typedef struct {
    size_t current, old;
} CodeSums;

static void add_code(void *module, void *data) {
    CodeSums *sums = data;
    sums->current += code_bytes(current(module));
    sums->old += code_bytes(module_old(module));
}

/* The stock runtime leaves out the size; its reader cannot read that. */
static void put_bytes(Text *to, const char *name, BeamBytes bytes) {
    if (bytes.size == 0)
        return;
    text_format(to, "%s: ", name);
    dump_bytes(to, bytes.bytes, 0, bytes.size);
    text_byte(to, '\n');
}

static void put_module(void *entry, void *data) {
    Text *to = data;
    const Module *m = entry;
    const ModuleInstance *now = current(m), *old = module_old(m);
    if (now == NULL && old == NULL)
        return;
    text_string(to, "=mod:");
    print_atom(to, m->name);
    text_format(to, "\nCurrent size: %zu\n", code_bytes(now));
    if (now != NULL) {
        put_bytes(to, "Current attributes", now->attributes);
        put_bytes(to, "Current compilation info", now->compile_info);
    }
    if (old == NULL)
        return;
    text_format(to, "Old size: %zu\n", code_bytes(old));
    put_bytes(to, "Old attributes", old->attributes);
    put_bytes(to, "Old compilation info", old->compile_info);
}

void dump_modules(Text *to) {
    CodeSums sums = {0};
    module_each(add_code, &sums);
    text_format(to, "=loaded_modules\nCurrent code: %zu\nOld code: %zu\n", sums.current, sums.old);
    module_each(put_module, to);
}

static void put_fun(const FunEntry *e, void *data) {
    Text *to = data;
    text_string(to, "=fun\nModule: ");
    print_atom(to, e->module);
    text_format(to, "\nUniq: %u\nIndex: %u\nAddress: 0x%016lx\nRefc: %lld\n", e->old_uniq, e->old_index,
                (unsigned long)(uintptr_t)e->address, (long long)atomic_load(&e->refc));
}

void dump_funs(Text *to) { fun_entry_each_alone(put_fun, to); }

/* --- terms that all share ---------------------------------------------------------------------------------------- */

static void put_persistent(const Term *key, const Term *value, const LiteralArea *area, void *data) {
    dump_value(data, key);
    text_byte(data, '|');
    dump_value(data, value);
    text_byte(data, '\n');
}

void dump_persistent_terms(Text *to) {
    text_string(to, "=persistent_terms\n");
    persistent_term_each(put_persistent, to);
}

static void put_area(Text *to, const LiteralArea *area) {
    if (area != NULL)
        dump_objects(to, area->start, area->area.top);
}

static void put_persistent_area(const Term *key, const Term *value, const LiteralArea *area, void *data) {
    dump_floats(data, key, 1);
    dump_floats(data, value, 1);
    put_area(data, area);
}

static void put_literals(void *entry, void *data) {
    const Module *m = entry;
    const ModuleInstance *now = current(m), *old = module_old(m);
    if (now != NULL)
        put_area(data, now->literals);
    if (old != NULL)
        put_area(data, old->literals);
}

void dump_literals(Text *to) {
    text_string(to, "=literals\n");
    module_each(put_literals, to);
    persistent_term_each(put_persistent_area, to);
}

/* The newest first. */
void dump_atoms(Text *to) {
    text_string(to, "=atoms\n");
    for (size_t i = atom_count(); i-- > 0;) {
        print_atom(to, atom_make((uint32_t)i));
        text_byte(to, '\n');
    }
}
