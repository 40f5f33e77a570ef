#include "process/code_check.h"

#include "base/long_work.h"
#include "process/dirty_gate.h"
#include "process/purge.h"
#include "term/atom.h"

#define WORDS_PER_REDUCTION 32
#define ROUND_WORDS 4096

static bool holds(CodeRange code, const Word *address) { return (size_t)(address - code.start) < code.words; }

/* A return address may be the end of the code: the call before it does not return. */
static bool refers(CodeRange code, Term t) {
    if (is_return_address(t))
        return holds(code, return_address_ip(t) - 1);
    return is_catch(t) && holds(code, catch_handler(t));
}

static bool stack_refers(CodeRange code, const Term *slot, const Term *end) {
    while (slot < end) {
        const Term *stop = end - slot > ROUND_WORDS ? slot + ROUND_WORDS : end;
        long_work_count(stop - slot);
        for (; slot < stop; slot++)
            if (refers(code, *slot))
                return true;
    }
    return false;
}

static bool runs(const Process *p, CodeRange code) {
    return holds(code, p->ip) || holds(code, atomic_load_explicit(&p->works_for, memory_order_acquire));
}

const ModuleInstance *code_to_check(Term name) {
    const ModuleInstance *purged = purge_instance();
    if (purged != NULL && purged->name == name)
        return purged;
    const Module *m = module_find(name);
    return m == NULL ? NULL : module_old(m);
}

bool code_check(const Process *p, CodeRange code) {
    LONG_WORK_OPEN;
    return runs(p, code) || stack_refers(code, p->heap.area.limit, p->heap.end);
}

Term code_check_dirty(Process *p, CodeRange code) {
    uint64_t turn = 0;
    for (const Term *slot = NULL, *end = NULL; turn == 0 || slot < end;) {
        uint64_t now = dirty_gate_look(p);
        if (now == 0 || (turn != 0 && now != turn)) {
            if (now != 0)
                dirty_gate_look_end(p);
            return NON_VALUE;
        }
        bool found = false;
        if (turn == 0) {
            slot = p->heap.area.limit;
            end = p->heap.end;
            found = runs(p, code);
        }
        turn = now;
        const Term *piece = end - slot > DIRTY_LOOK_WORDS ? slot + DIRTY_LOOK_WORDS : end;
        found = found || stack_refers(code, slot, piece);
        dirty_gate_look_end(p);
        if (found)
            return am_true;
        slot = piece;
    }
    return am_false;
}

static Term run(Process *p, SystemTask *task) {
    process_bump(p, 1 + (p->heap.end - p->heap.area.limit) / WORDS_PER_REDUCTION);
    const ModuleInstance *old = code_to_check(task->argument);
    return bool_term(old != NULL && code_check(p, code_range(old)));
}

static Term look(Process *p, SystemTask *task) {
    const ModuleInstance *old = code_to_check(task->argument);
    return old == NULL ? am_false : code_check_dirty(p, code_range(old));
}

const SystemTaskKind system_task_check_code = {.run = run, .look = look, .refusal = am_false};
