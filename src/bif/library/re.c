/*
 * re: regular expressions. Source: re(3); forms of errors and results as OTP 25 answers.
 *
 * A compiled pattern is {re_pattern, Captures, Unicode, UseCRLF, Binary}; the binary is a description
 * (bif/library/regex.h): a mark, RegexOptions, and the text. What needs conversion of characters, or is done again and
 * again (global), is done in Erlang by module re itself: re:urun/3, re:ucompile/2, re:grun/3.
 */
#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/argument.h"
#include "bif/loop_limit.h"
#include "bif/library/re_exported.h"
#include "bif/library/regex.h"
#include "bif/magic_object.h"
#include "bif_table.h"
#include "base/unicode.h"
#include "code/export.h"
#include "sys/clock.h"
#include "sys/release.h"
#include "term/atom.h"
#include "term/bits.h"
#include "term/compare.h"
#include "term/stock_word.h"

#include <string.h>

static const uint8_t mark[8] = "VIVRE\1\0";
#define MATCH_LIMIT 10000000

static Term re_badarg(Process *p) {
    fail_badarg(p);
    p->fail.info_module = am_erl_stdlib_errors;
    return NON_VALUE;
}

static Term re_badopt(Process *p) {
    fail_badarg_cause(p, am_badopt);
    p->fail.info_module = am_erl_stdlib_errors;
    return NON_VALUE;
}

/* Options */

typedef enum { CAPTURE_INDEX, CAPTURE_LIST, CAPTURE_BINARY } CaptureType;
typedef struct {
    RegexOptions compile;
    uint32_t run;          /* PCRE2_NOTBOL, ... */
    bool compiles, exports, global, report_errors;
    bool newline_given, bad_capture;
    int64_t offset;
    uint32_t match_limit, depth_limit;
    Term capture;          /* am_all, ..., or a list */
    CaptureType type;
} Options;

static uint32_t compile_flag(Term option) {
    switch (option) {
    case am_unicode: return PCRE2_UTF;
    case am_caseless: return PCRE2_CASELESS;
    case am_dollar_endonly: return PCRE2_DOLLAR_ENDONLY;
    case am_dotall: return PCRE2_DOTALL;
    case am_extended: return PCRE2_EXTENDED;
    case am_firstline: return PCRE2_FIRSTLINE;
    case am_multiline: return PCRE2_MULTILINE;
    case am_no_auto_capture: return PCRE2_NO_AUTO_CAPTURE;
    case am_dupnames: return PCRE2_DUPNAMES;
    case am_ungreedy: return PCRE2_UNGREEDY;
    case am_no_start_optimize: return PCRE2_NO_START_OPTIMIZE;
    case am_ucp: return PCRE2_UCP;
    case am_never_utf: return PCRE2_NEVER_UTF;
    default: return 0;
    }
}

static uint32_t run_flag(Term option) {
    switch (option) {
    case am_notbol: return PCRE2_NOTBOL;
    case am_noteol: return PCRE2_NOTEOL;
    case am_notempty: return PCRE2_NOTEMPTY;
    case am_notempty_atstart: return PCRE2_NOTEMPTY_ATSTART;
    default: return 0;
    }
}

static uint8_t newline_of(Term t) {
    switch (t) {
    case am_cr: return PCRE2_NEWLINE_CR;
    case am_lf: return PCRE2_NEWLINE_LF;
    case am_crlf: return PCRE2_NEWLINE_CRLF;
    case am_any: return PCRE2_NEWLINE_ANY;
    case am_anycrlf: return PCRE2_NEWLINE_ANYCRLF;
    case am_nul: return release_has(RELEASE_PCRE2_ANSWERS) ? PCRE2_NEWLINE_NUL : 0;
    default: return 0;
    }
}

static uint8_t newline_meant(const RegexOptions *o) { return o->newline ? o->newline : PCRE2_NEWLINE_LF; }
static uint8_t bsr_meant(const RegexOptions *o) { return o->bsr ? o->bsr : PCRE2_BSR_UNICODE; }

