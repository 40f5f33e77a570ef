/*
 * Running compiled match specifications: one loop over the words of a program.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "heap/copy.h"
#include "match/program.h"
#include "term/atom.h"
#include "term/compare.h"
#include "term/float.h"
#include "term/map.h"

#include <string.h>

typedef struct Chunk {
    struct Chunk *next;
    Term words[];
} Chunk;
#define CHUNK_WORDS 256

static Term *scratch_overflow(Area *area, size_t words) {
    MatchRun *run = container_of(area, MatchRun, scratch);
    size_t room = words > CHUNK_WORDS ? words : CHUNK_WORDS;
    Chunk *chunk = mem_alloc(ALLOC_TEMP, sizeof *chunk + room * WORD_BYTES);
    chunk->next = run->scratch_chunks;
    run->scratch_chunks = chunk;
    area->top = chunk->words + words;
    area->limit = chunk->words + room;
    return chunk->words;
}

/* Guards build only numbers and sub-binaries: nothing there owns anything outside. */
static void scratch_clear(MatchRun *run) {
    for (Chunk *next, *chunk = run->scratch_chunks; chunk; chunk = next) {
        next = chunk->next;
        mem_free(ALLOC_TEMP, chunk);
    }
    run->scratch_chunks = NULL;
    run->scratch.top = run->scratch_words;
    run->scratch.limit = run->scratch_words + MATCH_SCRATCH_WORDS;
}

void match_run_init(MatchRun *run, const MatchSpec *spec, Area *to, Term self) {
    run->spec = spec;
    run->to = to;
    run->self = self;
    run->action = NULL;
    run->context = NULL;
    run->block_words = 0;
    run->scratch = (Area){.overflow = scratch_overflow};
    run->scratch_chunks = NULL;
    scratch_clear(run);
    size_t words = spec->stack_words + spec->variables;
    run->stack = words <= MATCH_OWN_WORDS ? run->own_words : mem_alloc(ALLOC_TEMP, words * WORD_BYTES);
    run->variables = run->stack + spec->stack_words;
}

void match_run_release(MatchRun *run) {
    scratch_clear(run);
    if (run->stack != run->own_words)
        mem_free(ALLOC_TEMP, run->stack);
}

static Term variable_list(const MatchRun *run, size_t count, Area *area, bool copy) {
    Term list = NIL;
    for (size_t i = count; i-- > 0;) {
        Term value = run->variables[i];
        list = area_cons(area, copy ? term_copy(value, area) : value, list);
    }
    return list;
}

/* On the stack are the tail, and above it the elements, the last on top of it. */
static Term make_list(Area *area, const Term *top, size_t count) {
    Term list = top[0];
    for (size_t i = 1; i <= count; i++)
        list = area_cons(area, top[i], list);
    return list;
}

/* On the stack are the keys and then the values; below them is room for the pairs. */
static Term make_map(Area *area, Term *top, size_t count) {
    Term *pairs = top - 2 * count;
    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = top[i];
        pairs[2 * i + 1] = top[count + i];
    }
    return map_from_pairs(area, pairs, count);
}

/* true, false, or NON_VALUE when an argument is neither. `neutral` is what makes no difference. */
static Term fold_booleans(const Term *a, size_t count, Term neutral) {
    Term result = neutral;
    for (size_t i = 0; i < count; i++) {
        if (a[i] != am_true && a[i] != am_false)
            return NON_VALUE;
        if (a[i] != neutral)
            result = a[i];
    }
    return result;
}

static Term copy_object(const MatchRun *run, Term object, Area *area) {
    if (run->block_words > 0)
        return term_copy_block(boxed_ptr(object), run->block_words, area);
    return term_copy(object, area);
}

