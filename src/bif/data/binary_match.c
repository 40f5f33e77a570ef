/*
 * The searches of module binary. Source: binary(3).
 *
 * A pattern is made of binaries that are not empty. One alone is looked for by its first byte with the C library's
 * memchr, which is the fastest, and with memmem, which is linear, where that byte is frequent. Of several, the leftmost
 * match counts, and of those the longest. A few short ones are kept by their first byte, longest first, behind a table
 * of which bytes begin any, and tried one by one; others become an automaton (bif/data/needles.h). compile_pattern/1
 * keeps all this in an object behind a magic reference.
 *
 * Reductions are paid for the bytes that were looked at.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/data/needles.h"
#include "bif/loop_limit.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "code/export.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/refc_binary.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_PER_REDUCTION 256

typedef struct {
    size_t count;
    Needle *needles;      /* sorted by first byte, then longest first; NULL where there is an automaton */
    uint32_t first[257];  /* needles of first byte b: first[b] .. first[b + 1] - 1; not where there is one needle */
    uint8_t *text;        /* what the needles point to, then the needles */
    Needles *automaton;   /* or NULL: they are tried one by one */
} Pattern;

static void release_needles(Pattern *pattern) {
    mem_free(ALLOC_REGEX, pattern->text);
    mem_free(ALLOC_REGEX, pattern->needles);
    pattern->text = NULL;
    pattern->needles = NULL;
}

static void pattern_release(Pattern *pattern) {
    needles_free(pattern->automaton);
    release_needles(pattern);
}

static bool pattern_object_release(RefcBinary *binary) {
    pattern_release((Pattern *)binary->bytes);
    return true;
}

static int compare_needles(const void *a, const void *b) {
    const Needle *x = a, *y = b;
    if (x->bytes[0] != y->bytes[0])
        return x->bytes[0] < y->bytes[0] ? -1 : 1;
    return x->count > y->count ? -1 : x->count < y->count;
}

#define TRIED_NEEDLES 4 /* that begin with one byte */
#define TRIED_BYTES 32   /* of each */

static bool are_few_and_short(const Pattern *pattern) {
    uint8_t beginning[256] = {0};
    for (size_t i = 0; i < pattern->count; i++) {
        const Needle *needle = &pattern->needles[i];
        if (needle->count > TRIED_BYTES || ++beginning[needle->bytes[0]] > TRIED_NEEDLES)
            return false;
    }
    return true;
}

static void index_needles(Pattern *pattern) {
    if (pattern->count == 1)
        return;
    if (!are_few_and_short(pattern))
        pattern->automaton = needles_make(pattern->needles, pattern->count);
    if (pattern->automaton != NULL) {
        release_needles(pattern);
        return;
    }
    qsort(pattern->needles, pattern->count, sizeof(Needle), compare_needles);
    size_t i = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        pattern->first[byte] = (uint32_t)i;
        while (i < pattern->count && pattern->needles[i].bytes[0] == byte)
            i++;
    }
    pattern->first[256] = (uint32_t)i;
}

static bool is_needle(Term t) { return is_binary(t) && bits_size(t) > 0; }

static uint8_t *add_needle(Pattern *pattern, Term t, uint8_t *to) {
    BitsView view;
    bits_view(t, &view);
    bits_copy(to, 0, view.bytes, view.bit_offset, view.bit_size);
    pattern->needles[pattern->count++] = (Needle){to, view.bit_size / 8};
    return to + view.bit_size / 8;
}

/* From a binary or a list of binaries. False: it is neither, or one is empty. */
static bool pattern_make(Pattern *pattern, Term t) {
    size_t count = 1, bytes = 0;
    if (is_list(t)) {
        Term list = t;
        for (count = 0; is_list(list); list = list_tail(list), count++) {
            if (!is_needle(list_head(list)))
                return false;
            bytes += bits_size(list_head(list)) / 8;
        }
        if (!is_nil(list) || count > UINT32_MAX)
            return false;
    } else if (is_needle(t)) {
        bytes = bits_size(t) / 8;
    } else {
        return false;
    }
    pattern->automaton = NULL;
    pattern->count = 0;
    pattern->text = mem_alloc(ALLOC_REGEX, bytes);
    pattern->needles = mem_alloc(ALLOC_REGEX, count * sizeof(Needle));
    uint8_t *to = pattern->text;
    if (is_list(t)) {
        for (; is_list(t); t = list_tail(t))
            to = add_needle(pattern, list_head(t), to);
    } else {
        add_needle(pattern, t, to);
    }
    index_needles(pattern);
    return true;
}

