/*
 * A process as a section of text: what a crash dump of the stock runtime says of it. Written by the process itself.
 * Source: "How to interpret the Erlang crash dumps" in the ERTS user's guide; answers of erlang:system_info(procs).
 */
#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif/process_backtrace.h"
#include "bif_table.h"
#include "process/dictionary.h"
#include "process/heap_figures.h"
#include "process/monitor.h"
#include "process/receive.h"
#include "process/registry.h"
#include "process/request.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/node.h"
#include "term/print.h"

static void line(Text *to, const char *name, uint64_t n) { text_format(to, "%s: %llu\n", name, (unsigned long long)n); }

static void put_state(Text *to, const Process *p, bool is_self) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    text_format(to, "State: %s\n",
                is_self                    ? "Running"
                : state & STATE_SUSPENDED ? "Suspended"
                : state & STATE_ACTIVE    ? "Scheduled"
                                          : "Waiting");
}

static void put_origin(Text *to, const Process *p) {
    Term name = registry_name_of(p);
    if (is_value(name)) {
        text_string(to, "Name: ");
        print_term(to, name);
        text_byte(to, '\n');
    }
    text_string(to, "Spawned as: ");
    print_atom(to, p->initial_module);
    text_byte(to, ':');
    print_atom(to, p->initial_function);
    text_format(to, "/%u\nSpawned by: ", p->initial_arity);
    print_term(to, is_value(p->parent) ? p->parent : NIL);
    text_byte(to, '\n');
}

static void put_messages(Text *to, const Process *p) {
    line(to, "Message queue length", p->message_count);
    if (p->message_count == 0)
        return;
    const char *before = "Message queue: [";
    for (const Message *m = p->messages; m; m = (const Message *)m->signal.next, before = ",") {
        text_string(to, before);
        print_term(to, m->term);
    }
    text_string(to, "]\n");
}

/* The first one is preceded by the line's name, the others by a comma. */
typedef struct {
    Text *to;
    Area *scratch;
    Term pid; /* whose line it is */
    const char *before;
} LinkLine;

static Text *next_entry(LinkLine *l) {
    text_string(l->to, l->before);
    l->before = ", ";
    return l->to;
}

/* Of a monitor; `alias` is whom it leads to, or NON_VALUE. */
static void put_reference(LinkLine *l, uint64_t key, Term alias) {
    text_byte(l->to, ',');
    print_ref(l->to, monitor_reference(l->scratch, key, alias));
    text_byte(l->to, '}');
}

static void put_link(KeyNode *node, void *data) { print_term(next_entry(data), node->key); }

static void put_monitor(KeyNode *node, void *data) {
    const Monitor *m = (const Monitor *)node;
    LinkLine *l = data;
    if (m->type == MONITOR_NONE)
        return;
    Text *to = next_entry(l);
    Term whom = m->type == MONITOR_TIME_OFFSET ? am_clock_service : m->target;
    if (is_value(m->name))
        whom = area_tuple2(l->scratch, m->name, node_this_name());
    text_string(to, "{to,");
    print_term(to, whom);
    put_reference(l, node->key, m->is_alias_reference ? l->pid : NON_VALUE);
}

static void put_watcher(KeyNode *node, void *data) {
    const Watcher *w = (const Watcher *)node;
    LinkLine *l = data;
    if (w->native != NULL) /* its origin is a resource, which has no name in text */
        return;
    Text *to = next_entry(l);
    text_string(to, "{from,");
    print_term(to, w->origin);
    put_reference(l, node->key, w->is_alias_reference ? w->origin : NON_VALUE);
}

static void put_links(Text *to, const Process *p, Area *scratch) {
    LinkLine l = {to, scratch, p->pid, "Link list: ["};
    key_table_each(&p->links, put_link, &l);
    key_table_each(&p->monitors, put_monitor, &l);
    key_table_each(&p->watchers, put_watcher, &l);
    if (l.before[0] == ',')
        text_string(to, "]\n");
}

static void put_dictionary(Text *to, const Process *p, Area *scratch) {
    Term list = dictionary_to_list(p, scratch);
    if (is_nil(list))
        return;
    text_string(to, "Dictionary: ");
    print_term(to, list);
    text_byte(to, '\n');
}

