#include "dump/processes.h"

#include "alloc/who.h"
#include "dump/external.h"
#include "dump/part.h"
#include "dump/terms.h"
#include "process/dictionary.h"
#include "process/dump.h"
#include "process/message.h"
#include "process/process_table.h"

Process *dump_current_process(void) { return alloc_owner != 0 ? process_find(alloc_owner) : NULL; }

typedef struct {
    void (*each)(Process *p, void *data);
    Process *p;
    void *data;
} Part;

static void put_part(void *data) {
    const Part *part = data;
    part->each(part->p, part->data);
}

static void each_process(void (*each)(Process *p, void *data), void *data) {
    size_t used = process_table_used();
    for (size_t slot = 0; slot < used; slot++) {
        Process *p = process_table_at(slot);
        if (p != NULL)
            dump_part(put_part, &(Part){each, p, data});
    }
}

static bool is_running(const Process *p) { return (atomic_load(&p->state) & STATE_RUNNING) != 0; }

/* Does a thread have it that has not come to a halt? */
static bool is_in_other_hands(const Process *p) { return is_running(p) && p != dump_current_process(); }

static bool has_heap(const Process *p) {
    return !is_in_other_hands(p) && (p->flags & FLAG_COLLECTS) == 0 && p->heap.start != NULL && !process_has_let_go(p);
}

static Signal *reversed(Signal *newest) {
    Signal *first = NULL;
    for (Signal *next; newest != NULL; newest = next) {
        next = newest->next;
        newest->next = first;
        first = newest;
    }
    return first;
}

static void append_message(Process *p, Message *m) {
    m->signal.next = NULL;
    *p->messages_last = m;
    p->messages_last = (Message **)&m->signal.next;
    p->message_count++;
}

/* Whatever else has come is not told of. */
static void gather_messages(Process *p, void *data) {
    if (is_in_other_hands(p) || atomic_load(&p->signals_in) == SIGNALS_CLOSED)
        return;
    Signal *s = reversed(atomic_exchange(&p->signals_in, NULL));
    for (Signal *next; s != NULL; s = next) {
        next = s->next;
        if (s->kind == SIGNAL_MESSAGE)
            append_message(p, (Message *)s);
    }
}

static void put_process(Process *p, void *data) { process_dump_crashed(data, p, is_running(p)); }

void dump_processes(Text *to) {
    each_process(gather_messages, NULL);
    each_process(put_process, to);
}

static void begin_section(Text *to, const char *kind, const Process *p) {
    text_byte(to, '=');
    text_string(to, kind);
    text_byte(to, ':');
    dump_print(to, p->pid);
    text_byte(to, '\n');
}

/* --- messages --------------------------------------------------------------------------------------------------- */

static void put_messages(Text *to, const Process *p) {
    if (p->messages == NULL)
        return;
    begin_section(to, "proc_messages", p);
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        dump_value(to, &m->term);
        text_byte(to, ':');
        dump_value(to, &m->token);
        text_byte(to, '\n');
    }
}

static void put_fragments(Text *to, const Fragment *f) {
    for (; f != NULL; f = f->next)
        dump_objects(to, f->words, f->words + f->used);
}

static void put_message_terms(Text *to, const Process *p) {
    for (const Message *m = p->messages; m != NULL; m = (const Message *)m->signal.next) {
        dump_floats(to, &m->term, 1);
        if (m->is_in_heap)
            continue;
        dump_objects(to, m->words, m->words + m->signal.detail);
        put_fragments(to, m->data);
    }
}

/* --- the dictionary: each pair is shown as a tuple, whose address is that of the pair plus two -------------------- */

static const Term *next_pair(const Dictionary *d, uint32_t *i) {
    while (d != NULL && *i < d->capacity) {
        const Term *pair = &d->pairs[2 * (*i)++];
        if (is_value(pair[0]))
            return pair;
    }
    return NULL;
}

static void put_dictionary(Text *to, const Process *p) {
    uint32_t i = 0;
    if (p->dictionary == NULL)
        return;
    begin_section(to, "proc_dictionary", p);
    for (const Term *pair; (pair = next_pair(p->dictionary, &i)) != NULL;) {
        text_byte(to, 'H');
        dump_hex(to, (uintptr_t)pair + 2);
        text_byte(to, '\n');
    }
}

static void put_dictionary_terms(Text *to, const Process *p) {
    uint32_t i = 0;
    for (const Term *pair; (pair = next_pair(p->dictionary, &i)) != NULL;) {
        dump_floats(to, pair, 2);
        dump_hex(to, (uintptr_t)pair + 2);
        text_string(to, ":t2:");
        dump_value(to, &pair[0]);
        text_byte(to, ',');
        dump_value(to, &pair[1]);
        text_byte(to, '\n');
    }
}

/* --- the stack --------------------------------------------------------------------------------------------------- */

static void put_return_address(Text *to, const Term *slot) {
    const Word *address = return_address_ip(*slot);
    text_format(to, "0x%016lx:SReturn addr 0x%lX (", (unsigned long)(uintptr_t)slot, (unsigned long)(uintptr_t)address);
    dump_code_place(to, address);
    text_string(to, ")\n");
}

static void put_slot(Text *to, unsigned number, const Term *slot) {
    text_format(to, "y%u:", number);
    if (is_catch(*slot)) {
        text_format(to, "SCatch 0x%lX (", (unsigned long)(uintptr_t)catch_handler(*slot));
        dump_code_place(to, catch_handler(*slot));
        text_byte(to, ')');
    } else {
        dump_value(to, slot);
    }
    text_byte(to, '\n');
}

static void put_stack(Text *to, const Process *p) {
    begin_section(to, "proc_stack", p);
    unsigned number = 0;
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++) {
        if (is_return_address(*slot)) {
            put_return_address(to, slot);
            number = 0;
        } else {
            put_slot(to, number++, slot);
        }
    }
}

void dump_return_addresses(Text *to, const Process *p) {
    if (!has_heap(p))
        return;
    for (const Term *slot = p->heap.area.limit; slot < p->heap.end; slot++)
        if (is_return_address(*slot))
            put_return_address(to, slot);
}

/* --- the heap ---------------------------------------------------------------------------------------------------- */

static void put_heap(Text *to, const Process *p) {
    const Heap *h = &p->heap;
    begin_section(to, "proc_heap", p);
    dump_floats(to, h->area.limit, (size_t)(h->end - h->area.limit));
    put_dictionary_terms(to, p);
    put_message_terms(to, p);
    dump_objects(to, h->start, h->area.top);
    dump_objects(to, h->old_start, h->old_top);
    put_fragments(to, h->fragments);
}

static void put_memory(Process *p, void *data) {
    Text *to = data;
    if (!has_heap(p) || process_is_sensitive(p))
        return;
    put_messages(to, p);
    put_dictionary(to, p);
    put_stack(to, p);
    put_heap(to, p);
}

void dump_process_memory(Text *to) { each_process(put_memory, to); }

typedef struct {
    void (*each)(Process *p, void *data);
    void *data;
} Visit;

static void visit(Process *p, void *data) {
    const Visit *v = data;
    if (has_heap(p) && !process_is_sensitive(p))
        v->each(p, v->data);
}

void dump_each_heap(void (*each)(Process *p, void *data), void *data) {
    Visit v = {each, data};
    each_process(visit, &v);
}