/* A number, or a name: an atom, a binary, a list of bytes that is not [] itself. */
static bool is_identification(Term id) {
    uint64_t bytes;
    return is_small(id) ? is_small_within(id, 0, INT32_MAX)
                        : is_atom(id) || is_binary(id) || (is_list(id) && iolist_bytes(id, &bytes, NULL));
}

static bool are_identifications(Term values) {
    for (; is_list(values); values = list_tail(values))
        if (!is_identification(list_head(values)))
            return false;
    return is_nil(values);
}

static bool is_capture(Term values, Term type) {
    if (type != am_index && type != am_list && type != am_binary)
        return false;
    return values == am_all || values == am_all_but_first || values == am_all_names || values == am_first ||
           values == am_none || are_identifications(values);
}

/* A bad capture is not reported as a bad option, but as a bad argument. */
static bool take_capture(Options *o, Term values, Term type) {
    o->capture = values;
    o->type = type == am_list ? CAPTURE_LIST : type == am_binary ? CAPTURE_BINARY : CAPTURE_INDEX;
    o->bad_capture = !is_capture(values, type);
    return true;
}

static bool take_limit(Term t, uint32_t *limit) {
    if (!is_small_within(t, 0, INT32_MAX))
        return false;
    *limit = (uint32_t)small_value(t);
    return true;
}

/* The stock runtime puts the bits of all that are given together; PCRE 8 numbers them as PCRE2 does. */
static void give(uint8_t *option, uint8_t value) {
    *option = release_has(RELEASE_PCRE2_ANSWERS) ? value : *option | value;
}

static bool take_pair(Options *o, const Term *e, bool run) {
    if (e[0] == am_newline) {
        give(&o->compile.newline, newline_of(e[1]));
        o->newline_given = true;
        return newline_of(e[1]) != 0;
    }
    if (!run)
        return false;
    switch (e[0]) {
    case am_offset:
        o->offset = is_small(e[1]) ? small_value(e[1]) : -1;
        return o->offset >= 0 && stock_is_small(o->offset);
    case am_match_limit: return take_limit(e[1], &o->match_limit);
    case am_match_limit_recursion: return take_limit(e[1], &o->depth_limit);
    case am_capture: return take_capture(o, e[1], am_index);
    default: return false;
    }
}

static bool take_atom(Options *o, Term option, bool run) {
    if (compile_flag(option)) {
        o->compile.flags |= compile_flag(option);
        o->compiles = true;
    } else if (option == am_anchored) {
        o->run |= PCRE2_ANCHORED;
    } else if (option == am_bsr_anycrlf || option == am_bsr_unicode) {
        give(&o->compile.bsr, option == am_bsr_anycrlf ? PCRE2_BSR_ANYCRLF : PCRE2_BSR_UNICODE);
    } else if (run && run_flag(option)) {
        o->run |= run_flag(option);
    } else if (!run && option == am_export && release_has(RELEASE_EXPORTED_PATTERNS)) {
        o->exports = true;
    } else if (run && option == am_global) {
        o->global = true;
    } else if (run && option == am_report_errors) {
        o->report_errors = true;
    } else {
        return false;
    }
    return true;
}

static bool take_options(Options *o, Term list, bool run) {
    *o = (Options){.match_limit = MATCH_LIMIT, .depth_limit = MATCH_LIMIT, .capture = am_all};
    for (; is_list(list); list = list_tail(list)) {
        Term option = list_head(list);
        bool good = is_atom(option)             ? take_atom(o, option, run)
                    : is_tuple_arity(option, 2) ? take_pair(o, tuple_elements(option), run)
                    : run && is_tuple_arity(option, 3) && tuple_elements(option)[0] == am_capture
                        ? take_capture(o, tuple_elements(option)[1], tuple_elements(option)[2])
                        : false;
        if (!good)
            return false;
    }
    return is_nil(list);
}

#define NANOSECONDS_PER_REDUCTION 250
/* A clock that is cheap, and goes by milliseconds, does it: who is in here when it ticks was so often. */
static void bump(Process *p, size_t reductions, int64_t began) {
    process_bump(p, (int64_t)reductions + 10 + (clock_coarse() - began) / NANOSECONDS_PER_REDUCTION);
}

