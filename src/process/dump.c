#include "process/dump.h"

#include <stdio.h>

#include "alloc/alloc.h"
#include "code/ranges.h"
#include "process/dictionary.h"
#include "process/dirty_gate.h"
#include "process/far.h"
#include "process/heap_figures.h"
#include "process/life.h"
#include "process/monitor.h"
#include "process/receive.h"
#include "process/registry.h"
#include "term/atom.h"
#include "term/node.h"
#include "term/print.h"

void dump_code_place(Text *to, const Word *address) {
    CodePlace place;
    if (address == process_entries.exit_normal) {
        text_string(to, "<terminate process normally>");
    } else if (address && range_place(address, &place)) {
        print_atom(to, place.function->module);
        text_byte(to, ':');
        print_atom(to, place.function->function);
        text_format(to, "/%d + %d", (int)place.function->arity,
                    (int)((const char *)address - (const char *)function_entry(place.function)));
    } else {
        text_string(to, "unknown function");
    }
}

static void put_slot(Text *to, unsigned number, Term t) {
    char name[16];
    snprintf(name, sizeof name, "y(%u)", number);
    text_format(to, "%-9s", name);
    if (is_catch(t)) {
        text_format(to, "Catch 0x%016lx (", (unsigned long)(uintptr_t)catch_handler(t));
        dump_code_place(to, catch_handler(t));
        text_byte(to, ')');
    } else {
        print_term(to, t);
    }
    text_byte(to, '\n');
}

static void put_place_line(Text *to, const Process *p) {
    text_format(to, "Program counter: 0x%016lx (", (unsigned long)(uintptr_t)p->ip);
    dump_code_place(to, process_place(p));
    text_string(to, ")\n");
}

/* The slots of the running function's frame come first, then, behind each return address, those of the function that it
 * leads to. A return address is named by the function that it lies in and the bytes from that one's entry. */
static void put_frames(Text *to, const Process *p) {
    unsigned number = 0;
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++) {
        if (!is_return_address(*slot)) {
            put_slot(to, number++, *slot);
            continue;
        }
        const Word *address = return_address_ip(*slot);
        text_format(to, "\n0x%016lx Return addr 0x%016lx (", (unsigned long)(uintptr_t)slot,
                    (unsigned long)(uintptr_t)address);
        dump_code_place(to, address);
        text_string(to, ")\n");
        number = 0;
    }
}

void process_backtrace(Text *to, const Process *p) {
    put_place_line(to, p);
    put_frames(to, p);
}

static void line(Text *to, const char *name, uint64_t n) { text_format(to, "%s: %llu\n", name, (unsigned long long)n); }

static const char *state_name(const Process *p, bool is_self) {
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    return p->flags & FLAG_COLLECTS                 ? "Garbing"
           : is_self || process_is_in_dirty_call(p) ? "Running"
           : state & STATE_EXITING                  ? "Exiting"
           : state & STATE_SUSPENDED                ? "Suspended"
           : state & STATE_ACTIVE                   ? "Scheduled"
                                                    : "Waiting";
}

void dump_state(Text *to, const Process *p, bool is_self, const char *prefix) {
    text_format(to, "%sState: %s\n", prefix, state_name(p, is_self));
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
    Area scratch; /* for what is put into one entry */
    Term pid; /* whose line it is */
    const char *before;
    Term words[16];
} LinkLine;

static Text *next_entry(LinkLine *l) {
    text_string(l->to, l->before);
    l->before = ", ";
    l->scratch = (Area){.top = l->words, .limit = l->words + array_length(l->words)};
    return l->to;
}

/* Of a monitor; `alias` is whom it leads to, or NON_VALUE. */
static void put_reference(LinkLine *l, uint64_t key, Term alias) {
    text_byte(l->to, ',');
    print_ref(l->to, monitor_reference(&l->scratch, key, alias));
    text_byte(l->to, '}');
}

static void put_link(KeyNode *node, void *data) {
    FarRoom room;
    print_term(next_entry(data), actor_key_lend(&room, node->key));
}

static void put_monitor(KeyNode *node, void *data) {
    const Monitor *m = (const Monitor *)node;
    LinkLine *l = data;
    if (!monitor_is_shown(m))
        return;
    Text *to = next_entry(l);
    FarRoom room;
    text_string(to, "{to,");
    print_term(to, m->type == MONITOR_FAR ? actor_key_lend(&room, m->target) : monitor_object(&l->scratch, m));
    put_reference(l, node->key, m->is_alias_reference ? l->pid : NON_VALUE);
}

