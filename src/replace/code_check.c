#include "replace/code_check.h"

#include "base/long_work.h"
#include "replace/purge.h"
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

static Term run(Process *p, SystemTask *task) {
    process_bump(p, 1 + (p->heap.end - p->heap.area.limit) / WORDS_PER_REDUCTION);
    const ModuleInstance *old = code_to_check(task->argument);
    return bool_term(old != NULL && code_check(p, code_range(old)));
}

const SystemTaskKind system_task_check_code = {.run = run, .look = run, .refusal = am_false};
