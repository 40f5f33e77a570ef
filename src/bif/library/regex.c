#include "bif/library/regex.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "bif/library/regex_explain.h"
#include "sys/release.h"
#include "sys/thread.h"
#include "term/bits.h"
#include "term/hash.h"

#include <ctype.h>
#include <string.h>

static void *regex_alloc(size_t bytes, void *data) { return mem_alloc(ALLOC_REGEX, bytes); }
static void regex_free(void *ptr, void *data) { mem_free(ALLOC_REGEX, ptr); }

#define MESSAGE_MAX_BYTES 256

static pcre2_general_context *general;
static const uint8_t *tables;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Character tables for Latin-1, from those of the C locale (ASCII): lower cases, other cases, classes as bit maps,
 * types. The order of the parts is fixed (pcre2 man page of pcre2_dftables). */
enum { TABLE_LOWER = 0, TABLE_FLIP = 256, TABLE_CLASSES = 512, TABLE_TYPES = 832, TABLE_BYTES = 1088 };
enum {
    CLASS_UPPER = 96,
    CLASS_LOWER = 128,
    CLASS_WORD = 160,
    CLASS_GRAPH = 192,
    CLASS_PRINT = 224,
    CLASS_PUNCT = 256,
    CLASS_CONTROL = 288
};

static void set_class(uint8_t *t, unsigned class, unsigned c) {
    t[TABLE_CLASSES + class + c / 8] |= (uint8_t)(1 << c % 8);
}

static void make_latin1_tables(void) {
    static uint8_t latin1[TABLE_BYTES];
    const uint8_t *ascii = pcre2_maketables(general);
    memcpy(latin1, ascii, TABLE_BYTES);
    pcre2_maketables_free(general, ascii);
    for (unsigned c = 128; c < 256; c++) {
        bool upper = c >= 0xc0 && c <= 0xde && c != 0xd7;
        bool lower = (c >= 0xdf && c != 0xf7) || c == 0xaa || c == 0xb5 || c == 0xba;
        set_class(latin1, c < 160 ? CLASS_CONTROL : CLASS_GRAPH, c);
        if (c >= 160)
            set_class(latin1, CLASS_PRINT, c);
        if (upper || lower) {
            set_class(latin1, upper ? CLASS_UPPER : CLASS_LOWER, c);
            set_class(latin1, CLASS_WORD, c);
            latin1[TABLE_TYPES + c] = latin1[TABLE_TYPES + (upper ? 'A' : 'a')] & (uint8_t)~latin1[TABLE_TYPES + '.'];
        } else if (c >= 160) {
            set_class(latin1, CLASS_PUNCT, c);
        }
        if (upper) {
            latin1[TABLE_LOWER + c] = latin1[TABLE_FLIP + c] = (uint8_t)(c + 32);
            latin1[TABLE_FLIP + c + 32] = (uint8_t)c;
        }
    }
    tables = latin1;
}

static void init(void) {
    general = pcre2_general_context_create(regex_alloc, regex_free, NULL);
    make_latin1_tables();
}

/* Compiling */

/* What PCRE 8 took in another way, put so that PCRE2 takes it likewise: one place after the other, where PCRE2 says
 * that it is wrong. */
typedef struct {
    uint8_t *bytes;
    size_t count;
} Pattern;
/* Two bytes at least become one more. */
#define MENDED_MAX_BYTES(bytes) ((bytes) + (bytes) / 2 + 1)

/* (*UTF8) has become (*UTF). */
static void rename_utf8(Pattern *p) {
    if (p->count < 7 || memcmp(p->bytes, "(*UTF8)", 7) != 0)
        return;
    memmove(p->bytes + 5, p->bytes + 6, p->count - 6);
    p->count--;
}

/* PCRE_EXTRA, (?X), is no option any more. What it did, to refuse what is passed over else, is not done. True: one was
 * taken out. */
#define UNKNOWN_OPTION 111
static bool drop_extra(Pattern *p, int code, size_t at) {
    size_t from = at;
    if (code != UNKNOWN_OPTION || at >= p->count || p->bytes[at] != 'X')
        return false;
    while (from > 0 && (isalpha(p->bytes[from - 1]) || p->bytes[from - 1] == '-'))
        from--;
    if (from < 2 || p->bytes[from - 1] != '?' || p->bytes[from - 2] != '(')
        return false;
    memmove(p->bytes + at, p->bytes + at + 1, p->count - at - 1);
    p->count--;
    return true;
}