/* Compiling */

static Term pattern_tuple(Process *p, const Regex *r) {
    Area *area = process_area(p);
    uint8_t *to;
    Term binary = binary_make(area, sizeof mark + sizeof r->options + r->bytes, &to);
    memcpy(to, mark, sizeof mark);
    memcpy(to + sizeof mark, &r->options, sizeof r->options);
    memcpy(to + sizeof mark + sizeof r->options, r->pattern, r->bytes);
    Term *tuple = area_alloc(area, 6);
    tuple[0] = header_make(KIND_TUPLE, 5);
    tuple[1] = am_re_pattern;
    tuple[2] = small_make(r->captures);
    tuple[3] = small_make(r->unicode);
    tuple[4] = small_make(r->crlf);
    tuple[5] = binary;
    return boxed_make(tuple);
}

static Term error_tuple(Process *p, const RegexError *e) {
    Area *area = process_area(p);
    Term text = list_from_bytes(area, e->text, strlen(e->text), NIL);
    return area_tuple2(area, text, small_make((SWord)e->position));
}

static Term trap(Process *p, Term function, unsigned arity, const Term *arguments) {
    return bif_trap(p, export_put(am_re, function, arity), arity, arguments);
}

static Term exported(Process *p, const Regex *r, Term options) {
    Exported e = {.is_unicode = r->unicode, .options = options, .code = regex_serialized(r, process_area(p))};
    e.text = binary_from_bytes(process_area(p), r->pattern, r->bytes);
    return re_exported_make(process_area(p), &e);
}

static Term compile(Process *p, Term text, Term list) {
    Options o;
    if (!take_options(&o, list, false))
        return re_badopt(p);
    if ((o.compile.flags & PCRE2_UTF) && !is_bitstring(text))
        return trap(p, am_ucompile, 2, (Term[]){text, list});
    o.compile.flags |= o.run; /* anchored */
    NativeBytes bytes;
    if (!native_bytes(text, &bytes))
        return re_badarg(p);
    RegexError error;
    int64_t began = clock_coarse();
    Regex *r = regex_get(bytes.bytes, bytes.count, &o.compile, &error);
    bump(p, bytes.count, began);
    native_bytes_release(&bytes);
    if (!r)
        return area_tuple2(process_area(p), am_error, error_tuple(p, &error));
    Term pattern = o.exports ? exported(p, r, list) : pattern_tuple(p, r);
    regex_release(r);
    return native_ok(p, pattern);
}

Term re_compile_1(Process *p, const Term *a) { return compile(p, a[0], NIL); }
Term re_compile_2(Process *p, const Term *a) { return compile(p, a[0], a[1]); }

Term re_version(Process *p, const Term *a) {
    char text[64] = "";
    pcre2_config(PCRE2_CONFIG_VERSION, text);
    return binary_from_bytes(process_area(p), text, strlen(text));
}

/* What is said when a pattern is run instead of when it was compiled; from OTP 28 on it must be the same. */
static bool override(RegexOptions *by, const Options *o) {
    RegexOptions before = *by;
    if (regex_is_inconsistent(&o->compile)) /* which shows when it has run */
        return true;
    if (o->newline_given)
        by->newline = o->compile.newline;
    if (o->compile.bsr)
        by->bsr = o->compile.bsr;
    return !release_has(RELEASE_PCRE2_ANSWERS) ||
           (newline_meant(&before) == newline_meant(by) && bsr_meant(&before) == bsr_meant(by));
}

/* A description comes from anywhere: what it asks for is what take_options may ask for, and nothing else of PCRE2. */
static bool are_possible(const RegexOptions *o) {
    static const Term names[] = {am_unicode,           am_caseless,  am_dollar_endonly,  am_dotall,   am_extended,
                                 am_firstline,         am_multiline, am_no_auto_capture, am_dupnames, am_ungreedy,
                                 am_no_start_optimize, am_ucp,       am_never_utf};
    uint32_t rest = o->flags & ~PCRE2_ANCHORED;
    for (size_t i = 0; i < array_length(names); i++)
        rest &= ~compile_flag(names[i]);
    return rest == 0 && o->newline <= PCRE2_NEWLINE_NUL && o->bsr <= PCRE2_BSR_ANYCRLF && o->unused[0] == 0 &&
           o->unused[1] == 0;
}