Term binary_compile_pattern_1(Process *p, const Term *a) {
    LONG_WORK_OPEN;
    Pattern pattern, *object;
    if (!pattern_make(&pattern, a[0]))
        return fail_badarg(p);
    Term reference = native_new(p, sizeof pattern, pattern_object_release, (void **)&object);
    *object = pattern;
    return area_tuple2(process_area(p), pattern.count == 1 ? am_bm : am_ac, reference);
}

/* A pattern as given: compiled, or made here (and released at the end of the search). One needle is used where it is:
 * its binary lasts as long as the search. */
typedef struct {
    Pattern *pattern;
    Pattern own;
    bool owned;
    Needle one;
    uint8_t *copy;
} PatternUse;

static bool pattern_use(PatternUse *use, Term t) {
    if (is_needle(t)) {
        use->one.bytes = binary_bytes(t, &use->one.count, &use->copy);
        use->own.count = 1;
        use->own.automaton = NULL;
        use->own.needles = &use->one;
        use->pattern = &use->own;
        return true;
    }
    if (is_tuple_arity(t, 2)) {
        Term name = tuple_elements(t)[0];
        use->pattern = native_object(tuple_elements(t)[1], pattern_object_release);
        return use->pattern != NULL && name == (use->pattern->count == 1 ? am_bm : am_ac);
    }
    use->pattern = &use->own;
    use->owned = pattern_make(&use->own, t);
    return use->owned;
}

static void pattern_unuse(PatternUse *use) {
    mem_free(ALLOC_TEMP, use->copy);
    if (use->owned)
        pattern_release(&use->own);
}

/* What begins in [from, stop) and ends before `end`: the leftmost match, the longest of those. False: none. */
static bool find_one_of(const Pattern *pattern, const uint8_t *from, const uint8_t *stop, const uint8_t *end,
                        const uint8_t **at, size_t *length) {
    for (const uint8_t *p = from; p < stop; p++) {
        for (uint32_t i = pattern->first[*p]; i < pattern->first[*p + 1]; i++) {
            const Needle *needle = &pattern->needles[i];
            if (needle->count <= (size_t)(end - p) && memcmp(p, needle->bytes, needle->count) == 0) {
                *at = p;
                *length = needle->count;
                return true;
            }
        }
    }
    return false;
}

/* A first byte that begins no match costs about as much as looking at so many bytes. */
#define FALSE_START_BYTES 16

/* The needle, of two bytes or more, in [from, end); NULL: none. What false starts waste is bounded by what was looked
 * at. */
static const uint8_t *find_needle(const uint8_t *from, const uint8_t *end, const Needle *needle) {
    size_t wasted = 0;
    for (const uint8_t *p = from; (size_t)(end - p) >= needle->count; p++) {
        if (wasted > (size_t)(p - from) + 4 * FALSE_START_BYTES)
            return memmem(p, (size_t)(end - p), needle->bytes, needle->count);
        p = memchr(p, needle->bytes[0], (size_t)(end - p) - needle->count + 1);
        if (p == NULL)
            return NULL;
        wasted += FALSE_START_BYTES;
        if (p[1] != needle->bytes[1])
            continue;
        if (needle->count == 2 || memcmp(p + 2, needle->bytes + 2, needle->count - 2) == 0)
            return p;
        wasted += needle->count;
    }
    return NULL;
}