/* A hyphen behind a class in a class, [\d-z], stands for itself: true when one was escaped. */
static bool escape_hyphen(Pattern *p, int code, size_t at, size_t room) {
    if (code != 150 || at >= p->count || p->bytes[at] != '-' || p->count == room)
        return false;
    memmove(p->bytes + at + 1, p->bytes + at, p->count - at);
    p->bytes[at] = '\\';
    p->count++;
    return true;
}

/* A backslash before a letter that means nothing there is passed over: true when one was taken out. PCRE2 has reserved
 * \F besides, and stands behind what it reserved. */
#define UNKNOWN_ESCAPE 103
#define ESCAPE_NOT_IN_CLASS 107
#define RESERVED_ESCAPE 137
static bool drop_backslash(Pattern *p, int code, size_t at) {
    at -= code == RESERVED_ESCAPE && at > 0;
    if (at == 0 || at >= p->count || p->bytes[at - 1] != '\\' || !isalpha(p->bytes[at]))
        return false;
    bool is_literal = code == UNKNOWN_ESCAPE || code == ESCAPE_NOT_IN_CLASS;
    if (!is_literal && (code != RESERVED_ESCAPE || p->bytes[at] != 'F'))
        return false;
    memmove(p->bytes + at - 1, p->bytes + at, p->count - at);
    p->count--;
    return true;
}

/* The same of all that follow before the same letter, which means nothing anywhere: a pattern that has many of them is
 * not compiled as often. */
static void drop_backslashes(Pattern *p, size_t at, uint8_t letter) {
    const uint8_t *b = p->bytes;
    size_t to = at;
    bool is_quoted = false;
    for (size_t i = at; i < p->count; i++) {
        uint8_t next = i + 1 < p->count ? b[i + 1] : 0;
        if (b[i] == '\\' && (!is_quoted || next == 'E')) {
            is_quoted = next == 'Q';
            if (next != letter)
                p->bytes[to++] = b[i];
            if (++i == p->count)
                break;
        }
        p->bytes[to++] = b[i];
    }
    p->count = to;
}

/* Groups that capture: a parenthesis that no question mark follows, or one that names a group. */
static uint64_t count_groups(const Pattern *p) {
    uint64_t groups = 0;
    bool in_class = false;
    for (size_t i = 0; i < p->count; i++) {
        uint8_t next = i + 1 < p->count ? p->bytes[i + 1] : 0, third = i + 2 < p->count ? p->bytes[i + 2] : 0;
        uint8_t fourth = i + 3 < p->count ? p->bytes[i + 3] : 0;
        bool looks = fourth == '=' || fourth == '!' || fourth == '>';
        bool names = third == '\'' || ((third == '<' || third == 'P') && !looks);
        switch (p->bytes[i]) {
        case '\\': i++; break;
        case '[': in_class = true; break;
        case ']': in_class = false; break;
        case '(': groups += !in_class && next != '*' && (next != '?' || names); break;
        default: break;
        }
    }
    return groups;
}

/* How deep groups may be nested: PCRE 8 keeps the beginnings of all open ones in a space of this size. SIZE_MAX, or the
 * place behind the one that does not fit. */
#define GROUPS_SPACE 3994
#define CAPTURE_SPACE 5
#define GROUP_SPACE 3
static size_t too_deep(const uint8_t *p, size_t n) {
    uint8_t open[GROUPS_SPACE / GROUP_SPACE + 2];
    size_t depth = 0, space = 0;
    bool in_class = false;
    for (size_t i = 0; i < n; i++) {
        bool special = i + 1 < n && (p[i + 1] == '?' || p[i + 1] == '*');
        if (p[i] == '\\') {
            i++;
        } else if (p[i] == '[' || p[i] == ']') {
            in_class = p[i] == '[';
        } else if (p[i] == '(' && !in_class) {
            space += open[depth++] = special ? GROUP_SPACE : CAPTURE_SPACE;
            if (space > GROUPS_SPACE)
                return special && i + 3 < n ? i + 3 : i + 1;
        } else if (p[i] == ')' && !in_class && depth > 0) {
            space -= open[--depth];
        }
    }
    return SIZE_MAX;
}

/* \8 and \9 with no such group are the digits themselves, as the PCRE that the stock runtime has takes them. True: one
 * was mended. */
