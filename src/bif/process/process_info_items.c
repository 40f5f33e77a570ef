#include "bif/process/process_info.h"

#include "base/long_work.h"
#include "bif/process/process_options.h"
#include "process/bif.h"
#include "emu/exception.h"
#include "heap/copy.h"
#include "process/heap_figures.h"
#include "process/dictionary.h"
#include "process/dirty_gate.h"
#include "process/dump.h"
#include "process/life.h"
#include "process/link.h"
#include "process/monitor.h"
#include "process/native_frame.h"
#include "process/place.h"
#include "process/receive.h"
#include "process/request.h"
#include "process/registry.h"
#include "process/saved_calls.h"
#include "process/seq_trace.h"
#include "process/suspend.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/integer.h"
#include "term/node.h"
#include "term/print.h"
#include "term/refc_binary.h"
#include "trace/caller.h"
#include "trace/session.h"

/* Of such a process the messages, the dictionary, the stack and the calls are nobody's business, not even its own. */
static bool is_sensitive(const Subject *s) { return process_is_sensitive(s->p); }

static Term number(const Subject *s, uint64_t n) { return integer_from_uint64(s->area, n); }

static Term mfa_term(Area *area, Term module, Term function, uint32_t arity) {
    return area_tuple3(area, module, function, small_make(arity));
}

static Term registered_name(const Subject *s) {
    Term name = registry_name_of(s->p);
    return is_value(name) ? name : NIL;
}

/* Where a call is traced that stands in no code, it is the caller's place. A process that has not run yet stands before
 * its first function. */
static bool place_of(const Subject *s, CodePlace *place) {
    const NativeFrame *f = s->p->native_frame;
    if (f != NULL && s->p->ip == native_frame_entry(f)) { /* a native call that goes on */
        *place = (CodePlace){.function = &f->code.header};
        return true;
    }
    return s->p->ip && (range_place(process_place(s->p), place) || trace_caller_place(s->p, place));
}

/* A native function runs, or is to: it has no place in the code, and as on the stock runtime no frame. */
static bool is_native(const Subject *s, const CodePlace *place) {
    return process_is_in_dirty_hands(s->p) && s->p->ip == function_entry(place->function) &&
           function_is_native(place->function);
}

/* The built-in function that it has called, but for those that others go on with. */
static bool is_in_bif(const Subject *s, RequestPlace *in) {
    const Export *e = s->p->current_bif;
    if (e == NULL || e->bif == NULL || (e->bif->flags & BIF_INTERNAL))
        return false;
    *in = (RequestPlace){e->module, e->function, e->arity};
    return true;
}

/* It is suspended until a port, or a connection, takes more. */
static bool is_suspended_in(const Subject *s, RequestPlace *in) {
    const Request *r = s->p->request;
    if (s->is_self || r == NULL || !r->is_suspension)
        return false;
    *in = r->place;
    return in->module != 0 || is_in_bif(s, in);
}

/* It is, or soon will be, on a dirty thread. */
static bool is_dirty_in(const Subject *s, bool has_place, const CodePlace *place, RequestPlace *in) {
    return process_is_in_dirty_hands(s->p) && !(has_place && is_native(s, place)) && is_in_bif(s, in);
}

static bool is_inside(const Subject *s, bool has_place, const CodePlace *place, RequestPlace *in) {
    return is_suspended_in(s, in) || is_dirty_in(s, has_place, place, in);
}

static Term initial_call(const Subject *s) {
    return mfa_term(s->area, s->p->initial_module, s->p->initial_function, s->p->initial_arity);
}

static Term current_function(const Subject *s) {
    CodePlace place;
    if (process_has_left_all(s->p))
        return mfa_term(s->area, am_erlang, am_hibernate, 3);
    bool has_place = place_of(s, &place);
    RequestPlace in;
    if (is_inside(s, has_place, &place, &in))
        return mfa_term(s->area, in.module, in.function, in.arity);
    if (!has_place)
        return initial_call(s);
    return mfa_term(s->area, place.function->module, place.function->function, (uint32_t)place.function->arity);
}

static Term current_location(const Subject *s) {
    CodePlace place;
    if (process_has_left_all(s->p))
        return area_tuple4(s->area, am_erlang, am_hibernate, small_make(3), NIL);
    bool has_place = place_of(s, &place);
    RequestPlace in;
    if (is_inside(s, has_place, &place, &in))
        return area_tuple4(s->area, in.module, in.function, small_make(in.arity), NIL);
    if (!has_place)
        return area_tuple4(s->area, s->p->initial_module, s->p->initial_function, small_make(s->p->initial_arity), NIL);
    if (is_native(s, &place))
        place.line = 0;
    return stacktrace_entry(s->area, &place, small_make((SWord)place.function->arity), NIL);
}

