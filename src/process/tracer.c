#include "process/tracer.h"

#include "alloc/alloc.h"
#include "base/thread_progress.h"
#include "etf/encode.h"
#include "heap/copy.h"
#include "heap/kept.h"
#include "process/port_table.h"
#include "process/process_table.h"
#include "process/route.h"
#include "process/tracer_functions.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/map.h"

#include <stdatomic.h>

/* Settings' {Module, State}: `words` are the tuple. */
typedef struct {
    ProgressNode progress;
    _Atomic size_t references;
    Kept state;
    Term words[3]; /* the state as its last element */
} TracerBlock;

ErlangTracers erlang_tracers;

static TracerBlock *block_of(Tracer t) { return container_of((Term(*)[3])boxed_ptr(t.term), TracerBlock, words); }

Tracer tracer_of_module(Term module, Term state) {
    TracerBlock *b = mem_calloc(ALLOC_TRACE, sizeof *b);
    atomic_init(&b->references, 1);
    b->state = kept_make(state);
    b->words[0] = header_make(KIND_TUPLE, 2);
    b->words[1] = module;
    b->words[2] = kept_term(&b->state);
    return (Tracer){boxed_make(b->words)};
}

Tracer tracer_keep(Tracer t) {
    if (is_tracer_module(t.term)) {
        size_t before = atomic_fetch_add_explicit(&block_of(t)->references, 1, memory_order_relaxed);
        assume(before > 0);
        (void)before;
    }
    return t;
}

static void free_block(ProgressNode *node) {
    TracerBlock *b = container_of(node, TracerBlock, progress);
    kept_release(&b->state);
    mem_free(ALLOC_TRACE, b);
}

void tracer_drop(Tracer t) {
    if (!is_tracer_module(t.term))
        return;
    TracerBlock *b = block_of(t);
    if (atomic_fetch_sub_explicit(&b->references, 1, memory_order_acq_rel) > 1)
        return;
    b->progress.run = free_block;
    thread_progress_later(&b->progress);
}

/* Of the module erl_tracer the state alone: pids are spelt so, too. */
Term tracer_term(Tracer t, Area *area) {
    if (!is_tracer_module(t.term))
        return t.term;
    const Term *e = tuple_elements(t.term);
    return term_copy(e[0] == am_erl_tracer ? e[1] : t.term, area);
}

bool tracer_is_same(Tracer a, Tracer b) {
    return a.term == b.term || (is_tracer_module(a.term) && is_tracer_module(b.term) && term_identical(a.term, b.term));
}

static bool is_there(Term module, Term state) {
    return module == am_viv_tracer ? erlang_tracers.is_there(state) : tracer_functions_are_there(module);
}

/* The module erl_tracer is how processes are spelt as tracers of modules; with another state it is a tracer that is not
 * there. */
bool tracer_read(const Term *words, size_t count, Tracer *tracer) {
    bool is_of_process = count == 2 && words[0] == am_erl_tracer;
    if ((count == 1 || is_of_process) && is_tracer_place(words[count - 1])) {
        *tracer = (Tracer){words[count - 1]};
        return true;
    }
    if (count != 2 || !is_atom(words[0]) || !(is_of_process || is_there(words[0], words[1])))
        return false;
    *tracer = tracer_of_module(words[0], words[1]);
    return true;
}

bool tracer_read_option(Term option, Term tag, Tracer *tracer) {
    Tracer named;
    if (!is_tuple(option) || tuple_arity(option) < 2 || tuple_elements(option)[0] != tag ||
        !tracer_read(tuple_elements(option) + 1, tuple_arity(option) - 1, &named))
        return false;
    tracer_drop(*tracer);
    *tracer = named;
    return true;
}

static Term enabled(Term tracer, TracerTopic topic, Term tag, Term tracee) {
    const Term *t = tuple_elements(tracer);
    Term arguments[3] = {tag, t[1], tracee};
    thread_progress_enter();
    Term answer = t[0] == am_viv_tracer ? erlang_tracers.ask(t[1], topic, tag, tracee)
                                        : tracer_function_call(t[0], topic, TRACER_ENABLED, NULL, arguments);
    thread_progress_leave();
    return answer;
}

TracerAnswer tracer_ask(Term tracer, TracerTopic topic, Term tag, Term tracee) {
    Term answer = enabled(tracer, topic, tag, tracee);
    return answer == am_trace ? TRACER_TRACE : answer == am_discard ? TRACER_DISCARD : TRACER_REMOVE;
}

#define OPTIONS_WORDS 32
static Term options_of(Area *area, const TracerEvent *e) {
    const struct {
        Term key, value;
    } all[] = {{am_extra, e->extra},
               {am_match_spec_result, e->result},
               {am_scheduler_id, e->scheduler},
               {am_timestamp, e->timestamp}};
    Term pairs[2 * array_length(all)];
    size_t count = 0;
    for (size_t i = 0; i < array_length(all); i++)
        if (is_value(all[i].value)) {
            pairs[2 * count] = all[i].key;
            pairs[2 * count++ + 1] = all[i].value;
        }
    return map_from_pairs(area, pairs, count);
}

/* The options lie on the C stack: four pairs at most. */
static void call_to_tell(const Term *t, TracerTopic topic, const TracerEvent *e) {
    _Alignas(16) Term words[OPTIONS_WORDS];
    Area area = {.top = words, .limit = words + OPTIONS_WORDS};
    Term arguments[5] = {e->tag, t[1], e->tracee, e->term, options_of(&area, e)};
    tracer_function_call(t[0], topic, TRACER_TELL, e->self, arguments);
}

void tracer_tell(Term tracer, TracerTopic topic, const TracerEvent *e) {
    const Term *t = tuple_elements(tracer);
    thread_progress_enter();
    if (t[0] == am_viv_tracer)
        erlang_tracers.tell(t[1], topic, e);
    else
        call_to_tell(t, topic, e);
    thread_progress_leave();
}

bool tracer_is_alive(Term tracer, Term tracee) {
    if (is_tracer_module(tracer)) {
        Term answer = enabled(tracer, TOPIC_ANY, am_trace_status, tracee);
        return is_value(answer) && answer != am_remove;
    }
    return is_value(tracer) && is_tracer_place(tracer) && actor_find(tracer) != NULL;
}

static Term encoded(Term message, Area *area) {
    EtfEncoder e;
    int64_t work = INT64_MAX;
    etf_encoder_init(&e, message, ETF_WRITE, ETF_MINOR_DEFAULT, 0);
    (void)etf_encoder_run(&e, area, &work);
    Term binary = etf_encoder_binary(&e, area);
    etf_encoder_release(&e);
    return binary;
}

bool tracer_command_port(Term from, Term port, Term message) {
    FragmentArea fa;
    fragment_area_init(&fa, 0);
    bool is_there = routes.port_bytes(from, port, encoded(message, &fa.area));
    fragment_area_drop(&fa);
    return is_there;
}