/* The machine's form of a compiled pattern; NULL when the term is none. Options given at the run override its own. */
static Regex *regex_of(Term pattern, const Options *o) {
    const Term *e = tuple_elements(pattern);
    if (!is_tuple_arity(pattern, 5) || e[0] != am_re_pattern || !is_binary(e[4]))
        return NULL;
    NativeBytes b;
    native_bytes(e[4], &b);
    Regex *r = NULL;
    if (b.count >= sizeof mark + sizeof(RegexOptions) && memcmp(b.bytes, mark, sizeof mark) == 0) {
        RegexOptions options;
        memcpy(&options, b.bytes + sizeof mark, sizeof options);
        RegexError error;
        size_t head = sizeof mark + sizeof options;
        if (are_possible(&options) && (o == NULL || override(&options, o)))
            r = regex_get(b.bytes + head, b.count - head, &options, &error);
    }
    native_bytes_release(&b);
    return r;
}

static Regex *regex_exported(const Exported *e) {
    Options o;
    NativeBytes b;
    RegexError error;
    if (!is_binary(e->text) || !take_options(&o, e->options, false))
        return NULL;
    o.compile.flags |= o.run;
    native_bytes(e->text, &b);
    Regex *r = regex_get(b.bytes, b.count, &o.compile, &error);
    native_bytes_release(&b);
    return r;
}

Term re_import(Process *p, const Term *a) {
    Exported e;
    Regex *r = re_exported_read(a[0], &e) ? regex_exported(&e) : NULL;
    if (r == NULL)
        return re_badarg(p);
    Term pattern = pattern_tuple(p, r);
    regex_release(r);
    return pattern;
}

/* Captures */

typedef struct {
    Process *p;
    const Regex *regex;
    const Options *options;
    const size_t *vector; /* pairs of start and end; PCRE2_UNSET */
    unsigned count;       /* pairs that are set, or unset before one that is */
    Term subject;         /* a binary that shows what was matched, NON_VALUE when the subject was no binary */
    const uint8_t *bytes;
    bool *is_torn; /* set: a list would have a part of a character (\C takes bytes), or none at all */
} Captures;

static bool is_set(const Captures *c, uint32_t n) { return n < c->count && c->vector[2 * n] != PCRE2_UNSET; }

#define UNITS_PER_LIST_BYTE 3
static Term capture_text(const Captures *c, size_t start, size_t size) {
    Area *area = process_area(c->p);
    if (c->options->type == CAPTURE_BINARY && is_value(c->subject))
        return bits_sub(area, c->subject, start * 8, size * 8);
    if (c->options->type == CAPTURE_BINARY)
        return binary_from_bytes(area, c->bytes + start, size);
    long_work_count_large(size, UNITS_PER_LIST_BYTE);
    if (!c->regex->unicode)
        return list_from_bytes(area, c->bytes + start, size, NIL);
    if (utf8_count(c->bytes + start, size, NULL) >= 0)
        return list_from_utf8(area, c->bytes + start, size);
    *c->is_torn = true;
    return NIL;
}

static Term capture(const Captures *c, uint32_t n) {
    Area *area = process_area(c->p);
    bool set = is_set(c, n);
    size_t start = set ? c->vector[2 * n] : 0, end = set ? c->vector[2 * n + 1] : 0;
    size_t size = end > start ? end - start : 0; /* \K in a lookahead can put the start behind the end */
    if (c->options->type == CAPTURE_INDEX)
        return area_tuple2(area, set ? small_make((SWord)start) : small_make(-1), small_make((SWord)size));
    return capture_text(c, start, size);
}

typedef struct {
    const uint8_t *entries;
    uint32_t count, entry_bytes;
} NameTable;