static bool find_from(const Pattern *pattern, const uint8_t *from, const uint8_t *stop, const uint8_t *end,
                      const uint8_t **at, size_t *length) {
    if (pattern->count > 1)
        return find_one_of(pattern, from, stop, end, at, length);
    const Needle *needle = &pattern->needles[0];
    *length = needle->count;
    if (needle->count > (size_t)(end - from))
        return false;
    if ((size_t)(end - stop) >= needle->count)
        end = stop + needle->count - 1;
    *at = needle->count == 1 ? memchr(from, needle->bytes[0], (size_t)(stop - from)) : find_needle(from, end, needle);
    return *at != NULL;
}

/* Window by window, each counted as long work before it is looked at. */
#define WINDOW_BYTES 65536
#define UNITS_PER_MATCH 30
static bool find(const Pattern *pattern, const uint8_t *from, const uint8_t *end, const uint8_t **at, size_t *length) {
    if (pattern->automaton != NULL)
        return needles_find(pattern->automaton, from, end, at, length);
    unsigned units_each = pattern->count > 1 ? 2 : 1;
    while ((size_t)(end - from) > WINDOW_BYTES) {
        if (find_from(pattern, from, from + WINDOW_BYTES, end, at, length)) {
            long_work_count((*at - from) * units_each + UNITS_PER_MATCH);
            return true;
        }
        long_work_count(WINDOW_BYTES * units_each);
        from += WINDOW_BYTES;
    }
    bool found = find_from(pattern, from, end, end, at, length);
    long_work_count(((found ? *at : end) - from) * units_each + UNITS_PER_MATCH);
    return found;
}

typedef struct {
    bool global, trim, trim_all;
    size_t from, to; /* bytes of the subject that are looked at */
} Options;

static bool take_scope(Options *o, Term pair, size_t bytes) {
    if (!is_tuple_arity(pair, 2) || !are_small(tuple_elements(pair)[0], tuple_elements(pair)[1]))
        return false;
    SWord at = small_value(tuple_elements(pair)[0]), count = small_value(tuple_elements(pair)[1]);
    if (at < 0 || at > (SWord)bytes || count < -at || count > (SWord)bytes - at)
        return false;
    o->from = (size_t)(count < 0 ? at + count : at);
    o->to = (size_t)(count < 0 ? at : at + count);
    return true;
}

static bool take_options(Options *o, Term list, size_t bytes, bool split) {
    *o = (Options){.to = bytes};
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        if (split && option == am_global)
            o->global = true;
        else if (split && option == am_trim)
            o->trim = true;
        else if (split && option == am_trim_all)
            o->trim_all = true;
        else if (!is_tuple_arity(option, 2) || tuple_elements(option)[0] != am_scope ||
                 !take_scope(o, tuple_elements(option)[1], bytes))
            return false;
    }
    return is_nil(list);
}

typedef struct {
    PatternUse use;
    Options options;
    Term subject;
    const uint8_t *bytes;
    uint8_t *copy;
    size_t paid; /* the subject is paid for up to here */
} Search;

/* Where the scope ends at the very beginning, the pattern is not looked at, as in the stock runtime. */
static bool search_start(Search *s, Term subject, Term pattern, Term options, bool split) {
    if (!is_binary(subject) || !take_options(&s->options, options, bits_size(subject) / 8, split))
        return false;
    s->use.owned = false;
    s->use.copy = NULL;
    if (s->options.to > 0 && !pattern_use(&s->use, pattern))
        return false;
    size_t bytes;
    s->subject = subject;
    s->bytes = binary_bytes(subject, &bytes, &s->copy);
    s->paid = s->options.from;
    return true;
}

static void search_end(Process *p, Search *s) {
    process_bump(p, (int64_t)((s->options.from - s->paid) / BYTES_PER_REDUCTION));
    pattern_unuse(&s->use);
    mem_free(ALLOC_TEMP, s->copy);
}

/* The next match, after which the search goes on behind it. */
static bool search_next(Search *s, size_t *at, size_t *length) {
    const uint8_t *found;
    const uint8_t *from = s->bytes + s->options.from, *end = s->bytes + s->options.to;
    if (from >= end || !find(s->use.pattern, from, end, &found, length)) {
        s->options.from = s->options.to;
        return false;
    }
    *at = (size_t)(found - s->bytes);
    s->options.from = *at + *length;
    return true;
}

