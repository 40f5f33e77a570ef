#include "ets/packed.h"

#include "base/estack.h"
#include "heap/copy.h"
#include "term/bits.h"

enum { P_SMALL, P_ATOM, P_NIL, P_WORD, P_LIST, P_STRING, P_BITS, P_BOXED, P_RAW, P_TINY = 0x80 };
#define TINY_MAX 0x7f

/* Numbers: seven bits in a byte, least significant first; all but the last byte have the eighth bit. */

static void put_number(Text *to, Word n) {
    for (; n >= 0x80; n >>= 7)
        text_byte(to, (char)(n | 0x80));
    text_byte(to, (char)n);
}

static Word get_number(const uint8_t **at) {
    Word n = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        n |= (Word)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return n;
    }
}

static void put_tagged(Text *to, int tag, Word n) {
    text_byte(to, (char)tag);
    put_number(to, n);
}

/* Packing. What is still to do stands on a stack of runs: the words from `p` on, or the cells of a list. */

static Word zigzag(SWord v) { return (Word)v << 1 ^ (Word)(v >> 63); }
static SWord unzigzag(Word n) { return (SWord)(n >> 1) ^ -(SWord)(n & 1); }

static void put_immediate(Text *to, Term t) {
    if (is_small(t) && small_value(t) >= 0 && small_value(t) <= TINY_MAX)
        text_byte(to, (char)(P_TINY | small_value(t)));
    else if (is_small(t))
        put_tagged(to, P_SMALL, zigzag(small_value(t)));
    else if (is_atom(t))
        put_tagged(to, P_ATOM, atom_index(t));
    else if (is_nil(t))
        text_byte(to, P_NIL);
    else {
        text_byte(to, P_WORD);
        text_bytes(to, (const char *)&t, sizeof t);
    }
}

static bool is_byte(Term t) { return is_small(t) && small_value(t) >= 0 && small_value(t) <= 255; }

/* The cells of a list, all of whose heads are bytes or not; *tail: what the last one ends in. */
static Word measure_list(Term list, bool *bytes, Term *tail) {
    Word cells = 0;
    *bytes = true;
    for (; is_list(list); list = list_tail(list), cells++)
        *bytes = *bytes && is_byte(list_head(list));
    *tail = list;
    return cells;
}

static bool put_bits(Text *to, Term t) {
    BitsView view;
    bits_view(t, &view);
    Word bytes = (view.bit_size + 7) / 8;
    if (!is_boxed_kind(t, KIND_HEAP_BITS) && bytes > HEAP_BITS_MAX_BYTES)
        return false;
    put_tagged(to, P_BITS, view.bit_size);
    uint8_t aligned[HEAP_BITS_MAX_BYTES] = {0};
    const uint8_t *from = view.bytes;
    if (view.bit_offset != 0) {
        bits_copy(aligned, 0, view.bytes, view.bit_offset, view.bit_size);
        from = aligned;
    }
    text_bytes(to, (const char *)from, bytes);
    if (view.bit_size % 8 != 0) /* what lies behind a window is not part of it */
        to->bytes[to->size - 1] &= (char)(0xff << (8 - view.bit_size % 8));
    return true;
}

#define LIST_FRAME ((Word)1 << 63)

/* Writes what begins at `t`, and pushes what is inside. */
static bool put_pointer(Text *to, EStack *stack, Term t) {
    if (is_list(t)) {
        bool bytes;
        Term tail;
        Word cells = measure_list(t, &bytes, &tail);
        put_tagged(to, bytes ? P_STRING : P_LIST, cells);
        for (Term l = t; bytes && is_list(l); l = list_tail(l))
            text_byte(to, (char)small_value(list_head(l)));
        estack_push2(stack, bytes ? tail : t, LIST_FRAME | (bytes ? 0 : cells));
        return true;
    }
    const Term *p = boxed_ptr(t);
    size_t arity = header_arity(p[0]);
    switch (header_kind(p[0])) {
    case KIND_TUPLE:
    case KIND_FLAT_MAP:
    case KIND_HASH_MAP:
    case KIND_MAP_NODE:
    case KIND_EXPORT_FUN: /* the address of an entry that is never freed */
        put_tagged(to, P_BOXED, p[0]);
        estack_push2(stack, (Word)(uintptr_t)(p + 1), arity);
        return true;
    case KIND_POS_BIG:
    case KIND_NEG_BIG:
    case KIND_FLOAT:
    case KIND_REF:
        put_tagged(to, P_RAW, p[0]);
        text_bytes(to, (const char *)(p + 1), arity * WORD_BYTES);
        return true;
    case KIND_HEAP_BITS:
    case KIND_SUB_BITS:
    case KIND_BIN_REF: return put_bits(to, t);
    default: return false;
    }
}