static NameTable name_table(const Regex *r) {
    NameTable t;
    pcre2_pattern_info(r->code, PCRE2_INFO_NAMECOUNT, &t.count);
    pcre2_pattern_info(r->code, PCRE2_INFO_NAMEENTRYSIZE, &t.entry_bytes);
    pcre2_pattern_info(r->code, PCRE2_INFO_NAMETABLE, &t.entries);
    return t;
}

static const uint8_t *name_entry(const NameTable *t, uint32_t i) { return t->entries + (size_t)i * t->entry_bytes; }
static uint32_t entry_number(const uint8_t *entry) { return (uint32_t)entry[0] << 8 | entry[1]; }

/* The number behind a name: of several, the first that is set. UINT32_MAX when there is no such name. */
static uint32_t number_of_name(const Captures *c, const uint8_t *name, size_t bytes) {
    NameTable t = name_table(c->regex);
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < t.count; i++) {
        const uint8_t *entry = name_entry(&t, i);
        if (strlen((const char *)entry + 2) != bytes || memcmp(entry + 2, name, bytes) != 0)
            continue;
        uint32_t number = entry_number(entry);
        if (found == UINT32_MAX || (is_set(c, number) && !is_set(c, found)))
            found = number;
    }
    return found;
}

/* Of an identification. No name is as long as that. */
#define NAME_MAX_BYTES 255
static uint32_t number_of(const Captures *c, Term id) {
    if (is_small(id))
        return (uint32_t)small_value(id);
    if (is_atom(id)) {
        const AtomName *name = atom_name(id);
        return number_of_name(c, name->bytes, name->byte_count);
    }
    uint64_t bytes;
    NativeBytes b;
    if (is_list(id) && (!iolist_bytes(id, &bytes, NULL) || bytes > NAME_MAX_BYTES))
        return UINT32_MAX;
    if (!native_bytes(id, &b))
        return UINT32_MAX;
    uint32_t number = number_of_name(c, b.bytes, b.count);
    native_bytes_release(&b);
    return number;
}

static Term capture_range(const Captures *c, uint32_t from, uint32_t to) {
    Term list = NIL;
    for (uint32_t n = to; n-- > from;)
        list = area_cons(process_area(c->p), capture(c, n), list);
    return list;
}

static Term capture_names(const Captures *c) {
    NameTable t = name_table(c->regex);
    Term list = NIL;
    for (uint32_t i = t.count; i-- > 0;) {
        const char *name = (const char *)name_entry(&t, i) + 2;
        if (i > 0 && strcmp(name, (const char *)name_entry(&t, i - 1) + 2) == 0)
            continue;
        uint32_t number = number_of_name(c, (const uint8_t *)name, strlen(name));
        list = area_cons(process_area(c->p), capture(c, number), list);
    }
    return list;
}

static Term capture_values(const Captures *c, Term values) {
    Area *area = process_area(c->p);
    Term reversed = NIL, list = NIL;
    for (; is_list(values); values = list_tail(values))
        reversed = area_cons(area, capture(c, number_of(c, list_head(values))), reversed);
    for (; is_list(reversed); reversed = list_tail(reversed))
        list = area_cons(area, list_head(reversed), list);
    return list;
}

static Term match_result(const Captures *c) {
    Term list;
    switch (c->options->capture) {
    case am_none: return am_match;
    case am_all: list = capture_range(c, 0, c->count); break;
    case am_all_but_first: list = capture_range(c, 1, c->count); break;
    case am_first: list = capture_range(c, 0, 1); break;
    case am_all_names:
        list = capture_names(c);
        if (is_nil(list))
            return am_match;
        break;
    default:
        if (is_nil(c->options->capture))
            return am_match;
        list = capture_values(c, c->options->capture);
    }
    return area_tuple2(process_area(c->p), am_match, list);
}

/* Running */

/* Which matches are long is not known before. One in a subject that is not small is expected to be as long as the last
 * one with this regex was. One that tries many ways from some place is given up, to try four times as many from the
 * beginning; as long work, once that takes as long as a slice. A way may be as long as the subject: of a large one
 * fewer are tried. */