static Term current_stacktrace(const Subject *s) {
    CodePlace place;
    if (process_has_left_all(s->p))
        return NIL;
    bool native = place_of(s, &place) && is_native(s, &place);
    return stacktrace_of_process(s->p, native ? NULL : process_place(s->p), exception_depth, s->area);
}

static Term status(const Subject *s) {
    uint32_t state = atomic_load_explicit(&s->p->state, memory_order_relaxed);
    if (s->is_self || process_is_in_dirty_call(s->p))
        return am_running;
    if (state & STATE_SUSPENDED)
        return am_suspended;
    if (process_is_in_dirty_hands(s->p))
        return am_running; /* as stock: it waits for a thread of theirs */
    if (state & STATE_ACTIVE)
        return am_runnable;
    return s->p->request != NULL && s->p->request->is_suspension ? am_suspended : am_waiting;
}

static Term message_queue_len(const Subject *s) { return number(s, s->p->message_count); }

/* Who asks for its own may keep what it gets; others copy it. */
static Term own_message(const Subject *s, Message *m) {
    if (s->is_self && (s->p->flags & FLAG_OFF_HEAP_MESSAGES) && !m->is_in_heap)
        return term_needs_copy(m->term) ? term_copy(m->term, s->area) : m->term;
    if (s->is_self)
        message_move_in(s->p, m);
    return m->term;
}

static Term messages(const Subject *s) {
    size_t count = s->p->message_count;
    if (count == 0 || is_sensitive(s))
        return NIL;
    Term *cells = area_alloc(s->area, 2 * count), list = list_make(cells);
    for (Message *m = s->p->messages; m; m = (Message *)m->signal.next, cells += 2) {
        long_work_count(MESSAGE_UNITS_TO_LOOK);
        cells[0] = own_message(s, m);
        cells[1] = m->signal.next ? list_make(cells + 2) : NIL;
    }
    return list;
}

typedef struct {
    const Subject *subject;
    Term list;
} Gathered;

static void add_link(KeyNode *node, void *data) {
    Gathered *g = data;
    Area *area = g->subject->area;
    if (((const Link *)node)->unlinking == 0)
        g->list = area_cons(area, actor_key_term(area, node->key), g->list);
}

static void add_watcher(KeyNode *node, void *data) {
    Gathered *g = data;
    const Watcher *w = (const Watcher *)node;
    Area *area = g->subject->area;
    Term origin = w->native != NULL ? w->native->origin(w->native, area) : w->origin;
    if (is_value(origin))
        g->list = area_cons(area, origin, g->list);
}

static void add_monitor(KeyNode *node, void *data) {
    Gathered *g = data;
    Monitor *m = (Monitor *)node;
    Area *area = g->subject->area;
    if (!monitor_is_shown(m))
        return;
    Term type = m->type == MONITOR_PORT ? am_port : m->type == MONITOR_TIME_OFFSET ? am_time_offset : am_process;
    g->list = area_cons(area, area_tuple2(area, type, monitor_object(area, m)), g->list);
}

static Term gather(const Subject *s, const KeyTable *table, void (*add)(KeyNode *, void *)) {
    Gathered g = {s, NIL};
    key_table_each(table, add, &g);
    return g.list;
}

static Term links(const Subject *s) { return gather(s, &s->p->links, add_link); }
static Term monitors(const Subject *s) { return gather(s, &s->p->monitors, add_monitor); }
static Term monitored_by(const Subject *s) { return gather(s, &s->p->watchers, add_watcher); }
static Term dictionary(const Subject *s) { return is_sensitive(s) ? NIL : dictionary_to_list(s->p, s->area); }
/* What proc_lib:set_label/1 has put into the dictionary; it is told of a sensitive process, too. */
static Term label(const Subject *s) {
    Term value = dictionary_get(s->p, am_process_label);
    return is_value(value) ? value : am_undefined;
}

