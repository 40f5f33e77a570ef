#include "process/code_holders.h"

#include "process/code_check.h"
#include "process/literal_release.h"
#include "process/purge.h"
#include "term/atom.h"
#include "term/fun.h"

static bool is_fun_of(const ModuleInstance *m, const Term *object) {
    const FunEntry *entry = ((const Fun *)object)->entry;
    const Word *address = __atomic_load_n(&entry->address, __ATOMIC_RELAXED);
    if (entry->module != m->name)
        return false;
    return (size_t)(address - m->code) < m->word_count || (address == fun_pending_address && purge_instance() == m);
}

static bool has_fun(const ModuleInstance *m, const Term *p, size_t count) {
    for (const Term *end = count == 0 ? p : p + count; p < end; p++) {
        if (!is_header(*p))
            continue;
        if (header_kind(*p) == KIND_FUN && is_fun_of(m, p))
            return true;
        if (header_is_opaque(*p))
            p += header_arity(*p);
    }
    return false;
}

static bool message_has_fun(const ModuleInstance *m, const Message *message) {
    if (has_fun(m, message->words, message->signal.detail))
        return true;
    for (const Fragment *f = message->data; f != NULL; f = f->next)
        if (has_fun(m, f->words, f->used))
            return true;
    return false;
}

/* After a major collection: all that is alive is in the young block, or in a message. */
static bool process_has_fun(const Process *p, const ModuleInstance *m) {
    const Heap *h = &p->heap;
    if (has_fun(m, h->start, (size_t)(h->area.top - h->start)))
        return true;
    for (const Fragment *f = h->fragments; f != NULL; f = f->next)
        if (has_fun(m, f->words, f->used))
            return true;
    for (const Message *message = p->messages; message != NULL; message = (const Message *)message->signal.next)
        if (!message->is_in_heap && message_has_fun(m, message))
            return true;
    return false;
}

#define AREAS_MAX 16
typedef struct {
    LiteralRange ranges[AREAS_MAX];
    unsigned count;
} Areas;

static void add_area(const LiteralArea *la, void *data) {
    Areas *areas = data;
    if (areas->count < AREAS_MAX)
        areas->ranges[areas->count++] = literal_range(la);
}

static bool has_literal(Process *p, const ModuleInstance *m, Term name) {
    Areas areas = {.count = 0};
    if (m != NULL && m->literals != NULL)
        add_area(m->literals, &areas);
    literal_release_each(name, add_area, &areas);
    for (unsigned i = 0; i < areas.count; i++)
        if (process_refers_to_literals(p, areas.ranges[i]))
            return true;
    return false;
}

static Term run(Process *p, SystemTask *task) {
    if (!process_collect_saved(p, COLLECT_MAJOR))
        return NIL;
    const ModuleInstance *m = code_to_check(task->argument);
    Area *area = process_area(p);
    bool literal = has_literal(p, m, task->argument), fun = m != NULL && process_has_fun(p, m);
    Term reasons = literal ? area_cons(area, am_literal, NIL) : NIL;
    reasons = fun ? area_cons(area, am_fun, reasons) : reasons;
    return m != NULL && code_check(p, m) ? area_cons(area, am_stack, reasons) : reasons;
}

static Term look(Process *p, SystemTask *task) {
    const ModuleInstance *m = code_to_check(task->argument);
    return m != NULL && code_check_dirty(p, m) == am_true ? am_native : NON_VALUE;
}

const SystemTaskKind system_task_holder = {.run = run, .look = look, .refusal = am_undefined};