#define LARGE_SUBJECT_BYTES (256 * 1024)
#define SMALL_SUBJECT_BYTES (8 * 1024) /* from each place to the end: some tens of milliseconds */
#define UNITS_PER_BYTE 3
#define UNITS_PER_BYTE_CHECKED 2 /* UTF-8 */
#define FIRST_MATCH_LIMIT 2000
#define FIRST_MATCH_BYTES 5000000
#define FIRST_MATCH_LEAST 50
#define SHORT_MATCH_LIMIT 100000
#define SHORT_MATCH_BYTES 1000000000
#define SHORT_MATCH_LEAST 1000

/* When it began, where that matters. */
static int64_t expect_match(const Regex *r, size_t bytes, uint32_t flags) {
    if (r->unicode && !(flags & PCRE2_NO_UTF_CHECK))
        long_work_count_large(bytes, UNITS_PER_BYTE_CHECKED);
    if (bytes <= SMALL_SUBJECT_BYTES)
        return 0;
    if (atomic_load_explicit(&r->was_long, memory_order_relaxed))
        long_work_count(LONG_WORK_UNITS);
    return clock_monotonic();
}

static void matched(Regex *r, size_t bytes, size_t over, int64_t began) {
    if (bytes <= SMALL_SUBJECT_BYTES)
        return;
    bool is_long = over > LARGE_SUBJECT_BYTES || clock_monotonic() - began > LONG_WORK_UNITS;
    if (is_long != atomic_load_explicit(&r->was_long, memory_order_relaxed))
        atomic_store_explicit(&r->was_long, is_long, memory_order_relaxed);
    if (bytes > LARGE_SUBJECT_BYTES)
        long_work_count_large(over, UNITS_PER_BYTE);
}

static int match_within(const Regex *r, const uint8_t *bytes, size_t count, const Options *o, uint32_t flags,
                        pcre2_match_data *data, pcre2_match_context *context, uint32_t limit) {
    pcre2_set_match_limit(context, limit);
    int code = pcre2_match(r->code, bytes, count, (size_t)o->offset, flags, data, context);
    if (code == PCRE2_ERROR_JIT_STACKLIMIT)
        code = pcre2_match(r->code, bytes, count, (size_t)o->offset, flags | PCRE2_NO_JIT, data, context);
    return code;
}

static uint32_t limit_for(size_t bytes, size_t of_bytes, uint32_t least, uint32_t most) {
    size_t limit = of_bytes / (bytes + 1);
    return limit < least ? least : limit < most ? (uint32_t)limit : most;
}

/* PCRE2 counts one more level than PCRE 8. */
static uint32_t depth_limit(const Options *o) {
    return o->depth_limit + (o->depth_limit != MATCH_LIMIT && !release_has(RELEASE_PCRE2_ANSWERS));
}

static int match(const Regex *r, const uint8_t *bytes, size_t count, const Options *o, uint32_t flags,
                 pcre2_match_data *data) {
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_set_depth_limit(context, depth_limit(o));
    if (o->depth_limit != MATCH_LIMIT || o->match_limit != MATCH_LIMIT)
        flags |= PCRE2_NO_JIT; /* native code counts no depth, and fewer steps: the same are counted each time */
    size_t rest = (size_t)o->offset < count ? count - (size_t)o->offset : 0;
    uint32_t most = limit_for(rest, SHORT_MATCH_BYTES, SHORT_MATCH_LEAST, SHORT_MATCH_LIMIT);
    most = (uint32_t)loop_limit(LOOP_RE, most);
    uint32_t limit = limit_for(rest, FIRST_MATCH_BYTES, FIRST_MATCH_LEAST, FIRST_MATCH_LIMIT);
    limit = limit < most ? limit : most;
    int64_t began = 0;
    int code;
    for (;;) {
        limit = limit < o->match_limit ? limit : o->match_limit;
        code = match_within(r, bytes, count, o, flags, data, context, limit);
        if (code != PCRE2_ERROR_MATCHLIMIT || limit == o->match_limit)
            break;
        int64_t now = clock_monotonic();
        began = began == 0 ? now : began;
        if (limit < most && now - began < LONG_WORK_UNITS) {
            limit = 4 * limit < most ? 4 * limit : most;
        } else {
            long_work_count(LONG_WORK_UNITS);
            limit = o->match_limit;
        }
    }
    pcre2_match_context_free(context);
    return code;
}

