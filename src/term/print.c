/*
 * Printing keeps what is still to come on the explicit stack: terms, and punctuation as header words, which no term is:
 * a character (below 256), an arrow, or "the rest of a list follows". Source of the forms: what erlang:display/1 of
 * the stock runtime shows, large maps as tries included before RELEASE_LARGE_MAPS_DISPLAYED.
 */
#include "term/print.h"

#include "base/estack.h"
#include "base/long_work.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/fun.h"
#include "term/integer.h"
#include "term/map.h"
#include "term/map_trie.h"
#include "term/node.h"

enum { MARK_ARROW = 256, MARK_REST };
static Term mark(unsigned code) { return (Term)code << HEADER_ARITY_SHIFT | TAG_HEADER; }

static bool is_graphic(uint32_t c) { return (c >= 32 && c < 127) || (c >= 160 && c < 256); }

static bool is_printed_character(Term t) {
    if (!is_small(t))
        return false;
    SWord c = small_value(t);
    return c >= 0 && c < 256 && (is_graphic((uint32_t)c) || c == '\n' || c == '\t' || c == '\r');
}

/* Of long work. */
#define UNITS_PER_TERM 60
#define UNITS_PER_BYTE 8
#define UNITS_PER_BYTE_AS_NUMBER 60

static bool is_printed_string(Term t) {
    unsigned left = LONG_WORK_ROUND;
    for (; is_list(t); t = list_tail(t)) {
        left = long_work_step(left, UNITS_PER_BYTE);
        if (!is_printed_character(list_head(t)))
            return false;
    }
    return t == NIL;
}

static void print_string_character(Text *to, uint32_t c) {
    if (c == '"')
        text_string(to, "\\\"");
    else if (c == '\n')
        text_string(to, "\\n");
    else
        text_byte(to, (char)c);
}

static void print_string(Text *to, Term t) {
    text_byte(to, '"');
    for (; is_list(t); t = list_tail(t))
        print_string_character(to, (uint32_t)small_value(list_head(t)));
    text_byte(to, '"');
}

static bool is_text(const BitsView *view) {
    for (Word i = 0; i < view->bit_size; i += 8) {
        uint64_t c = bits_get(view->bytes, view->bit_offset + i, 8);
        if (c < 32 || c >= 127)
            return false;
    }
    return view->bit_size > 0 && view->bit_size % 8 == 0;
}

static void print_bits(Text *to, Term t) {
    BitsView view;
    bits_view(t, &view);
    bool text = is_text(&view);
    long_work_count_large(view.bit_size / 8, text ? UNITS_PER_BYTE : UNITS_PER_BYTE_AS_NUMBER);
    text_string(to, text ? "<<\"" : "<<");
    for (Word i = 0; i < view.bit_size; i += 8) {
        unsigned bits = view.bit_size - i < 8 ? (unsigned)(view.bit_size - i) : 8;
        unsigned c = (unsigned)bits_get(view.bytes, view.bit_offset + i, bits);
        if (text)
            print_string_character(to, c);
        else
            text_format(to, bits < 8 ? "%s%u:%u" : "%s%u", i == 0 ? "" : ",", c, bits);
    }
    text_string(to, text ? "\">>" : ">>");
}

static void print_integer(Text *to, Term t) {
    size_t max = integer_text_max(t, 10);
    char *p = text_extend(to, max);
    to->size -= max - integer_to_text(t, 10, p);
}

static void push_separated(EStack *stack, const Term *p, size_t count) {
    for (size_t i = count; i-- > 0;) {
        estack_push(stack, p[i]);
        if (i > 0)
            estack_push(stack, mark(','));
    }
}

static void print_flat_map(Text *to, EStack *stack, Term t) {
    text_string(to, "#{");
    estack_push(stack, mark('}'));
    for (size_t i = flat_map_size(t); i-- > 0;) {
        estack_push3(stack, flat_map_ptr(t)->values[i], mark(MARK_ARROW), flat_map_keys(t)[i]);
        if (i > 0)
            estack_push(stack, mark(','));
    }
}

