#include "replace/system_process.h"

#include "process/spawn.h"
#include "term/atom.h"

static struct {
    Term module;
    _Atomic Term pid;
} servers[] = {{am_erts_code_purger, NON_VALUE}, {am_erts_literal_area_collector, NON_VALUE}};

static _Atomic Term *pid_of(Term module) {
    for (unsigned i = 0; i < array_length(servers); i++)
        if (servers[i].module == module)
            return &servers[i].pid;
    return NULL;
}

Term system_process_of(Term module) { return atomic_load_explicit(pid_of(module), memory_order_acquire); }

bool system_process_is(const Process *p, Term module) { return system_process_of(module) == p->pid; }

Term system_process_spawn(Process *parent, Term module, Term start, Term entry) {
    _Atomic Term *place = pid_of(module);
    if (place == NULL)
        return NON_VALUE;
    SpawnOptions o;
    spawn_options_init(&o);
    o.is_system = o.waits = o.traps_exits = true;
    o.priority = PRIORITY_HIGH;
    o.shown_function = start;
    Term pid = process_spawn(parent, module, entry, NIL, &o, NULL);
    if (is_value(pid))
        atomic_store_explicit(place, pid, memory_order_release);
    return pid;
}