static Term async_dist(const Subject *s) { return bool_term(s->p->flags & FLAG_ASYNC_DIST); }
static Term trap_exit(const Subject *s) { return bool_term(s->p->flags & FLAG_TRAP_EXIT); }
static Term priority_messages(const Subject *s) {
    return bool_term(link_takes_priority(s->p) || monitor_takes_priority(s->p));
}
static Term error_handler(const Subject *s) { return s->p->error_handler; }
static Term priority(const Subject *s) { return priority_term(process_priority(s->p)); }
static Term group_leader(const Subject *s) { return s->p->group_leader; }
static Term heap_size(const Subject *s) { return number(s, heap_size_words(&s->p->heap) + heap_unused_promise(s->p)); }
static Term total_heap_size(const Subject *s) {
    size_t words = heap_total_words(&s->p->heap) + heap_unused_promise(s->p);
    return number(s, words + message_words_beside(s->p));
}
static Term stack_size(const Subject *s) { return number(s, (size_t)(s->p->heap.end - s->p->heap.area.limit)); }
static Term memory(const Subject *s) { return number(s, process_memory(s->p)); }
/* For viv_memory: {Structure, Heap, OldHeap, Fragments, Dictionary, Messages, Links, Registers, Signals}: a count of
 * signals, else bytes. */
static Term memory_parts(const Subject *s) {
    ProcessParts p = process_parts(s->p);
    const size_t parts[] = {p.structure, p.heap,  p.old_heap,  p.fragments, p.dictionary,
                            p.messages,  p.links, p.registers, p.signals};
    Term elements[array_length(parts)];
    for (size_t i = 0; i < array_length(parts); i++)
        elements[i] = number(s, parts[i]);
    return area_tuple(s->area, elements, array_length(parts));
}
static Term catchlevel(const Subject *s) { return number(s, s->p->catches); }
static Term trace(const Subject *s) { return number(s, trace_flags_set(s->p)); }
static Term last_calls(const Subject *s) { return s->p->saved_calls ? saved_calls_list(s->p, s->area) : am_false; }
static Term sequential_trace_token(const Subject *s) { return seq_trace_token_term(s->p, s->area); }
static Term parent(const Subject *s) { return is_value(s->p->parent) ? s->p->parent : am_undefined; }
static Term min_heap_size(const Subject *s) { return number(s, s->p->heap.min_words); }
static Term min_bin_vheap_size(const Subject *s) { return number(s, s->p->heap.min_virtual_words); }
static Term fullsweep_after(const Subject *s) { return number(s, s->p->heap.fullsweep_after); }

static Term max_heap_size(const Subject *s) {
    return max_heap_size_term(s->area, s->p->heap.max_words, s->p->heap.max_flags);
}

static Term message_queue_data(const Subject *s) {
    return s->p->flags & FLAG_OFF_HEAP_MESSAGES ? am_off_heap : am_on_heap;
}

static Term reductions(const Subject *s) {
    int64_t now = s->is_self ? REDUCTIONS_PER_SLICE - process_reductions_left(s->p) : 0;
    return number(s, s->p->reductions_done + (uint64_t)(now > 0 ? now : 0));
}

typedef struct {
    const Subject *subject;
    Term list;
} SuspendingList;

static void add_suspending(KeyNode *node, void *data) {
    SuspendingList *to = data;
    const Subject *s = to->subject;
    const Suspending *one = (const Suspending *)node;
    Term count = number(s, one->count), none = small_make(0);
    bool holds = suspend_holds(one);
    Term entry = area_tuple3(s->area, (Term)node->key, holds ? count : none, holds ? none : count);
    to->list = area_cons(s->area, entry, to->list);
}

static Term suspending(const Subject *s) {
    SuspendingList to = {s, NIL};
    suspend_each(s->p, add_suspending, &to);
    return to.list;
}

typedef struct {
    Term key;
    uint64_t value;
} Figure;

static Term figures(const Subject *s, const Figure *f, size_t count, Term list) {
    while (count-- > 0)
        list = area_cons(s->area, area_tuple2(s->area, f[count].key, number(s, f[count].value)), list);
    return list;
}

static Term garbage_collection(const Subject *s) {
    const Heap *h = &s->p->heap;
    Figure f[] = {
        {am_min_bin_vheap_size, h->min_virtual_words},
        {am_min_heap_size, h->min_words},
        {am_fullsweep_after, h->fullsweep_after},
        {am_minor_gcs, h->minor_count},
    };
    Term limit = area_tuple2(s->area, am_max_heap_size, max_heap_size(s));
    return area_cons(s->area, limit, figures(s, f, array_length(f), NIL));
}

static Term garbage_collection_info(const Subject *s) { return heap_figures(s->p, s->area); }

/* {Address, Bytes, References} of what each object of the kind keeps alive outside of the heap. */
static Term add_outside(const Subject *s, const OffHeap *object, Kind kind, Term list) {
    for (; object; object = object->next) {
        if (header_kind(object->header) != kind)
            continue;
        RefcBinary *b = kind == KIND_MAGIC_REF ? ((const MagicRef *)object)->binary : ((const BinRef *)object)->binary;
        Term entry = area_tuple3(s->area, number(s, (uint64_t)(uintptr_t)b), number(s, b->size),
                                 number(s, (uint64_t)atomic_load(&b->refc)));
        list = area_cons(s->area, entry, list);
    }
    return list;
}