static Term run_program(MatchRun *run, Term object) {
    const Word *code = run->spec->code, *ip = code, *fail = code, *from = code;
    Term *const empty = run->stack + run->spec->stack_words, *sp = empty; /* the top; it grows downwards */
    Term *var = run->variables, t;
    Area *area = &run->scratch;
    bool body = false;
    run->passed = 0;
    for (;;) {
        switch ((MatchInstruction)*ip++) {
        case M_CLAUSE:
            fail = code + *ip++;
            sp = empty;
            *--sp = object;
            break;
        case M_ANY: sp++; break;
        case M_BIND: var[*ip++] = *sp++; break;
        case M_SAME:
            if (!term_identical(var[*ip++], *sp++))
                goto next_clause;
            break;
        case M_CONSTANT:
            if (!term_identical(*ip++, *sp++))
                goto next_clause;
            break;
        case M_ZERO:
            t = *sp++;
            if (!is_float(t) || float_bits(float_value(t)) != float_bits(float_value(*ip++)))
                goto next_clause;
            break;
        case M_TUPLE:
            t = *sp++;
            if (!is_tuple_arity(t, *ip))
                goto next_clause;
            for (size_t i = *ip++; i-- > 0;)
                *--sp = tuple_elements(t)[i];
            break;
        case M_LIST:
            t = *sp;
            if (!is_list(t))
                goto next_clause;
            *sp = list_tail(t);
            *--sp = list_head(t);
            break;
        case M_MAP: {
            size_t count = *ip++;
            t = *sp++;
            if (!is_map(t))
                goto next_clause;
            for (size_t i = count; i-- > 0;) {
                const Term *value = map_get(t, ip[i]);
                if (!value)
                    goto next_clause;
                *--sp = *value;
            }
            ip += count;
            break;
        }
        case M_GUARD:
            if (*sp++ != am_true)
                goto next_clause;
            break;
        case M_BODY:
            body = true;
            area = run->to;
            break;
        case M_RETURN: run->passed += (size_t)(ip - from); return *sp;
        case M_POP: sp++; break;
        case M_PUSH: *--sp = *ip++; break;
        case M_PUSH_COPY: *--sp = term_copy(*ip++, area); break;
        case M_VARIABLE: *--sp = var[*ip++]; break;
        case M_VARIABLE_COPY: *--sp = term_copy(var[*ip++], area); break;
        case M_OBJECT: *--sp = object; break;
        case M_OBJECT_COPY: *--sp = copy_object(run, object, area); break;
        case M_ALL:
        case M_ALL_COPY:
            *--sp = variable_list(run, *ip, area, ip[-1] == M_ALL_COPY);
            run->passed += *ip++;
            break;
        case M_MAKE_TUPLE:
            t = area_tuple(area, sp, *ip);
            sp += *ip++;
            *--sp = t;
            break;
        case M_MAKE_LIST:
            t = make_list(area, sp, *ip);
            sp += *ip++;
            *sp = t;
            break;
        case M_MAKE_MAP:
            t = make_map(area, sp, *ip);
            sp += 2 * *ip++;
            *--sp = t;
            break;
        case M_CALL:
            t = match_functions[ip[0]].function(run, area, sp);
            sp += ip[1];
            ip += 2;
            goto result;
        case M_ACTION:
            t = run->action ? run->action(run, ip[0], sp, (unsigned)ip[1]) : NON_VALUE;
            sp += ip[1];
            ip += 2;
            goto result;
        case M_COPY: *sp = term_copy(*sp, area); break;
        case M_AND:
            t = fold_booleans(sp, *ip, am_true);
            sp += *ip++;
            goto result;
        case M_OR:
            t = fold_booleans(sp, *ip, am_false);
            sp += *ip++;
            goto result;
        case M_ANDALSO:
        case M_ORELSE: {
            Term stop = ip[-1] == M_ANDALSO ? am_false : am_true;
            if (*sp == am_true || *sp == am_false) {
                if (*sp == stop) {
                    ip = code + *ip;
                } else {
                    sp++;
                    ip++;
                }
                break;
            }
            if (!body)
                goto next_clause;
            *sp = am_EXIT;
            ip = code + *ip;
            break;
        }
        case M_FAIL: return NON_VALUE;
        }
        continue;
    result:
        if (!is_value(t)) {
            if (!body)
                goto next_clause;
            t = am_EXIT;
        }
        *--sp = t;
        continue;
    next_clause:
        run->passed += (size_t)(ip - from);
        from = ip = fail;
    }
}

#define SHORT_PROGRAM 100 /* words: not worth counting */
#define UNITS_PER_WORD 3  /* of long work */

Term match_run(MatchRun *run, Term object) {
    int64_t before = long_work_units();
    Term result = run_program(run, object);
    int64_t counted = long_work_units() - before;
    if (unlikely(run->passed > SHORT_PROGRAM))
        long_work_count((int64_t)run->passed * UNITS_PER_WORD);
    run->passed += (size_t)(counted / UNITS_PER_WORD);
    if (run->scratch.top != run->scratch_words)
        scratch_clear(run);
    return result;
}