static void put_heap(Text *to, const Process *p) {
    const Heap *h = &p->heap;
    size_t size = heap_size_words(h) + heap_unused_promise(p), stack = (size_t)(h->end - h->area.limit);
    size_t used = (size_t)(h->area.top - h->start) + stack, old_size = (size_t)(h->old_end - h->old_start);
    size_t old_used = (size_t)(h->old_top - h->old_start);
    size_t off_heap = h->area.off_heap_bytes / WORD_BYTES, old_off_heap = h->old_off_heap_bytes / WORD_BYTES;
    size_t limit = h->virtual_limit / WORD_BYTES, old_limit = h->old_virtual_limit / WORD_BYTES;
    line(to, "Stack+heap", size);
    line(to, "OldHeap", old_size);
    line(to, "Heap unused", size - used);
    line(to, "OldHeap unused", old_size - old_used);
    line(to, "BinVHeap", off_heap);
    line(to, "OldBinVHeap", old_off_heap);
    line(to, "BinVHeap unused", limit > off_heap ? limit - off_heap : 0);
    line(to, "OldBinVHeap unused", old_limit > old_off_heap ? old_limit - old_off_heap : 0);
    line(to, "Memory", process_memory(p));
}

static unsigned fragment_count(const Heap *h) {
    unsigned count = 0;
    for (const Fragment *f = h->fragments; f; f = f->next)
        count++;
    return count;
}

static void put_internal_state(Text *to, const Process *p, bool is_self) {
    static const char *const names[] = {"MAX", "HIGH", "NORMAL", "LOW"};
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    text_format(to, "Internal State: ACT_PRIO_%s | USR_PRIO_%s | PRQ_PRIO_%s", names[process_run_priority(p)],
                names[process_priority(p)], names[p->queue_priority]);
    text_string(to, p->flags & FLAG_OFF_HEAP_MESSAGES ? " | OFF_HEAP_MSGQ" : "");
    text_string(to, state & STATE_ACTIVE ? " | ACTIVE" : "");
    text_string(to, is_self ? " | RUNNING" : "");
    text_string(to, state & STATE_SUSPENDED ? " | SUSPENDED" : "");
    text_byte(to, '\n');
}

/* By the thread that runs p. A sensitive process shows neither its messages nor its dictionary and stack. */
static void put_process(Text *to, const Process *p, bool is_self) {
    bool shows = !(p->flags & FLAG_SENSITIVE);
    FragmentArea scratch;
    fragment_area_init(&scratch, 64);
    text_string(to, "=proc:");
    print_term(to, p->pid);
    text_byte(to, '\n');
    put_state(to, p, is_self);
    put_origin(to, p);
    if (shows)
        put_messages(to, p);
    else
        line(to, "Message queue length", p->message_count);
    line(to, "Number of heap fragments", fragment_count(&p->heap));
    line(to, "Heap fragment data", p->heap.fragment_words);
    put_links(to, p, &scratch.area);
    if (shows)
        put_dictionary(to, p, &scratch.area);
    line(to, "Reductions", p->reductions_done);
    put_heap(to, p);
    if (shows) {
        text_string(to, "Stack dump:\n");
        process_backtrace(to, p);
    }
    put_internal_state(to, p, is_self);
    fragment_area_drop(&scratch);
}

typedef struct {
    CallSignal call;
    Term asker;
    uint64_t id;
} TextSignal;

static void take_question(Process *p, CallSignal *call) {
    TextSignal *s = container_of(call, TextSignal, call);
    if (process_is_exiting(p)) {
        request_reply(s->asker, s->id, am_undefined);
    } else {
        TEXT(text);
        FragmentArea fa;
        put_process(&text, p, false);
        fragment_area_init(&fa, 16);
        request_reply(s->asker, s->id, binary_from_bytes(&fa.area, text.bytes, text.size));
        fragment_area_drop(&fa);
    }
    mem_free(ALLOC_SIGNAL, s);
}

Term viv_system_process_text_1(Process *p, const Term *a) {
    Term answer;
    if (request_goes_on(p, &answer))
        return answer;
    if (!is_local_pid(a[0]))
        return fail_badarg(p);
    if (a[0] == p->pid) {
        TEXT(text);
        put_process(&text, p, true);
        return binary_from_bytes(process_area(p), text.bytes, text.size);
    }
    TextSignal *s = mem_alloc(ALLOC_SIGNAL, sizeof *s);
    signal_init(&s->call.signal, SIGNAL_CALL);
    s->call.handle = take_question;
    s->asker = p->pid;
    s->id = request_begin(p);
    if (signal_send(a[0], &s->call.signal))
        return request_wait(p);
    mem_free(ALLOC_SIGNAL, s);
    request_end(p);
    return am_undefined;
}