/* The pairs go onto the stack from its top down, so that the first comes off first. */
static void print_hash_map(Text *to, EStack *stack, Term t) {
    if (!release_has(RELEASE_LARGE_MAPS_DISPLAYED)) {
        text_byte(to, '#');
        estack_push(stack, hash_map_ptr(t)->root);
        return;
    }
    MapIterator it;
    Term key, value;
    bool is_last = true;
    text_string(to, "#{");
    estack_push(stack, mark('}'));
    map_iterator_init(&it, t);
    while (map_iterator_next(&it, &key, &value)) {
        if (!is_last)
            estack_push(stack, mark(','));
        estack_push3(stack, value, mark(MARK_ARROW), key);
        is_last = false;
    }
}

static void print_boxed(Text *to, EStack *stack, Term t) {
    const Term *p = boxed_ptr(t);
    size_t arity = header_arity(p[0]);
    switch (header_kind(p[0])) {
    case KIND_TUPLE:
        text_byte(to, '{');
        estack_push(stack, mark('}'));
        push_separated(stack, p + 1, arity);
        return;
    case KIND_FLAT_MAP: print_flat_map(to, stack, t); return;
    case KIND_HASH_MAP: print_hash_map(to, stack, t); return;
    case KIND_MAP_NODE:
        text_format(to, "<%x>{", node_bitmap(p));
        estack_push(stack, mark('}'));
        push_separated(stack, node_children(p), arity);
        return;
    case KIND_FUN:
    case KIND_EXPORT_FUN: print_fun(to, t); return;
    case KIND_POS_BIG:
    case KIND_NEG_BIG: print_integer(to, t); return;
    case KIND_FLOAT: text_format(to, "%e", float_value(t)); return;
    case KIND_REF:
    case KIND_MAGIC_REF:
    case KIND_EXTERNAL_REF: print_ref(to, t); return;
    case KIND_EXTERNAL_PID: print_pid(to, t); return;
    case KIND_EXTERNAL_PORT: print_port(to, t); return;
    case KIND_MATCH_CONTEXT: text_string(to, "#MatchState"); return;
    default: print_bits(to, t);
    }
}

static void print_immediate(Text *to, Term t) {
    if (is_small(t)) {
        text_format(to, "%ld", (long)small_value(t));
        return;
    }
    switch (t & IMM_MASK) {
    case IMM_ATOM: print_atom(to, t); return;
    case IMM_SPECIAL: text_string(to, t == NIL ? "[]" : "<the non-value>"); return;
    case IMM_PID: print_pid(to, t); return;
    case IMM_PORT: print_port(to, t); return;
    case IMM_CATCH: text_string(to, "<catch>"); return;
    default: text_format(to, "%e", float_value(t));
    }
}

static void print_list(Text *to, EStack *stack, Term t) {
    if (is_printed_string(t)) {
        print_string(to, t);
        return;
    }
    text_byte(to, '[');
    estack_push2(stack, mark(']'), list_tail(t));
    estack_push2(stack, mark(MARK_REST), list_head(t));
}

static void print_rest(Text *to, EStack *stack, Term t) {
    if (is_list(t)) {
        text_byte(to, ',');
        estack_push3(stack, list_tail(t), mark(MARK_REST), list_head(t));
    } else if (t != NIL) {
        text_byte(to, '|');
        estack_push(stack, t);
    }
}

void print_term(Text *to, Term t) { print_term_up_to(to, t, SIZE_MAX); }

void print_term_up_to(Text *to, Term t, size_t enough) {
    ESTACK(stack);
    estack_push(&stack, t);
    unsigned left = LONG_WORK_ROUND;
    while (!estack_is_empty(&stack) && to->size < enough) {
        left = long_work_step(left, UNITS_PER_TERM);
        t = estack_pop(&stack);
        if (is_list(t))
            print_list(to, &stack, t);
        else if (is_boxed(t))
            print_boxed(to, &stack, t);
        else if (t == mark(MARK_REST))
            print_rest(to, &stack, estack_pop(&stack));
        else if (t == mark(MARK_ARROW))
            text_string(to, "=>");
        else if (is_header(t))
            text_byte(to, (char)header_arity(t));
        else
            print_immediate(to, t);
    }
}