/* By a process of another node. */
static void put_far_watcher(LinkLine *l, const NativeWatch *w) {
    FragmentArea built;
    fragment_area_init(&built, IDENT_MAX_WORDS + FAR_TERM_WORDS);
    Text *to = next_entry(l);
    text_string(to, "{from,");
    print_term(to, w->origin(w, &built.area));
    text_byte(to, ',');
    print_term(to, w->reference(w, &built.area));
    text_byte(to, '}');
    fragment_area_drop(&built);
}

static void put_watcher(KeyNode *node, void *data) {
    const Watcher *w = (const Watcher *)node;
    LinkLine *l = data;
    if (w->native != NULL) { /* the origin may be a resource, which has no name in text */
        if (w->native->reference != NULL)
            put_far_watcher(l, w->native);
        return;
    }
    Text *to = next_entry(l);
    text_string(to, "{from,");
    print_term(to, w->origin);
    put_reference(l, node->key, w->is_alias_reference ? w->origin : NON_VALUE);
}

static void put_links(Text *to, const Process *p) {
    LinkLine l = {.to = to, .pid = p->pid, .before = "Link list: ["};
    key_table_each(&p->links, put_link, &l);
    key_table_each(&p->monitors, put_monitor, &l);
    key_table_each(&p->watchers, put_watcher, &l);
    if (l.before[0] == ',')
        text_string(to, "]\n");
}

static void put_dictionary(Text *to, const Process *p) {
    FragmentArea scratch;
    fragment_area_init(&scratch, 64);
    Term list = dictionary_to_list(p, &scratch.area);
    if (!is_nil(list)) {
        text_string(to, "Dictionary: ");
        print_term(to, list);
        text_byte(to, '\n');
    }
    fragment_area_drop(&scratch);
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

void dump_internal_state(Text *to, const Process *p, bool is_self, const char *prefix) {
    static const char *const names[] = {"MAX", "HIGH", "NORMAL", "LOW"};
    uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
    text_format(to, "%sInternal State: ACT_PRIO_%s | USR_PRIO_%s | PRQ_PRIO_%s", prefix, names[process_run_priority(p)],
                names[process_priority(p)], names[p->run_place.priority & 3]);
    text_string(to, p->flags & FLAG_OFF_HEAP_MESSAGES ? " | OFF_HEAP_MSGQ" : "");
    text_string(to, state & STATE_EXITING ? " | EXITING" : "");
    text_string(to, p->flags & FLAG_COLLECTS ? " | GC" : "");
    text_string(to, state & STATE_ACTIVE ? " | ACTIVE" : "");
    text_string(to, is_self || process_is_in_dirty_call(p) ? " | RUNNING" : "");
    text_string(to, state & STATE_SUSPENDED ? " | SUSPENDED" : "");
    text_byte(to, '\n');
}

/* What a process that runs has in registers is not known. */
static void put_code_place(Text *to, const Process *p, bool is_self) {
    put_place_line(to, p);
    if (!is_self)
        text_format(to, "arity = %u\n", p->arity);
}

static void put_heap_fragments(Text *to, const Process *p) {
    line(to, "Number of heap fragments", fragment_count(&p->heap));
    line(to, "Heap fragment data", p->heap.fragment_words);
}

static void put_name(Text *to, const Process *p, bool is_self) {
    text_string(to, "=proc:");
    print_term(to, p->pid);
    text_byte(to, '\n');
    dump_state(to, p, is_self, "");
    put_origin(to, p);
}

void process_dump_crashed(Text *to, const Process *p, bool is_self) {
    put_name(to, p, is_self);
    line(to, "Message queue length", p->message_count);
    put_heap_fragments(to, p);
    put_links(to, p);
    line(to, "Reductions", p->reductions_done);
    put_heap(to, p);
    put_code_place(to, p, is_self);
    dump_internal_state(to, p, is_self, "");
}

/* A sensitive process shows neither its messages nor its dictionary and stack. */
void process_dump(Text *to, const Process *p, bool is_self) {
    bool shows = !process_is_sensitive(p);
    put_name(to, p, is_self);
    if (shows)
        put_messages(to, p);
    else
        line(to, "Message queue length", p->message_count);
    put_heap_fragments(to, p);
    put_links(to, p);
    if (shows)
        put_dictionary(to, p);
    line(to, "Reductions", p->reductions_done);
    put_heap(to, p);
    if (shows) {
        text_string(to, "Stack dump:\n");
        put_code_place(to, p, is_self);
        put_frames(to, p);
    }
    dump_internal_state(to, p, is_self, "");
}
