#include "process/message.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "heap/copy.h"
#include "term/atom.h"
#include "term/refc_binary.h"

static Term *inline_overflow(Area *area, size_t words) { panic("a term grew while it was copied into a message"); }

static Message *message_alloc(size_t inline_words, Term from) {
    Message *m = mem_alloc(ALLOC_SIGNAL, sizeof *m + inline_words * sizeof(Term));
    signal_init(&m->signal, SIGNAL_MESSAGE);
    m->signal.detail = (uint32_t)inline_words;
    m->token = NIL;
    m->from = from;
    m->data = NULL;
    m->key = 0;
    m->off_heap = NULL;
    m->is_in_heap = false;
    m->has_no_literals = false;
    return m;
}

Fragment *message_area_begin(Area *area, size_t words) {
    Fragment *f = fragment_create(words);
    *area = (Area){.top = f->words, .limit = f->words + words, .overflow = inline_overflow};
    return f;
}

void message_area_end(Area *area, Fragment *f) {
    f->used = (size_t)(area->top - f->words);
    f->off_heap = area->off_heap;
    f->off_heap_bytes = area->off_heap_bytes;
}

/* NULL, and the term itself, where it can be sent as it is. */
static Fragment *copy_out(Term term, Term *copy, const CopyPhase *phase) {
    *copy = term;
    if (!copy_is_needed(term, phase))
        return NULL;
    Area area;
    size_t words = term_flat_size_in(term, phase);
    Fragment *f = message_area_begin(&area, words);
    *copy = term_copy_sized_in(term, words, &area, phase);
    message_area_end(&area, f);
    return f;
}

Fragment *message_copy_sent(Term *term) {
    Term copy;
    Fragment *f = made_in_phase(phase, copy_out(*term, &copy, &phase), fragment_free);
    *term = copy;
    return f;
}

/* All of the words are objects: whoever walks them finds nothing else. */
static void end_inline(Message *m, Area *area) {
    m->off_heap = area->off_heap;
    while (area->top < area->limit)
        *area->top++ = NIL;
}

Message *message_begin(Area *area, size_t words, Term from) {
    if (words <= MESSAGE_INLINE_WORDS) {
        Message *m = message_alloc(words, from);
        *area = (Area){.top = m->words, .limit = m->words + words, .overflow = inline_overflow};
        return m;
    }
    Message *m = message_alloc(0, from);
    m->data = message_area_begin(area, words);
    return m;
}

void message_end(Message *m, Area *area, Term term) {
    m->term = term;
    if (m->data != NULL)
        message_area_end(area, m->data);
    else
        end_inline(m, area);
}

static Message *create_in(const CopyPhase *phase, Term term, Term from, Term token) {
    Area area;
    bool may_refer = false;
    size_t words = term_flat_size_noting(term, phase, &may_refer);
    size_t token_words = term_flat_size_noting(token, phase, &may_refer);
    Message *m = message_begin(&area, words + token_words, from);
    Term copy = term_copy_sized_in(term, words, &area, phase);
    m->token = term_copy_sized_in(token, token_words, &area, phase);
    m->has_no_literals = !may_refer;
    message_end(m, &area, copy);
    return m;
}

Message *message_create(Term term, Term from, Term token) {
    if (likely(!term_needs_copy(term) && is_immediate(token))) {
        Message *m = message_alloc(0, from);
        m->term = term;
        m->token = token;
        return m;
    }
    return made_in_phase(phase, create_in(&phase, term, from, token), message_free);
}

static void become_root(Process *p, Message *m) {
    m->is_in_heap = true;
    m->heap_next = p->first_in_heap;
    m->heap_place = &p->first_in_heap;
    if (m->heap_next)
        m->heap_next->heap_place = &m->heap_next;
    p->first_in_heap = m;
    p->messages_in_heap++;
}

Message *message_create_own(Process *p, Term term) {
    Message *m = message_alloc(0, p->pid);
    m->term = term;
    if (term_needs_copy(term))
        become_root(p, m);
    return m;
}

KeptMessage kept_message_make(Term term, Term from, Term token) {
    Kept kept = kept_make(term);
    Message *m = message_alloc(0, from);
    m->token = token;
    m->data = kept.data;
    m->term = kept.own;
    m->has_no_literals = true;
    return (KeptMessage){m};
}

void kept_message_send(KeptMessage *k, Term to) {
    if (k->message != NULL && is_value(to) && signal_send(to, &k->message->signal))
        k->message = NULL;
    kept_message_free(k);
}

void kept_message_free(KeptMessage *k) {
    if (k->message != NULL)
        message_free(k->message);
    k->message = NULL;
}