/* Is what stands before the offset, which PCRE2 does not look at, good? */
static bool is_good_before(const uint8_t *bytes, size_t count) {
    long_work_count_large(count, UNITS_PER_BYTE_CHECKED);
    return utf8_count(bytes, count, NULL) >= 0;
}

/* The stock runtime lets nobody in the process catch it. */
static Term fail_uncaught(Process *p) {
    p->catches = 0;
    return fail_value(p, FAIL_ERROR, am_internal_error);
}

static bool is_bad_text(int code) {
    return (code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21) || code == PCRE2_ERROR_BADUTFOFFSET;
}

static Term run_failed(Process *p, const Options *o, int code) {
    Area *area = process_area(p);
    if (code == PCRE2_ERROR_NOMATCH)
        return am_nomatch;
    if (is_bad_text(code))
        return re_badarg(p);
    if (code == PCRE2_ERROR_BADOFFSET || code == PCRE2_ERROR_BADOPTION)
        return release_has(RELEASE_PCRE2_ANSWERS) ? re_badarg(p) : fail_uncaught(p);
    if (!o->report_errors)
        return am_nomatch;
    return area_tuple2(area, am_error,
                       code == PCRE2_ERROR_DEPTHLIMIT || code == PCRE2_ERROR_HEAPLIMIT ? am_match_limit_recursion
                                                                                       : am_match_limit);
}

#define BYTES_PER_REDUCTION 32
static Term run_regex(Process *p, Regex *r, Term subject, const Options *o, uint32_t flags, bool *is_torn) {
    NativeBytes b;
    if (o->bad_capture || !native_bytes(subject, &b))
        return re_badarg(p);
    bool is_checked = r->unicode && !(flags & PCRE2_NO_UTF_CHECK) && !release_has(RELEASE_PCRE2_ANSWERS);
    if (is_checked && (size_t)o->offset <= b.count && !is_good_before(b.bytes, (size_t)o->offset)) {
        native_bytes_release(&b);
        return re_badarg(p);
    }
    int64_t began = clock_coarse();
    pcre2_match_data *data = pcre2_match_data_create_from_pattern(r->code, NULL);
    size_t rest = (size_t)o->offset < b.count ? b.count - (size_t)o->offset : 0;
    int64_t match_began = expect_match(r, rest, flags);
    int code = match(r, b.bytes, b.count, o, o->run | flags, data);
    size_t over = code < 0 ? rest : pcre2_get_ovector_pointer(data)[1] - (size_t)o->offset;
    matched(r, rest, over, match_began);
    if (regex_is_inconsistent(&o->compile) && !is_bad_text(code))
        code = PCRE2_ERROR_BADOPTION;
    bump(p, (is_checked || b.copy != NULL ? b.count : over) / BYTES_PER_REDUCTION, began);
    Term result;
    if (code < 0) {
        result = run_failed(p, o, code);
    } else {
        Term binary = is_binary(subject) ? subject : NON_VALUE;
        Captures c = {p, r, o, pcre2_get_ovector_pointer(data), (unsigned)code, binary, b.bytes, is_torn};
        result = match_result(&c);
    }
    pcre2_match_data_free(data);
    native_bytes_release(&b);
    return result;
}

/* The regex of a pattern that is compiled or text. NULL: *result says what to return. */
static Regex *take_regex(Process *p, Term pattern, const Options *o, Term *result) {
    if (is_tuple(pattern)) {
        Regex *r = regex_of(pattern, o);
        if (!r)
            *result = re_badarg(p);
        return r;
    }
    NativeBytes b;
    RegexError error;
    if (!native_bytes(pattern, &b)) {
        *result = re_badarg(p);
        return NULL;
    }
    int64_t began = clock_coarse();
    Regex *r = regex_get(b.bytes, b.count, &o->compile, &error);
    bump(p, 0, began);
    native_bytes_release(&b);
    if (!r && o->report_errors) {
        Area *area = process_area(p);
        *result = area_tuple2(area, am_error, area_tuple2(area, am_compile, error_tuple(p, &error)));
    } else if (!r) {
        *result = re_badarg(p);
    }
    return r;
}