#define NO_SUCH_GROUP 115
static bool unescape_digit(Pattern *p, int code, size_t capacity) {
    const uint8_t *b = p->bytes;
    uint64_t groups = count_groups(p);
    for (size_t i = 0; code == NO_SUCH_GROUP && i + 1 < p->count; i++) {
        if (b[i] != '\\')
            continue;
        uint64_t number = 0;
        for (size_t j = i + 1; j < p->count && b[j] >= '0' && b[j] <= '9' && number < UINT32_MAX; j++)
            number = 10 * number + (b[j] - '0');
        if ((b[i + 1] == '8' || b[i + 1] == '9') && number > groups) {
            if (p->count == capacity)
                return false;
            memmove(p->bytes + i + 3, b + i + 2, p->count - i - 2); /* a class: digits may stand around it */
            p->bytes[i] = '[';
            p->bytes[i + 2] = ']';
            p->count++;
            return true;
        }
        i++;
    }
    return false;
}

/* (?(R9)a|b) where there is no group 9 is one that never recurses into it: a condition that never holds, (?!). True:
 * one was mended. */
static bool never_recurses(Pattern *p, int code, size_t at) {
    const uint8_t *b = p->bytes;
    at -= at > 0 && at <= p->count && b[at - 1] == ')';
    while (at > 0 && at <= p->count && isdigit(b[at - 1]))
        at--;
    at -= at > 0 && at <= p->count && b[at - 1] == 'R';
    size_t end = regex_digits_end(b, p->count, at + 1);
    if (code != NO_SUCH_GROUP || at < 3 || !regex_is_at(b, p->count, at - 3, "(?(") ||
        !regex_is_recursion(b, p->count, at, end) || !regex_is_at(b, p->count, end, ")"))
        return false;
    p->bytes[at] = '?';
    p->bytes[at + 1] = '!';
    memmove(p->bytes + at + 2, b + end, p->count - end);
    p->count -= end - at - 2;
    return true;
}

/* \c before a character that is not printed, from 1 to 127: by its number, as PCRE 8 takes it. True: one was mended. */
#define BAD_CONTROL 168
static bool spell_control(Pattern *p, int code, size_t at, size_t room) {
    size_t i = at > 2 && p->bytes[at - 2] == 'c' ? at - 1 : at; /* PCRE2 stands at it, or behind it */
    if (code != BAD_CONTROL || p->count == room || i < 2 || i >= p->count || p->bytes[i] == 0 || p->bytes[i] > 127)
        return false;
    uint8_t c = p->bytes[i] ^ 0x40;
    memmove(p->bytes + i + 2, p->bytes + i + 1, p->count - i - 1);
    p->bytes[i - 1] = 'x';
    p->bytes[i] = (uint8_t)"0123456789abcdef"[c >> 4];
    p->bytes[i + 1] = (uint8_t)"0123456789abcdef"[c & 15];
    p->count++;
    return true;
}

/* PCRE2 looks for a place to begin by the first byte that can be there, and for \w in UTF-8 it forgets those of
 * Latin-1's letters. */
static uint32_t flags_for(const uint8_t *pattern, size_t bytes, uint32_t flags) {
    bool may_be_unicode = (flags & PCRE2_UTF) || (bytes > 2 && memcmp(pattern, "(*", 2) == 0);
    if (may_be_unicode && !(flags & PCRE2_UCP) && memmem(pattern, bytes, "\\w", 2) != NULL)
        return flags | PCRE2_NO_START_OPTIMIZE;
    return flags;
}

static pcre2_compile_context *plain_context_for(const RegexOptions *o) {
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    if (!release_has(RELEASE_PCRE2_ANSWERS))
        pcre2_set_character_tables(context, tables);
    if (o->newline)
        pcre2_set_newline(context, o->newline);
    if (o->bsr)
        pcre2_set_bsr(context, o->bsr);
    return context;
}

static pcre2_compile_context *context_for(const RegexOptions *o) {
    pcre2_compile_context *context = plain_context_for(o);
    pcre2_set_parens_nest_limit(context, GROUPS_SPACE / GROUP_SPACE);
    pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_LOOKAROUND_BSK);
    return context;
}

#define MENDED_ONE_BY_ONE 32
#define UNITS_PER_PATTERN_BYTE 20 /* of long work */
static bool mend(Pattern *p, int code, size_t at, size_t room, unsigned times) {
    if (drop_backslash(p, code, at)) {
        if (times >= MENDED_ONE_BY_ONE && code == UNKNOWN_ESCAPE)
            drop_backslashes(p, at, p->bytes[at - 1]);
        return true;
    }
    return escape_hyphen(p, code, at, room) || unescape_digit(p, code, room) || spell_control(p, code, at, room) ||
           drop_extra(p, code, at) || never_recurses(p, code, at);
}

