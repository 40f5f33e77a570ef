#include "emu/stop.h"

#include "alloc/alloc.h"
#include "emu/interp.h"

/* The breakpoint of an export entry may be freed while the process waits, and where it led be purged. */
static const Word *lasting(Process *p, const Word *ip) {
    if (ip == NULL || handler_word(ip) != export_breakpoint_instruction)
        return ip;
    p->entered = ((const ExportBp *)ip[1])->export;
    return process_entries.enter_export;
}

const Word *emu_stop(Process *p, Term *x, StopReason why, const Word *ip, unsigned arity) {
    assume(heap_is_in_order(&p->heap)); /* others look at it from now on */
    if (unlikely(arity > p->saved_capacity)) {
        Term *saved = p->saved == p->saved_inline ? NULL : p->saved;
        p->saved = mem_realloc(ALLOC_PROCESS_MISC, saved, arity * sizeof(Term));
        p->saved_capacity = arity;
    }
    for (unsigned i = 0; i < arity; i++)
        p->saved[i] = x[i];
    p->arity = arity;
    p->ip = lasting(p, ip);
    registers_of(x)->stop = why;
    return NULL;
}

bool emu_collect(Process *p, Term *x, size_t need, unsigned live) { return process_collect(p, need, x, live); }

#ifdef VIV_TORTURE
#define TORTURE_WORDS 1000

bool emu_torture(const Process *p) {
    static _Thread_local size_t turn;
    size_t words = heap_total_words(&p->heap);
    return words < 2 * TORTURE_WORDS || ++turn % (words / TORTURE_WORDS) == 0;
}
#endif