void kept_message_set_element(KeptMessage *k, size_t position, Term immediate) {
    if (k->message != NULL)
        boxed_ptr(k->message->term)[position] = immediate;
}

void message_add_token(Message *m, Term token) {
    m->token = token;
    m->has_no_literals = false;
    Fragment *f = message_copy_sent(&m->token);
    if (f == NULL)
        return;
    f->next = m->data;
    m->data = f;
}

Message *message_create_with(Term term, Fragment *data, Term from) {
    Message *m = message_alloc(0, from);
    m->term = term;
    m->data = data;
    return m;
}

static void release_inline(Message *m) {
    for (OffHeap *o = m->off_heap, *next; o; o = next) {
        next = o->next;
        off_heap_release(o);
    }
}

void message_free(Message *m) {
    if (!m->is_in_heap)
        release_inline(m);
    fragments_free(m->data);
    mem_free(ALLOC_SIGNAL, m);
}

void signal_free(Signal *s) {
    switch ((SignalKind)s->kind) {
    case SIGNAL_MESSAGE:
    case SIGNAL_ALIAS_MESSAGE:
    case SIGNAL_PRIORITY_MESSAGE:
    case SIGNAL_EXIT:
    case SIGNAL_ALIAS_EXIT:
    case SIGNAL_PRIORITY_EXIT:
    case SIGNAL_EXIT_LINKED:
    case SIGNAL_DOWN: message_free((Message *)s); break;
    default: mem_free(ALLOC_SIGNAL, s);
    }
}

void signal_send_or_drop(Term pid, Signal *s) {
    if (!signal_send(pid, s))
        signal_free(s);
}

/* What a receive copies may not use up the words that the engine counts on for its next push: then it goes into a
 * fragment. */
static void copy_in(Process *p, Message *m) {
    Area *area = process_area(p);
    Term *limit = area->limit;
    area->limit = limit - area->top > STACK_RESERVE ? limit - STACK_RESERVE : area->top;
    if (term_needs_copy(m->term))
        m->term = term_copy(m->term, area);
    if (term_needs_copy(m->token))
        m->token = term_copy(m->token, area);
    area->limit = limit;
}

void message_move_in(Process *p, Message *m) {
    p->message_words -= message_words(m);
    if (m->signal.detail) {
        copy_in(p, m);
        release_inline(m);
        m->off_heap = NULL;
        m->signal.detail = 0;
    } else if (m->data) {
        heap_adopt_fragments(&p->heap, m->data);
        m->data = NULL;
    } else {
        return;
    }
    become_root(p, m);
}

/* More than there was may come of it: literals are copied that are to go by now. */
void message_leave_block(Process *p, Message *m) {
    if (m->signal.detail == 0)
        return;
    p->message_words -= message_words(m);
    FragmentArea to;
    fragment_area_init(&to, m->signal.detail);
    if (term_needs_copy(m->term))
        m->term = term_copy(m->term, &to.area);
    if (term_needs_copy(m->token))
        m->token = term_copy(m->token, &to.area);
    release_inline(m);
    m->off_heap = NULL;
    m->signal.detail = 0;
    m->data = fragment_area_finish(&to);
    p->message_words += message_words(m);
}

bool message_refers(const Message *m, const LiteralSearch *search) {
    if (m->has_no_literals)
        return false;
    const Term roots[] = {m->term, m->token};
    if (literal_refers_words(roots, 2, search) || literal_refers_objects(m->words, m->signal.detail, search))
        return true;
    for (const Fragment *f = m->data; f; f = f->next)
        if (literal_refers_objects(f->words, f->used, search))
            return true;
    return false;
}

void message_leave_literals(Process *p, Message *m) {
    p->message_words -= message_words(m);
    Kept term = kept_make(m->term), token = kept_make(m->token);
    release_inline(m);
    fragments_free(m->data);
    m->off_heap = NULL;
    m->signal.detail = 0;
    m->data = term.data;
    m->term = term.own;
    if (m->data != NULL) {
        m->token = kept_append(&token, m->data);
    } else {
        m->data = token.data;
        m->token = token.own;
    }
    m->has_no_literals = true;
    p->message_words += message_words(m);
}

void message_force_in(Process *p, Message *m) {
    message_move_in(p, m);
    if (!m->is_in_heap)
        become_root(p, m);
}

size_t message_bytes(const Message *m) {
    size_t bytes = sizeof *m + m->signal.detail * sizeof(Term);
    for (const Fragment *f = m->data; f; f = f->next)
        bytes += sizeof *f + f->capacity * sizeof(Term);
    return bytes;
}