/* NULL with PCRE2's code, and the place of it in the pattern as it was given (about there, where much was mended). */
static pcre2_code *compile_mended(const uint8_t *pattern, size_t bytes, const RegexOptions *o, int *code,
                                  size_t *offset) {
    pcre2_compile_context *context = context_for(o);
    size_t room = MENDED_MAX_BYTES(bytes);
    Pattern text = {mem_alloc(ALLOC_TEMP, room), bytes};
    memcpy(text.bytes, pattern, bytes);
    rename_utf8(&text);
    pcre2_code *compiled;
    unsigned times = 0;
    do {
        long_work_count_large(text.count, UNITS_PER_PATTERN_BYTE);
        compiled =
            pcre2_compile(text.bytes, text.count, flags_for(text.bytes, text.count, o->flags), code, offset, context);
    } while (!compiled && mend(&text, *code, *offset, room, times++));
    *offset += bytes - text.count; /* what was mended stands before it */
    pcre2_compile_context_free(context);
    mem_free(ALLOC_TEMP, text.bytes);
    return compiled;
}

/* With PCRE2's own answers. */
#define GROUPS_LIMIT 1000
static pcre2_code *compile_plain(const uint8_t *pattern, size_t bytes, const RegexOptions *o, RegexError *error) {
    static __thread char message[MESSAGE_MAX_BYTES];
    int code;
    size_t offset;
    long_work_count_large(bytes, UNITS_PER_PATTERN_BYTE);
    pcre2_compile_context *context = plain_context_for(o);
    pcre2_set_parens_nest_limit(context, GROUPS_LIMIT);
    pcre2_code *compiled = pcre2_compile(pattern, bytes, o->flags, &code, &offset, context);
    pcre2_compile_context_free(context);
    if (!compiled) {
        pcre2_get_error_message(code, (PCRE2_UCHAR *)message, sizeof message);
        *error = (RegexError){message, offset};
    }
    return compiled;
}

bool regex_is_inconsistent(const RegexOptions *o) {
    return !release_has(RELEASE_PCRE2_ANSWERS) && (o->newline > PCRE2_NEWLINE_ANYCRLF || o->bsr > PCRE2_BSR_ANYCRLF);
}

static pcre2_code *compile(const uint8_t *pattern, size_t bytes, const RegexOptions *o, RegexError *error) {
    pthread_once(&once, init);
    if (release_has(RELEASE_PCRE2_ANSWERS))
        return compile_plain(pattern, bytes, o, error);
    if ((o->flags & PCRE2_UTF) && (o->flags & PCRE2_NEVER_UTF)) {
        *error = (RegexError){"setting UTF is disabled by the application", 0};
        return NULL;
    }
    if (regex_is_inconsistent(o)) {
        *error = (RegexError){"inconsistent NEWLINE options", 0};
        return NULL;
    }
    int code;
    size_t offset, deep = too_deep(pattern, bytes), refused = regex_refused_condition(pattern, bytes, error);
    pcre2_code *compiled = compile_mended(pattern, bytes, o, &code, &offset);
    if (deep != SIZE_MAX && (compiled || offset >= deep)) {
        pcre2_code_free(compiled);
        *error = (RegexError){"regular expression is too complicated", deep};
        return NULL;
    }
    if (refused != SIZE_MAX && (compiled || offset >= refused)) {
        pcre2_code_free(compiled);
        return NULL;
    }
    if (!compiled)
        regex_explain(code, offset, pattern, bytes, error);
    if (!compiled && code == 174)
        error->position = 0;
    return compiled;
}

static Regex *create(const uint8_t *pattern, size_t bytes, const RegexOptions *o, pcre2_code *code) {
    Regex *r = mem_alloc(ALLOC_REGEX, sizeof *r + bytes);
    uint32_t newline;
    atomic_init(&r->refc, 1);
    atomic_init(&r->was_long, true);
    r->code = code;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &r->captures);
    pcre2_pattern_info(code, PCRE2_INFO_NEWLINE, &newline);
    r->crlf = newline == PCRE2_NEWLINE_CRLF || newline == PCRE2_NEWLINE_ANY || newline == PCRE2_NEWLINE_ANYCRLF;
    r->unicode = (o->flags & PCRE2_UTF) != 0;
    r->options = *o;
    r->bytes = bytes;
    memcpy(r->pattern, pattern, bytes);
    return r;
}