/* In Erlang: again and again. A pattern that was text goes there compiled, as `r`, and the options for compiling are
 * cleared. */
static Term run_global(Process *p, const Regex *r, const Term *a, Term list) {
    Area *area = process_area(p);
    if (is_tuple(a[1]))
        return trap(p, am_grun, 3, (Term[]){a[0], a[1], area_tuple2(area, list, am_false)});
    return trap(p, am_grun, 3, (Term[]){a[0], pattern_tuple(p, r), area_tuple3(area, list, am_true, a[1])});
}

/* By its form; whether there is one in it shows later. */
static bool is_pattern(Term t) {
    const Term *e = tuple_elements(t);
    return is_tuple_arity(t, 5) && e[0] == am_re_pattern && are_small(e[1], e[2]) && is_small(e[3]) && is_binary(e[4]);
}

static Term run(Process *p, const Term *a, Term list, uint32_t flags) {
    Options o;
    if (!take_options(&o, list, true))
        return re_badopt(p);
    bool is_unicode = (o.compile.flags & PCRE2_UTF) != 0;
    if (is_tuple(a[1])) {
        if (o.compiles || !is_pattern(a[1]))
            return re_badarg(p);
        is_unicode = tuple_elements(a[1])[2] != small_make(0);
    } else if (!is_list(a[1]) && !is_nil(a[1]) && !is_bitstring(a[1])) {
        return re_badarg(p);
    }
    if (is_unicode && (!is_bitstring(a[0]) || is_list(a[1]) || is_nil(a[1])))
        return trap(p, am_urun, 3, (Term[]){a[0], a[1], list});
    if (is_tuple(a[1]) && o.global)
        return run_global(p, NULL, a, list);
    Term result = NON_VALUE;
    bool is_torn = false;
    Regex *r = take_regex(p, a[1], &o, &result);
    if (r != NULL) {
        result = o.global ? run_global(p, r, a, list) : run_regex(p, r, a[0], &o, flags, &is_torn);
        regex_release(r);
    }
    bool is_refused = !is_value(result) && p->fail.reason == FAIL_BADARG;
    if (is_torn || (is_refused && is_unicode && o.type == CAPTURE_LIST && !o.global)) /* urun asks for no list */
        return trap(p, am_urun, 3, (Term[]){a[0], a[1], list});
    return result;
}

Term re_run_2(Process *p, const Term *a) { return run(p, a, NIL, 0); }
Term re_run_3(Process *p, const Term *a) { return run(p, a, a[2], 0); }

/* Of a global run: after the first round the subject is known to be UTF-8. */
Term re_internal_run(Process *p, const Term *a) {
    if (a[3] != am_true && a[3] != am_false)
        return re_badarg(p);
    return run(p, a, a[2], a[3] == am_true ? 0 : PCRE2_NO_UTF_CHECK);
}

Term re_inspect(Process *p, const Term *a) {
    Regex *r = is_tuple(a[0]) ? regex_of(a[0], NULL) : NULL;
    if (!r)
        return re_badarg(p);
    Term result = NON_VALUE;
    if (a[1] == am_namelist) {
        Area *area = process_area(p);
        NameTable t = name_table(r);
        Term list = NIL;
        for (uint32_t i = t.count; i-- > 0;) {
            const char *name = (const char *)name_entry(&t, i) + 2;
            if (i == 0 || strcmp(name, (const char *)name_entry(&t, i - 1) + 2) != 0)
                list = area_cons(area, binary_from_bytes(area, name, strlen(name)), list);
        }
        result = area_tuple2(area, am_namelist, list);
    }
    regex_release(r);
    return is_value(result) ? result : re_badarg(p);
}
