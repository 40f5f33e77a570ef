#include "distribution/control.h"

#include <string.h>

#include "base/long_work.h"
#include "term/atom.h"
#include "term/integer.h"
#include "term/node.h"

#define ARITY_MAX 7 /* the operation's number included */
enum { ALONE, PAYLOAD };

typedef struct {
    const char *elements; /* NULL: no such operation */
    bool has_payload;
} Operation;

#define CONTROL_ROW(number, name, payload, elements_) [number] = {elements_, payload},
static const Operation operations[CONTROL_LIMIT] = {CONTROL_OPERATIONS(CONTROL_ROW)};
#undef CONTROL_ROW

bool control_has_payload(ControlOp op) { return operations[op].has_payload; }

/* Of an identifier; the creation may be another. */
static bool is_of_this_node(Term t) { return ident_node_name(t) == node_this_name(); }
static bool is_pid_there(Term t) { return is_external_pid(t) && !is_of_this_node(t); }
static bool is_pid_here(Term t) { return is_local_pid(t) || (is_external_pid(t) && is_of_this_node(t)); }
static bool is_ref_there(Term t) { return is_external_ref(t) && !is_of_this_node(t); }
static bool is_ref_here(Term t) { return is_local_ref(t) || (is_external_ref(t) && is_of_this_node(t)); }

/* {Flags, Label, Serial, From, Previous}: seq_trace(3). */
static bool is_token(Term t) {
    if (!is_tuple(t) || tuple_arity(t) != 5)
        return false;
    const Term *e = tuple_elements(t);
    bool is_sender = is_pid(e[3]) || is_atom(e[3]); /* a node's name in what has no process */
    return is_small(e[0]) && is_small(e[2]) && is_sender && is_small(e[4]);
}

#define UNITS_PER_OPTION 1

static bool is_proper_list(Term t) {
    size_t count = 0;
    for (; is_list(t); t = list_tail(t))
        count++;
    long_work_count_large(count, UNITS_PER_OPTION);
    return is_nil(t);
}

static bool read_mfa(Term t, Control *c) {
    if (!is_tuple(t) || tuple_arity(t) != 3)
        return false;
    const Term *e = tuple_elements(t);
    if (!is_atom(e[0]) || !is_atom(e[1]) || !is_small(e[2]) || (Word)small_value(e[2]) > UINT32_MAX)
        return false;
    c->module = e[0];
    c->function = e[1];
    c->arity = (uint32_t)small_value(e[2]);
    return true;
}

static bool read_flags(Term t, Control *c) {
    c->flags = is_small(t) ? (uint32_t)small_value(t) : 0;
    return is_small(t) && (Word)small_value(t) <= UINT32_MAX;
}

static bool read_id(Term t, Control *c) { return integer_to_uint64(t, &c->id) && c->id != 0; }

/* Which field of a Control has an element that is a term; NO_FIELD: it is none, or not used. */
#define NO_FIELD SIZE_MAX
static size_t field_of(char letter) {
    switch (letter) {
    case 'f':
    case 'F':
    case 'p': return offsetof(Control, from);
    case 't':
    case 'T':
    case 'n':
    case 'a': return offsetof(Control, to);
    case 'i':
    case 'r': return offsetof(Control, ref);
    case 'k': return offsetof(Control, token);
    case 'R': return offsetof(Control, reason);
    case 'g': return offsetof(Control, group_leader);
    case 'o': return offsetof(Control, options);
    case 'y': return offsetof(Control, result);
    default: return NO_FIELD;
    }
}

static bool is_fit(Term t, char letter, Control *c) {
    switch (letter) {
    case 'f': return is_pid_there(t);
    case 'F':
    case 'y': return is_atom(t) || is_pid_there(t);
    case 'p':
    case 'g': return is_pid(t);
    case 't': return is_pid_here(t);
    case 'T': return is_atom(t) || is_pid_here(t);
    case 'n': return is_atom(t);
    case 'i': return is_ref_there(t);
    case 'a':
    case 'r': return is_ref_here(t);
    case 'k': return is_token(t);
    case 'o': return is_proper_list(t);
    case 'm': return read_mfa(t, c);
    case 'u': return read_id(t, c);
    case 'x': return read_flags(t, c);
    default: return true;
    }
}

static void clear(Control *c, ControlOp op) {
    *c = (Control){.op = op, .from = NON_VALUE, .to = NON_VALUE, .ref = NON_VALUE, .token = NON_VALUE};
    c->reason = c->group_leader = c->options = c->result = c->module = c->function = NON_VALUE;
}

static const Operation *find_operation(Term number) {
    if (!is_small(number) || (Word)small_value(number) >= CONTROL_LIMIT)
        return NULL;
    const Operation *o = &operations[small_value(number)];
    return o->elements != NULL ? o : NULL;
}

bool control_read(Term tuple, Control *c) {
    if (!is_tuple(tuple) || tuple_arity(tuple) == 0)
        return false;
    const Term *e = tuple_elements(tuple);
    const Operation *o = find_operation(e[0]);
    if (o == NULL || tuple_arity(tuple) != 1 + strlen(o->elements))
        return false;
    clear(c, (ControlOp)small_value(e[0]));
    for (const char *letter = o->elements; *letter != 0; letter++) {
        size_t field = field_of(*letter);
        if (!is_fit(*++e, *letter, c))
            return false;
        if (field != NO_FIELD)
            *(Term *)((char *)c + field) = *e;
    }
    return true;
}

static Term make_element(Area *area, const Control *c, char letter) {
    switch (letter) {
    case 'm': return area_tuple3(area, c->module, c->function, small_make(c->arity));
    case 'u': return integer_from_uint64(area, c->id);
    case 'x': return small_make(c->flags);
    case '-': return am_empty_text;
    default: return *(const Term *)((const char *)c + field_of(letter));
    }
}

Term control_make(Area *area, const Control *c) {
    Term e[ARITY_MAX] = {small_make(c->op)};
    size_t arity = 1;
    for (const char *letter = operations[c->op].elements; *letter != 0; letter++)
        e[arity++] = make_element(area, c, *letter);
    return area_tuple(area, e, arity);
}
