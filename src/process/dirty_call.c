#include "process/dirty_call.h"

#include "alloc/alloc.h"
#include "process/dirty_gate.h"
#include "process/memory_site.h"

static __thread Process *stand_in_here, *process_here;

/* Nobody ever sees it. It is the thread's, and stays. */
static Process *stand_in_of_thread(void) {
    if (stand_in_here == NULL) {
        stand_in_here = mem_calloc(ALLOC_SCHEDULER, sizeof *stand_in_here);
        heap_init_loose(&stand_in_here->heap);
    }
    return stand_in_here;
}

Process *dirty_call_begin(Process *p) {
    Process *s = stand_in_of_thread();
    s->pid = p->pid;
    s->ip = p->ip;
    s->current_bif = p->current_bif;
    s->reductions = p->reductions;
    s->fail = p->fail;
    process_here = p;
    memory_site_enter(s);
    bool keeps_code = atomic_load_explicit(&p->works_for, memory_order_relaxed) != NULL;
    dirty_gate_open(p, keeps_code ? GATE_CALL : GATE_CALL_TO_END);
    return s;
}

void dirty_call_end(Process *p, Process *s) {
    memory_site_leave();
    dirty_gate_shut(p);
    process_here = NULL;
    heap_adopt_fragments(&p->heap, heap_take_fragments(&s->heap));
    p->reductions = s->reductions;
    p->fail = s->fail;
}

Process *dirty_call_process(void) { return process_here; }
