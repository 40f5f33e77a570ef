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

typedef struct {
    CallSignal call;
    Term asker;
    uint64_t id;
    Form form;
    InfoItem *nameless; /* of that form: the only item */
    Kept item; /* what the names are parts of, unless a process asks itself */
    size_t count;
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

static Term answer_of(const Subject *s, const Question *q) {
    Term list = NIL;
    if (q->form == FORM_NAMELESS)
        return q->nameless(s);
    for (size_t i = q->count; i-- > 0;) {
        Term value = value_of(s, q->names[i]);
        bool is_nameless = q->names[i] == am_registered_name && is_nil(value);
        if (is_nameless && q->form == FORM_SINGLE)
            return NIL;
        if (is_nameless && q->form == FORM_ALL)
            continue;
        Term pair = area_tuple2(s->area, q->names[i], value);
        if (q->form == FORM_SINGLE)
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
        request_reply(q->asker, q->id, answer_of(&s, q));
        fragment_area_drop(&fa);
    }
    question_free(q);
}

static Question *question_create(size_t count, Form form) {
    Question *q = mem_calloc(ALLOC_SIGNAL, sizeof *q + (count + 1) * sizeof(Term));
    signal_init(&q->call.signal, SIGNAL_CALL);
    q->call.handle = answer;
    q->form = form;
    q->count = count;
    return q;
}

static bool is_item(Term name) { return is_dictionary_key(name) || process_info_item(name) != NULL; }

/* NULL when an item is unknown or the list improper. */
static Question *question_of(Term item, bool is_own) {
    bool is_one = !is_list(item) && !is_nil(item);
    int64_t count = is_one ? 1 : list_length(item);
    if (count < 0)
        return NULL;
    for (Term l = item; is_list(l); l = list_tail(l))
        if (!is_item(list_head(l)))
            return NULL;
    if (is_one && !is_item(item))
        return NULL;
    Question *q = question_create((size_t)count, is_one ? FORM_SINGLE : FORM_LIST);
    if (!is_own) {
        q->item = kept_make(item);
        item = kept_term(&q->item);
    }
    q->names[0] = item;
    for (size_t i = 0; !is_one && is_list(item); item = list_tail(item))
        q->names[i++] = list_head(item);
    return q;
}

static Term ask(Process *p, Term pid, Question *q) {
    if (pid == p->pid) {
        Subject s = {p, process_area(p), true};
        Term result = signal_handle_midway(p) ? answer_of(&s, q) : NON_VALUE;
        question_free(q);
        return signal_midway_result(p, result);
    }
    q->asker = p->pid;
    q->id = request_begin(p);
    if (signal_ask(p, pid, &q->call.signal))
        return request_wait(p);
    question_free(q);
    request_end(p);
    return am_undefined;
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
    Question *q = question_create(0, FORM_NAMELESS);
    q->nameless = item;
    return ask(p, pid, q);
}

/* Whom the question, NULL: a wrong one, is about has ended. */
static Term nobody(Process *p, Question *q) {
    if (q == NULL)
        return fail_badarg(p);
    question_free(q);
    return am_undefined;
}

Term erlang_process_info_2(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (is_local_pid(a[0]) && is_value(result = look_at(p, a[0], a[1])))
        return result;
    if (is_earlier_pid(a[0]))
        return nobody(p, question_of(a[1], false));
    Question *q = is_local_pid(a[0]) ? question_of(a[1], a[0] == p->pid) : NULL;
    return q ? ask(p, a[0], q) : fail_badarg(p);
}

Term erlang_process_info_1(Process *p, const Term *a) {
    Term result;
    if (request_goes_on(p, &result))
        return result;
    if (!is_local_pid(a[0]))
        return is_earlier_pid(a[0]) ? am_undefined : fail_badarg(p);
    Question *q = question_create(array_length(all_items), FORM_ALL);
    for (size_t i = 0; i < array_length(all_items); i++)
        q->names[i] = all_items[i];
    return ask(p, a[0], q);
}
