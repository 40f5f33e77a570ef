#include "replace/code_holders.h"

#include "base/long_work.h"
#include "replace/code_check.h"
#include "replace/literal_release.h"
#include "replace/purge.h"
#include "term/atom.h"
#include "term/fun.h"

#define AREAS_MAX 16
#define ROUND_WORDS 4096

/* What is asked about, as it was at the beginning: a walk may take the thread offline. */
typedef struct {
    Term name;
    bool is_there; /* old code; otherwise there may be literals of it still */
    bool is_purged;
    CodeRange code;
    LiteralRange areas[AREAS_MAX];
    unsigned area_count;
} Held;

static bool is_fun_of(const Held *held, const Term *object) {
    const FunEntry *entry = ((const Fun *)object)->entry;
    const Word *address = __atomic_load_n(&entry->address, __ATOMIC_RELAXED);
    if (entry->module != held->name)
        return false;
    return (size_t)(address - held->code.start) < held->code.words ||
           (address == fun_pending_address && held->is_purged);
}

static bool has_fun(const Held *held, const Term *p, size_t count) {
    for (const Term *end = count == 0 ? p : p + count; p < end;) {
        const Term *stop = end - p > ROUND_WORDS ? p + ROUND_WORDS : end;
        long_work_count(stop - p);
        for (; p < stop; p++) {
            if (!is_header(*p))
                continue;
            if (header_kind(*p) == KIND_FUN && is_fun_of(held, p))
                return true;
            if (header_is_opaque(*p))
                p += header_arity(*p);
        }
    }
    return false;
}

static bool message_has_fun(const Held *held, const Message *message) {
    if (has_fun(held, message->words, message->signal.detail))
        return true;
    for (const Fragment *f = message->data; f != NULL; f = f->next)
        if (has_fun(held, f->words, f->used))
            return true;
    return false;
}

/* After a major collection: all that is alive is in the young block, or in a message. */
static bool process_has_fun(const Process *p, const Held *held) {
    const Heap *h = &p->heap;
    LONG_WORK_OPEN;
    if (has_fun(held, h->start, (size_t)(h->area.top - h->start)))
        return true;
    for (const Fragment *f = h->fragments; f != NULL; f = f->next)
        if (has_fun(held, f->words, f->used))
            return true;
    for (const Message *message = p->messages; message != NULL; message = (const Message *)message->signal.next) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        if (!message->is_in_heap && message_has_fun(held, message))
            return true;
    }
    return false;
}

static void add_area(const LiteralArea *la, void *data) {
    Held *held = data;
    if (held->area_count < AREAS_MAX)
        held->areas[held->area_count++] = literal_range(la);
}

static Held what_is_held(Term name) {
    Held held = {.name = name};
    const ModuleInstance *m = code_to_check(name);
    if (m != NULL) {
        held.is_there = true;
        held.is_purged = m == purge_instance();
        held.code = code_range(m);
        if (m->literals != NULL)
            add_area(m->literals, &held);
    }
    literal_release_each(name, add_area, &held);
    return held;
}

static bool has_literal(Process *p, const Held *held) {
    for (unsigned i = 0; i < held->area_count; i++)
        if (process_refers_to_literals(p, (LiteralSet){.range = held->areas[i]}))
            return true;
    return false;
}

static Term run(Process *p, SystemTask *task) {
    if (!process_collect_saved(p, COLLECT_MAJOR))
        return NIL;
    const Held held = what_is_held(task->argument);
    bool literal = has_literal(p, &held), fun = held.is_there && process_has_fun(p, &held);
    bool stack = held.is_there && code_check(p, held.code);
    Area *area = process_area(p);
    Term reasons = literal ? area_cons(area, am_literal, NIL) : NIL;
    reasons = fun ? area_cons(area, am_fun, reasons) : reasons;
    return stack ? area_cons(area, am_stack, reasons) : reasons;
}

static Term look(Process *p, SystemTask *task) {
    const ModuleInstance *m = code_to_check(task->argument);
    return m != NULL && code_check(p, code_range(m)) ? am_native : NON_VALUE;
}

const SystemTaskKind system_task_holder = {.run = run, .look = look, .refusal = am_undefined};