static Term outside(const Subject *s, Kind kind) {
    const Heap *h = &s->p->heap;
    Term list = add_outside(s, h->area.off_heap, kind, add_outside(s, h->old_off_heap, kind, NIL));
    for (const Fragment *f = h->fragments; f; f = f->next)
        list = add_outside(s, f->off_heap, kind, list);
    return list;
}

static Term binary(const Subject *s) { return outside(s, KIND_BIN_REF); }
static Term magic_ref(const Subject *s) { return outside(s, KIND_MAGIC_REF); }

static Term backtrace(const Subject *s) {
    TEXT(text);
    if (!is_sensitive(s))
        process_backtrace(&text, s->p);
    return binary_from_bytes(s->area, text.bytes, text.size);
}

typedef struct {
    Term name;
    InfoItem *item;
    enum { SMALL, LARGE } size; /* that it may have */
} ItemRow;

static const ItemRow items[] = {
    {am_registered_name, registered_name, LARGE},
    {am_current_function, current_function, SMALL},
    {am_current_location, current_location, LARGE},
    {am_current_stacktrace, current_stacktrace, LARGE},
    {am_initial_call, initial_call, SMALL},
    {am_status, status, SMALL},
    {am_message_queue_len, message_queue_len, SMALL},
    {am_messages, messages, LARGE},
    {am_links, links, LARGE},
    {am_monitors, monitors, LARGE},
    {am_monitored_by, monitored_by, LARGE},
    {am_dictionary, dictionary, LARGE},
    {am_trap_exit, trap_exit, SMALL},
    {am_error_handler, error_handler, SMALL},
    {am_heap_size, heap_size, SMALL},
    {am_total_heap_size, total_heap_size, LARGE},
    {am_stack_size, stack_size, SMALL},
    {am_memory, memory, LARGE},
    {am_garbage_collection, garbage_collection, LARGE},
    {am_garbage_collection_info, garbage_collection_info, LARGE},
    {am_group_leader, group_leader, LARGE},
    {am_reductions, reductions, SMALL},
    {am_priority, priority, SMALL},
    {am_trace, trace, LARGE},
    {am_binary, binary, LARGE},
    {am_magic_ref, magic_ref, LARGE},
    {am_sequential_trace_token, sequential_trace_token, LARGE},
    {am_catchlevel, catchlevel, SMALL},
    {am_backtrace, backtrace, LARGE},
    {am_last_calls, last_calls, LARGE},
    {am_suspending, suspending, LARGE},
    {am_min_heap_size, min_heap_size, SMALL},
    {am_min_bin_vheap_size, min_bin_vheap_size, SMALL},
    {am_max_heap_size, max_heap_size, LARGE},
    {am_fullsweep_after, fullsweep_after, SMALL},
    {am_message_queue_data, message_queue_data, SMALL},
    {am_parent, parent, LARGE},
};

static const struct {
    ItemRow row;
    ReleaseTrait trait;
} later_items[] = {
    {{am_async_dist, async_dist, SMALL}, RELEASE_ASYNC_DIST},
    {{am_label, label, LARGE}, RELEASE_LABELS},
    {{am_priority_messages, priority_messages, SMALL}, RELEASE_PRIORITY_MESSAGES},
};

/* What only the runtime's own modules ask: it is not among the names. */
static const ItemRow own_item = {am_viv_memory_parts, memory_parts, LARGE};

static const ItemRow *row_of(Term name) {
    if (name == own_item.name)
        return &own_item;
    for (size_t i = 0; i < array_length(items); i++)
        if (items[i].name == name)
            return &items[i];
    for (size_t i = 0; i < array_length(later_items); i++)
        if (later_items[i].row.name == name && release_has(later_items[i].trait))
            return &later_items[i].row;
    return NULL;
}

InfoItem *process_info_item(Term name) {
    const ItemRow *row = row_of(name);
    return row ? row->item : NULL;
}

InfoItem *process_info_small_item(Term name) {
    const ItemRow *row = row_of(name);
    return row && row->size == SMALL ? row->item : NULL;
}

/* Those that the stock runtime names, too. */
Term process_info_names(Area *area) {
    Term list = NIL;
    for (size_t i = array_length(items); i-- > 0;)
        if (items[i].name != am_viv_memory_parts)
            list = area_cons(area, items[i].name, list);
    for (size_t i = array_length(later_items); i-- > 0;)
        if (release_has(later_items[i].trait))
            list = area_cons(area, later_items[i].row.name, list);
    return list;
}