static Term match(Process *p, Term subject, Term pattern, Term options) {
    LONG_WORK_OPEN;
    loop_begin(LOOP_BINARY);
    Search s;
    size_t at, length;
    if (!search_start(&s, subject, pattern, options, false))
        return fail_badarg(p);
    Term result = am_nomatch;
    if (search_next(&s, &at, &length))
        result = area_tuple2(process_area(p), small_make((SWord)at), small_make((SWord)length));
    search_end(p, &s);
    return result;
}

Term binary_match_2(Process *p, const Term *a) { return match(p, a[0], a[1], NIL); }
Term binary_match_3(Process *p, const Term *a) { return match(p, a[0], a[1], a[2]); }

static Term matches(Process *p, Term subject, Term pattern, Term options) {
    LONG_WORK_OPEN;
    loop_begin(LOOP_BINARY);
    Search s;
    size_t at, length;
    if (!search_start(&s, subject, pattern, options, false))
        return fail_badarg(p);
    Area *area = process_area(p);
    Term result = NIL, *last = &result;
    while (search_next(&s, &at, &length)) {
        Term *cell = area_alloc(area, PAIR_CELL_WORDS);
        *last = pair_cell_put(cell, small_make((SWord)at), small_make((SWord)length), NIL);
        last = cell + 1;
        process_bump(p, 1);
    }
    search_end(p, &s);
    return result;
}

Term binary_matches_2(Process *p, const Term *a) { return matches(p, a[0], a[1], NIL); }
Term binary_matches_3(Process *p, const Term *a) { return matches(p, a[0], a[1], a[2]); }

/* Parts are made front to back; empty ones that `trim` may drop wait until a part that is not empty follows. */
typedef struct {
    Area *area;
    Term result, *last;
    size_t empty; /* waiting */
    const Options *options;
    const Search *search;
} Parts;

/* A small part is copied from where the search reads. */
static Term part(const Parts *parts, size_t from, size_t to) {
    Term subject = parts->search->subject;
    if (to - from <= HEAP_BITS_MAX_BYTES && 8 * (to - from) < bits_size(subject))
        return binary_from_bytes(parts->area, parts->search->bytes + from, to - from);
    return bits_sub(parts->area, subject, 8 * from, 8 * (to - from));
}

static void append_part(Parts *parts, size_t from, size_t to) {
    Term cell = area_cons(parts->area, part(parts, from, to), NIL);
    *parts->last = cell;
    parts->last = &list_ptr(cell)[1];
}

static void add_part(Parts *parts, size_t from, size_t to) {
    if (from == to && parts->options->trim_all)
        return;
    if (from == to && parts->options->trim) {
        parts->empty++;
        return;
    }
    for (; parts->empty > 0; parts->empty--)
        append_part(parts, from, from);
    append_part(parts, from, to);
}

static Term split(Process *p, Term subject, Term pattern, Term options) {
    LONG_WORK_OPEN;
    loop_begin(LOOP_BINARY);
    Search s;
    size_t at, length, from = 0;
    if (!search_start(&s, subject, pattern, options, true))
        return fail_badarg(p);
    Parts parts = {.area = process_area(p), .result = NIL, .options = &s.options, .search = &s};
    parts.last = &parts.result;
    bool found = false;
    while (search_next(&s, &at, &length)) {
        add_part(&parts, from, at);
        from = at + length;
        found = true;
        process_bump(p, 1);
        if (!s.options.global)
            break;
    }
    size_t bytes = bits_size(subject) / 8;
    if (found || bytes == 0)
        add_part(&parts, from, bytes);
    else
        parts.result = area_cons(parts.area, subject, NIL);
    search_end(p, &s);
    return parts.result;
}

Term binary_split_2(Process *p, const Term *a) { return split(p, a[0], a[1], NIL); }
Term binary_split_3(Process *p, const Term *a) { return split(p, a[0], a[1], a[2]); }
