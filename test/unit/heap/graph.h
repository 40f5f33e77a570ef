/*
 * Random object graphs for the tests of heap/: built in an area, and written out as words that do not depend on
 * addresses, so that a graph can be compared before and after it moved.
 */
#ifndef VIV_TEST_GRAPH_H
#define VIV_TEST_GRAPH_H

#include "base/estack.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/float.h"
#include "term/integer.h"
#include "term/node.h"
#include "term/refc_binary.h"
#include "term/text.h"

#include <string.h>

static uint64_t graph_seed = 1;
static inline uint64_t graph_random(uint64_t below) {
    graph_seed ^= graph_seed << 13;
    graph_seed ^= graph_seed >> 7;
    graph_seed ^= graph_seed << 17;
    return graph_seed % below;
}

/* One more object that may point to any of `known`. */
static inline Term graph_object(Area *area, const Term *known, size_t count) {
#define ANY (count == 0 ? small_make((SWord)graph_random(1000)) : known[graph_random(count)])
    uint8_t bytes[600];
    switch (graph_random(11)) {
    case 0: return small_make((SWord)graph_random(1 << 20) - 500000);
    case 1:
    case 2: return area_cons(area, ANY, ANY);
    case 3: {
        size_t arity = graph_random(6);
        Term *p = area_alloc(area, arity + 1);
        p[0] = header_make(KIND_TUPLE, arity);
        for (size_t i = 1; i <= arity; i++)
            p[i] = ANY;
        return boxed_make(p);
    }
    case 4: {
        size_t size = graph_random(sizeof bytes);
        memset(bytes, (int)graph_random(256), size);
        return binary_from_bytes(area, bytes, size);
    }
    case 5: {
        Term t = ANY;
        if (!is_bitstring(t) || bits_size(t) == 0)
            return NIL;
        Word from = graph_random(bits_size(t));
        return bits_sub(area, t, from, graph_random(bits_size(t) - from + 1));
    }
    case 6: return float_make(area, graph_random(2) ? 1.5 : 1e300);
    case 7: {
        Term *p = area_alloc(area, 3);
        p[0] = header_make(KIND_POS_BIG, 2);
        p[1] = graph_random(UINT64_MAX);
        p[2] = 1 + graph_random(UINT32_MAX);
        return boxed_make(p);
    }
    case 8: return ident_pid(area, am_ok, (uint32_t)graph_random(3) + 1, (uint32_t)graph_random(100), 0);
    case 9: {
        uint32_t numbers[3] = {(uint32_t)graph_random(1000), 2, 3};
        return ref_make(area, numbers, 3);
    }
    default: {
        Term list = NIL;
        for (size_t i = graph_random(20); i > 0; i--)
            list = area_cons(area, ANY, list);
        return list;
    }
    }
#undef ANY
}

static inline void graph_put(Text *to, Word w) { text_bytes(to, &w, sizeof w); }

/* A number made of the bits, wherever they begin. */
static inline uint64_t graph_sum(const BitsView *view) {
    uint64_t sum = view->bit_size;
    Word bit = 0;
    if (view->bit_offset % 8 == 0)
        for (; bit + 8 <= view->bit_size; bit += 8)
            sum = sum * 257 + view->bytes[(view->bit_offset + bit) / 8];
    for (; bit < view->bit_size; bit += 8) {
        unsigned byte = 0;
        for (Word i = bit; i < bit + 8; i++)
            byte = byte << 1 | (i < view->bit_size &&
                                (view->bytes[(view->bit_offset + i) / 8] >> (7 - (view->bit_offset + i) % 8) & 1));
        sum = sum * 257 + byte;
    }
    return sum;
}

/* Depth first; stops after `limit` bytes, since shared parts are shown again. Each object begins with a word that is no
 * immediate term. */
static inline void graph_show(Text *to, Term root, size_t limit) {
    ESTACK(stack);
    estack_push(&stack, root);
    while (!estack_is_empty(&stack) && to->size < limit) {
        Term t = estack_pop(&stack);
        if (!is_pointer(t)) {
            graph_put(to, t);
        } else if (is_list(t)) {
            graph_put(to, TAG_LIST);
            estack_push2(&stack, list_tail(t), list_head(t));
        } else if (is_tuple(t)) {
            graph_put(to, boxed_header(t));
            for (size_t i = tuple_arity(t); i > 0; i--)
                estack_push(&stack, tuple_elements(t)[i - 1]);
        } else if (is_bitstring(t)) {
            BitsView view;
            bits_view(t, &view);
            graph_put(to, header_make(KIND_HEAP_BITS, 0));
            graph_put(to, graph_sum(&view));
        } else if (is_external_pid(t)) {
            graph_put(to, boxed_header(t));
            graph_put(to, (Word)pid_number(t) << 32 | ident_node(t)->creation);
        } else { /* opaque: its words */
            text_bytes(to, boxed_ptr(t), (1 + header_arity(boxed_header(t))) * sizeof(Term));
        }
    }
}

#endif
