/* What all parts of the compiler write with: instructions, the depth of the stack, the variables of a clause. */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "match/compiler.h"
#include "term/atom.h"

#include <stdlib.h>
#include <string.h>

/* Of twice the size; `own` is where it lies that is no block, or NULL. */
static void *grow(void *block, const void *own, size_t bytes) {
    if (block == NULL || block != own)
        return mem_realloc(ALLOC_MATCH_SPEC, block, 2 * bytes);
    return memcpy(mem_alloc(ALLOC_MATCH_SPEC, 2 * bytes), block, bytes);
}

static noinline void grow_code(MatchSpec *s) {
    s->code = grow(s->code, s->room ? s->room->code : NULL, s->code_capacity * WORD_BYTES);
    s->code_capacity *= 2;
}

void match_emit(MatchCompiler *c, Word w) {
    MatchSpec *s = c->spec;
    if (unlikely(s->code_count == s->code_capacity))
        grow_code(s);
    s->code[s->code_count++] = w;
}

void match_emit2(MatchCompiler *c, MatchInstruction op, Word operand) {
    match_emit(c, op);
    match_emit(c, operand);
}

void match_grow_stack(MatchCompiler *c, size_t by) {
    c->depth += by;
    if (c->depth > c->spec->stack_words)
        c->spec->stack_words = c->depth;
}

void match_mark(const MatchCompiler *c, EStack *marks) {
    const MatchSpec *s = c->spec;
    estack_push3(marks, s->code_count, c->depth, s->stack_words);
    estack_push2(marks, c->changing, c->rewritten);
}

MatchMark match_unmark(EStack *marks) {
    const Word *w = marks->top -= MATCH_MARK_WORDS;
    return (MatchMark){w[0], w[1], w[2], w[3], w[4]};
}

void match_take_back(MatchCompiler *c, const MatchMark *mark) {
    c->spec->code_count = mark->code;
    c->spec->stack_words = mark->stack_words;
    c->depth = mark->depth;
}

/* As in stock, of the number the low 32 bits count, and one that is negative then is none. */
int64_t match_variable(Term atom) {
    if (!is_atom(atom))
        return -1;
    const AtomName *name = atom_name(atom);
    size_t n = name->byte_count;
    if (likely(name->order_value >> 56 != '$') || n < 2 || (name->bytes[1] == '0' && n > 2))
        return -1;
    uint32_t number = 0;
    for (size_t i = 1; i < n; i++) {
        if (name->bytes[i] < '0' || name->bytes[i] > '9')
            return -1;
        number = number * 10 + (uint32_t)(name->bytes[i] - '0');
    }
    return number <= INT32_MAX ? (int64_t)number : -1;
}

void match_add_variable(MatchCompiler *c, int64_t number) {
    if (c->variable_count == c->variable_capacity) {
        c->variables = grow(c->variables, c->own_variables, c->variable_capacity * sizeof *c->variables);
        c->variable_capacity *= 2;
    }
    c->variables[c->variable_count++] = (MatchVariable){.number = (uint32_t)number};
}

static int compare_variables(const void *a, const void *b) {
    uint32_t of_a = ((const MatchVariable *)a)->number, of_b = ((const MatchVariable *)b)->number;
    return (of_a > of_b) - (of_a < of_b);
}

#define UNITS_TO_SORT 100 /* each, of long work */

void match_sort_variables(MatchCompiler *c) {
    MatchVariable *v = c->variables;
    size_t all = c->variable_count, count = 0;
    if (all > 1)
        qsort(v, all, sizeof *v, compare_variables);
    long_work_count_large(all, UNITS_TO_SORT);
    for (size_t i = 0; i < all; i++)
        if (count == 0 || v[count - 1].number != v[i].number)
            v[count++] = v[i];
    c->variable_count = count;
    if (count > c->spec->variables)
        c->spec->variables = count;
}

MatchVariable *match_find_variable(MatchCompiler *c, int64_t number) {
    size_t low = 0, high = c->variable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->variables[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->variable_count && c->variables[low].number == number ? &c->variables[low] : NULL;
}
