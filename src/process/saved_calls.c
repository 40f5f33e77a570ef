#include "process/saved_calls.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "code/export.h"
#include "process/sampling.h"
#include "term/atom.h"

void saved_calls_engage(Process *p) {
    SavedCalls *s = p->saved_calls;
    s->left = p->reductions;
    s->is_engaged = true;
    p->reductions = 1;
}

static int64_t left(const Process *p) {
    const SavedCalls *s = p->saved_calls;
    return s && s->is_engaged ? s->left - (1 - p->reductions) : p->reductions;
}

int64_t process_reductions_left(const Process *p) { return sampling_uncut(left(p)) + sampling_kept(); }

void saved_calls_disengage(Process *p) {
    p->reductions = left(p);
    p->saved_calls->is_engaged = false;
}

bool saved_calls_go_on(Process *p) {
    if (!p->saved_calls->is_engaged)
        return false;
    p->saved_calls->left = left(p);
    p->reductions = 1;
    return p->saved_calls->left > 0 && !long_work_is_exceeded();
}

uint32_t saved_calls_resize(Process *p, uint32_t size, bool in_engine) {
    uint32_t old = p->saved_calls ? p->saved_calls->size : 0;
    if (p->saved_calls) {
        saved_calls_disengage(p);
        mem_free(ALLOC_PROCESS_MISC, p->saved_calls);
        p->saved_calls = NULL;
    }
    if (size > 0) {
        p->saved_calls = mem_calloc(ALLOC_PROCESS_MISC, sizeof *p->saved_calls + size * sizeof(Word));
        p->saved_calls->size = size;
        if (in_engine)
            saved_calls_engage(p);
        else
            p->reductions = 0; /* if it runs after all: its next slice is the first that is saved */
    }
    return old;
}

static void add(SavedCalls *s, Word call) {
    s->calls[s->next] = call;
    s->next = s->next + 1 == s->size ? 0 : s->next + 1;
    if (s->count < s->size)
        s->count++;
}

void saved_calls_add(Process *p, const Export *e) {
    if (process_is_sensitive(p))
        return;
    add(p->saved_calls, (Word)(uintptr_t)e);
    if (e->module == am_erlang && e->function == am_send_word)
        add(p->saved_calls, am_send_word);
}

void saved_calls_add_event(Process *p, Term name) {
    if (!process_is_sensitive(p))
        add(p->saved_calls, name);
}

Term saved_calls_list(const Process *p, Area *area) {
    const SavedCalls *s = p->saved_calls;
    Term list = NIL;
    for (uint32_t i = 0, at = s->next; i < s->count; i++) {
        at = at == 0 ? s->size - 1 : at - 1;
        Term call = s->calls[at];
        if (!is_atom(call)) {
            const Export *e = (const Export *)(uintptr_t)call;
            call = area_tuple3(area, e->module, e->function, small_make(e->arity));
        }
        list = area_cons(area, call, list);
    }
    return list;
}
