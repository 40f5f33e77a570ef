/* erlang:process_info/1,2: of oneself at once, of another process by a signal that it answers, or, when it sleeps and
 * the answer is small, by a look at it. */
#include "bif/process/process_info.h"

#include "alloc/alloc.h"
#include "bif/argument.h"
#include "bif_table.h"
#include "heap/copy.h"
#include "process/dictionary.h"
#include "process/process_table.h"
#include "process/receive.h"
#include "process/request.h"
#include "process/rest.h"
#include "process/signal_handle.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/node.h"

typedef enum { FORM_ALL, FORM_LIST, FORM_SINGLE, FORM_NAMELESS } Form;

static const Term all_items[] = {
    am_registered_name,   am_current_function,
    am_initial_call,      am_status,
    am_message_queue_len, am_links,
    am_dictionary,        am_trap_exit,
    am_error_handler,     am_priority,
    am_group_leader,      am_total_heap_size,
    am_heap_size,         am_stack_size,
    am_reductions,        am_garbage_collection,
    am_suspending,
};

/* What is asked for. */
typedef struct {
    Form form;
    InfoItem *nameless; /* of that form: the only item */
    size_t count;
    const Term *names;
} Items;

typedef struct {
    CallSignal call;
    Term asker;
    uint64_t id;
    Items items; /* whose names are these */
    Kept item; /* what the names are parts of */
    Term names[];
} Question;

static void question_free(Question *q) {
    kept_release(&q->item);
    mem_free(ALLOC_SIGNAL, q);
}

/* {dictionary, Key}: one entry of the process dictionary. */
static bool is_dictionary_key(Term name) {
    return release_has(RELEASE_DICTIONARY_KEYS) && is_tuple_arity(name, 2) && tuple_elements(name)[0] == am_dictionary;
}

static Term value_of(const Subject *s, Term name) {
    if (!is_dictionary_key(name))
        return process_info_item(name)(s);
    if (process_is_sensitive(s->p))
        return am_undefined;
    Term value = dictionary_get(s->p, tuple_elements(name)[1]);
    return is_value(value) ? value : am_undefined;
}

static Term answer_of(const Subject *s, const Items *of) {
    Term list = NIL;
    if (of->form == FORM_NAMELESS)
        return of->nameless(s);
    for (size_t i = of->count; i-- > 0;) {
        Term value = value_of(s, of->names[i]);
        bool is_nameless = of->names[i] == am_registered_name && is_nil(value);
        if (is_nameless && of->form == FORM_SINGLE)
            return NIL;
        if (is_nameless && of->form == FORM_ALL)
            continue;
        Term pair = area_tuple2(s->area, of->names[i], value);
        if (of->form == FORM_SINGLE)
            return pair;
        list = area_cons(s->area, pair, list);
    }
    return list;
}

static void answer(Process *p, CallSignal *call) {
    Question *q = container_of(call, Question, call);
    if (process_is_exiting(p)) {
        request_reply(q->asker, q->id, am_undefined);
    } else {
        FragmentArea fa;
        fragment_area_init(&fa, 64);
        Subject s = {p, &fa.area, false};
        request_reply(q->asker, q->id, answer_of(&s, &q->items));
        fragment_area_drop(&fa);
    }
    question_free(q);
}

static bool is_item(Term name) { return is_dictionary_key(name) || process_info_item(name) != NULL; }

static bool is_one(Term item) { return !is_list(item) && !is_nil(item); }

/* How many items it names; -1: one is unknown, or the list is improper. */
static int64_t count_of(Term item) {
    if (is_one(item))
        return is_item(item) ? 1 : -1;
    for (Term l = item; is_list(l); l = list_tail(l))
        if (!is_item(list_head(l)))
            return -1;
    return list_length(item);
}

static Items items_of(Term item, size_t count, Term *names) {
    if (is_one(item)) {
        names[0] = item;
        return (Items){.form = FORM_SINGLE, .count = 1, .names = names};
    }
    for (size_t i = 0; is_list(item); item = list_tail(item))
        names[i++] = list_head(item);
    return (Items){.form = FORM_LIST, .count = count, .names = names};
}

static Question *question_create(size_t count) {
    Question *q = mem_calloc(ALLOC_SIGNAL, sizeof *q + count * sizeof(Term));
    signal_init(&q->call.signal, SIGNAL_CALL);
    q->call.handle = answer;
    return q;
}

static Term ask_other(Process *p, Term pid, Question *q) {
    q->asker = p->pid;
    q->id = request_begin(p);
    if (signal_ask(p, pid, &q->call.signal))
        return request_wait(p);
    question_free(q);
    request_end(p);
    return am_undefined;
}

static Term ask_oneself(Process *p, const Items *items) {
    Subject s = {p, process_area(p), true};
    return signal_midway_result(p, signal_handle_midway(p) ? answer_of(&s, items) : NON_VALUE);
}

/* Of names that stay where they are. */
static Term ask(Process *p, Term pid, const Items *items) {
    if (pid == p->pid)
        return ask_oneself(p, items);
    Question *q = question_create(0);
    q->items = *items;
    return ask_other(p, pid, q);
}

#define FEW_ITEMS 32
static Term ask_oneself_for(Process *p, Term item, size_t count) {
    Term few[FEW_ITEMS], *names = count <= FEW_ITEMS ? few : mem_alloc(ALLOC_TEMP, count * sizeof(Term));
    Items items = items_of(item, count, names);
    Term result = ask_oneself(p, &items);
    if (names != few)
        mem_free(ALLOC_TEMP, names);
    return result;
}

static Term ask_other_for(Process *p, Term pid, Term item, size_t count) {
    Question *q = question_create(count);
    q->item = kept_make(item);
    q->items = items_of(kept_term(&q->item), count, q->names);
    return ask_other(p, pid, q);
}

typedef struct {
    InfoItem *item;
    Area *area; /* the asker's */
    Term *value;
} Look;

/* A question that is asked makes one that is suspended look at its messages, and tell of them. */
static bool look_at_item(Process *p, const void *data) {
    const Look *look = data;
    Subject s = {p, look->area, false};
    *look->value = look->item(&s);
    return p->untold != NULL;
}

/* NON_VALUE: it is to be asked. */
static Term look_at(Process *p, Term pid, Term name) {
    InfoItem *item = process_info_small_item(name);
    Process *other = item != NULL && pid != p->pid ? process_find(pid) : NULL;
    Term value;
    Look look = {item, process_area(p), &value};
    if (other == NULL || !rest_look(other, look_at_item, &look))
        return NON_VALUE;
    return area_tuple2(process_area(p), name, value);
}

Term process_info_ask(Process *p, Term pid, InfoItem *item) {
    return ask(p, pid, &(Items){.form = FORM_NAMELESS, .nameless = item});
}

Term erlang_process_info_2(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (is_local_pid(a[0]) && is_value(result = look_at(p, a[0], a[1])))
        return result;
    int64_t count = is_local_pid(a[0]) || is_earlier_pid(a[0]) ? count_of(a[1]) : -1;
    if (count < 0)
        return fail_badarg(p);
    if (is_earlier_pid(a[0]))
        return am_undefined;
    return a[0] == p->pid ? ask_oneself_for(p, a[1], (size_t)count) : ask_other_for(p, a[0], a[1], (size_t)count);
}

Term erlang_process_info_1(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!is_local_pid(a[0]))
        return is_earlier_pid(a[0]) ? am_undefined : fail_badarg(p);
    return ask(p, a[0], &(Items){.form = FORM_ALL, .count = array_length(all_items), .names = all_items});
}