bool term_pack(Text *to, Term t) {
    ESTACK(stack);
    put_number(to, term_flat_size_literals(t));
    for (;;) {
        if (is_immediate(t))
            put_immediate(to, t);
        else if (!put_pointer(to, &stack, t))
            return false;
        while (!estack_is_empty(&stack) && stack.top[-1] == 0) /* runs that are done */
            stack.top -= 2;
        if (estack_is_empty(&stack))
            return true;
        Word *frame = stack.top - 2;
        if (frame[1] == LIST_FRAME) { /* only the tail is left */
            t = frame[0];
            stack.top -= 2;
        } else if (frame[1] & LIST_FRAME) {
            t = list_head(frame[0]);
            frame[0] = list_tail(frame[0]);
            frame[1]--;
        } else {
            t = *(const Term *)(uintptr_t)frame[0];
            frame[0] += WORD_BYTES;
            frame[1]--;
        }
    }
}

/* Unpacking: every word is filled before the next one is looked at; a run is a place, how many there are, and how far
 * apart. */

static Term *push_cells(EStack *stack, Area *area, Word cells, Term **tail) {
    Term *p = area_alloc(area, 2 * cells);
    for (Word i = 0; i < cells; i++)
        p[2 * i + 1] = list_make(p + 2 * i + 2);
    *tail = &p[2 * cells - 1];
    estack_push3(stack, (Word)(uintptr_t)*tail, 1, WORD_BYTES);
    return p;
}

static const uint8_t *get_string(EStack *stack, const uint8_t *at, Area *area, Term *slot) {
    Word cells = get_number(&at);
    Term *tail, *p = push_cells(stack, area, cells, &tail);
    for (Word i = 0; i < cells; i++)
        p[2 * i] = small_make(*at++);
    *slot = list_make(p);
    return at;
}

static const uint8_t *get_boxed(EStack *stack, const uint8_t *at, Area *area, Term *slot, bool raw) {
    Term header = get_number(&at);
    size_t arity = header_arity(header);
    Term *p = area_alloc(area, 1 + arity);
    p[0] = header;
    *slot = boxed_make(p);
    if (!raw) {
        estack_push3(stack, (Word)(uintptr_t)(p + 1), arity, WORD_BYTES);
        return at;
    }
    memcpy(p + 1, at, arity * WORD_BYTES);
    return at + arity * WORD_BYTES;
}

/* Fills *slot from `at`, and pushes what is to be filled inside. */
static const uint8_t *get_term(EStack *stack, const uint8_t *at, Area *area, Term *slot) {
    uint8_t tag = *at++;
    if (tag >= P_TINY) {
        *slot = small_make(tag & TINY_MAX);
        return at;
    }
    switch (tag) {
    case P_SMALL: *slot = small_make(unzigzag(get_number(&at))); return at;
    case P_ATOM: *slot = atom_make((uint32_t)get_number(&at)); return at;
    case P_NIL: *slot = NIL; return at;
    case P_WORD: memcpy(slot, at, sizeof *slot); return at + sizeof *slot;
    case P_STRING: return get_string(stack, at, area, slot);
    case P_LIST: {
        Word cells = get_number(&at);
        Term *tail, *p = push_cells(stack, area, cells, &tail);
        estack_push3(stack, (Word)(uintptr_t)p, cells, 2 * WORD_BYTES);
        *slot = list_make(p);
        return at;
    }
    case P_BITS: {
        Word bits = get_number(&at), bytes = (bits + 7) / 8;
        HeapBits *b = (HeapBits *)area_alloc(area, HEAP_BITS_WORDS(bytes));
        b->header = header_make(KIND_HEAP_BITS, HEAP_BITS_WORDS(bytes) - 1);
        b->size = bits;
        if (bytes > 0)
            ((Word *)b)[HEAP_BITS_WORDS(bytes) - 1] = 0;
        memcpy(b->bytes, at, bytes);
        *slot = boxed_make(b);
        return at + bytes;
    }
    case P_BOXED: return get_boxed(stack, at, area, slot, false);
    case P_RAW: return get_boxed(stack, at, area, slot, true);
    default: panic("byte %u in a packed term", tag);
    }
}

size_t term_unpacked_words(const uint8_t *bytes) { return get_number(&bytes); }

Term term_unpack(const uint8_t *bytes, Area *area) {
    ESTACK(stack);
    get_number(&bytes);
    Term result;
    Term *slot = &result;
    for (;;) {
        bytes = get_term(&stack, bytes, area, slot);
        while (!estack_is_empty(&stack) && stack.top[-2] == 0)
            stack.top -= 3;
        if (estack_is_empty(&stack))
            return result;
        Word *frame = stack.top - 3;
        slot = (Term *)(uintptr_t)frame[0];
        frame[0] += frame[2];
        frame[1]--;
    }
}
