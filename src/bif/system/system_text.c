#include "bif/system/system_text.h"

#include "alloc/alloc.h"
#include "bif_table.h"
#include "code/module.h"
#include "distribution/describe.h"
#include "process/registry.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/node.h"
#include "term/print.h"

static Term text_term(Process *p, const Text *text) {
    return binary_from_bytes(process_area(p), text->bytes, text->size);
}

static void line(Text *to, const char *name, size_t n) { text_format(to, "%s: %zu\n", name, n); }

Term get_allocated_areas(Process *p) {
    Area *area = process_area(p);
    size_t used, total;
    atom_memory(&used, &total);
    Term space = area_tuple3(area, am_atom_space, integer_from_uint64(area, total), integer_from_uint64(area, used));
    Term list = area_cons(area, space, NIL);
    for (int type = ALLOC_TYPE_COUNT; type-- > 0;) {
        Term name = atom_from_cstring(alloc_type_info[type].name);
        Term bytes = integer_from_int64(area, alloc_sum((AllocType)type).bytes);
        list = area_cons(area, area_tuple2(area, name, bytes), list);
    }
    return list;
}

/* A list of tuples {Name, Number, ...}: a line for each. */
static void put_figures(Text *to, Term list) {
    for (; is_list(list); list = list_tail(list)) {
        const Term *e = tuple_elements(list_head(list));
        print_term(to, e[0]);
        text_byte(to, ':');
        for (size_t i = 1; i < tuple_arity(list_head(list)); i++) {
            text_byte(to, ' ');
            print_term(to, e[i]);
        }
        text_byte(to, '\n');
    }
}

Term get_info_text(Process *p) {
    TEXT(text);
    text_string(&text, "=memory\n");
    put_memory_text(&text);
    text_string(&text, "=index_table:atom_tab\n");
    line(&text, "limit", atom_limit());
    line(&text, "entries", atom_count());
    text_string(&text, "=index_table:export_list\n");
    line(&text, "entries", export_count());
    text_string(&text, "=hash_table:process_reg\n");
    line(&text, "objs", registry_count());
    text_string(&text, "=allocated_areas\n");
    put_figures(&text, get_allocated_areas(p));
    return text_term(p, &text);
}

typedef struct {
    Text lines;
    size_t current, old;
    unsigned generation;
} Loaded;

static size_t code_bytes(const ModuleInstance *m) { return m ? m->word_count * WORD_BYTES : 0; }

static void put_module(void *entry, void *data) {
    const Module *module = entry;
    Loaded *l = data;
    size_t current = code_bytes(module->current[l->generation]), old = code_bytes(module_old(module));
    if (current == 0 && old == 0)
        return;
    print_term(&l->lines, module->name);
    text_format(&l->lines, " %zu", current);
    if (old > 0)
        text_format(&l->lines, " (%zu old)", old);
    text_byte(&l->lines, '\n');
    l->current += current;
    l->old += old;
}

Term get_loaded_text(Process *p) {
    TEXT(text);
    Loaded l = {.generation = code_active()};
    text_init(&l.lines);
    module_each(put_module, &l);
    line(&text, "Current code", l.current);
    line(&text, "Old code", l.old);
    text_bytes(&text, l.lines.bytes, l.lines.size);
    text_release(&l.lines);
    return text_term(p, &text);
}

Term get_dist_text(Process *p) {
    TEXT(text);
    distribution_text(&text);
    return text_term(p, &text);
}

Term get_procs_text(Process *p) { return bif_trap(p, export_put(am_viv_system, am_procs, 0), 0, NULL); }