Term regex_serialized(const Regex *r, Area *area) {
    uint8_t *bytes;
    size_t size;
    const pcre2_code *codes[] = {r->code};
    if (pcre2_serialize_encode(codes, 1, &bytes, &size, general) != 1)
        return binary_from_bytes(area, "", 0);
    Term binary = binary_from_bytes(area, bytes, size);
    pcre2_serialize_free(bytes);
    return binary;
}

void regex_release(Regex *r) {
    if (atomic_fetch_sub(&r->refc, 1) != 1)
        return;
    pcre2_code_free(r->code);
    mem_free(ALLOC_REGEX, r);
}

/* The cache: a place for each hash; a newcomer takes the place of who is there. Where all of them together have become
 * too large, others go, in turn; the newcomer stays, however large it is. */

#define PLACES 1024
#define BYTES_KEPT ((size_t)16 << 20)
#define LOCKS 16
#define NATIVE_FROM_USE 4
static Mutex locks[LOCKS] = {[0 ... LOCKS - 1] = MUTEX_INITIALIZER(LOCK_REGEX_CACHE)};
static struct {
    Regex *regex;
    uint32_t uses;
} places[PLACES]; /* each under its lock */
static _Atomic size_t bytes_kept; /* what is in the places, or is about to be put there or freed */
static _Atomic unsigned next_to_go;

static bool is_same(const Regex *r, const uint8_t *pattern, size_t bytes, const RegexOptions *o) {
    return r && r->bytes == bytes && memcmp(&r->options, o, sizeof *o) == 0 && memcmp(r->pattern, pattern, bytes) == 0;
}

static size_t bytes_of(const Regex *r) {
    size_t code = 0, native = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_SIZE, &code);
    pcre2_pattern_info(r->code, PCRE2_INFO_JITSIZE, &native);
    return sizeof *r + r->bytes + code + native;
}

static void replace(unsigned at, Regex *by) {
    if (by != NULL)
        atomic_fetch_add_explicit(&bytes_kept, bytes_of(by), memory_order_relaxed);
    mutex_lock(&locks[at % LOCKS]);
    Regex *old = places[at].regex;
    places[at].regex = by;
    mutex_unlock(&locks[at % LOCKS]);
    if (old == NULL)
        return;
    atomic_fetch_sub_explicit(&bytes_kept, bytes_of(old), memory_order_relaxed);
    regex_release(old);
}

static void keep(unsigned at, Regex *r) {
    replace(at, r);
    for (unsigned i = 0; i < PLACES && atomic_load_explicit(&bytes_kept, memory_order_relaxed) > BYTES_KEPT; i++) {
        unsigned other = atomic_fetch_add_explicit(&next_to_go, 1, memory_order_relaxed) % PLACES;
        if (other != at)
            replace(other, NULL);
    }
}

/* A copy with native code: others may be matching with the original at this moment. */
#define UNITS_PER_CODE_BYTE 250
static Regex *make_native(unsigned at, Regex *r) {
    size_t bytes = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_SIZE, &bytes);
    long_work_count_large(bytes, UNITS_PER_CODE_BYTE);
    pcre2_code *code = pcre2_code_copy(r->code);
    if (!code || pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) != 0) {
        pcre2_code_free(code);
        return r;
    }
    Regex *native = create(r->pattern, r->bytes, &r->options, code);
    atomic_fetch_add(&native->refc, 1);
    keep(at, native);
    regex_release(r);
    return native;
}

Regex *regex_get(const uint8_t *pattern, size_t bytes, const RegexOptions *options, RegexError *error) {
    unsigned at = (hash_bytes(pattern, bytes) ^ options->flags * 31 ^ options->newline) % PLACES;
    mutex_lock(&locks[at % LOCKS]);
    Regex *r = places[at].regex;
    bool found = is_same(r, pattern, bytes, options);
    uint32_t uses = found ? ++places[at].uses : (places[at].uses = 0);
    if (found)
        atomic_fetch_add(&r->refc, 1);
    mutex_unlock(&locks[at % LOCKS]);
    if (found)
        return uses == NATIVE_FROM_USE ? make_native(at, r) : r;
    pcre2_code *code = compile(pattern, bytes, options, error);
    if (!code)
        return NULL;
    r = create(pattern, bytes, options, code);
    atomic_fetch_add(&r->refc, 1);
    keep(at, r);
    return r;
}
