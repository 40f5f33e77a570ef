/* The names of atoms, pids, ports, references and funs, and back. */
#include "term/atom.h"
#include "term/fun.h"
#include "term/node.h"
#include "term/print.h"

#include "base/unicode.h"

#include <ctype.h>
#include <string.h>

static bool is_lower(uint32_t c) { return (c >= 'a' && c <= 'z') || (c >= 0xdf && c <= 0xff && c != 0xf7); }
static bool is_upper(uint32_t c) { return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7); }
static bool is_name_character(uint32_t c) { return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') || c == '_'; }

static bool needs_quotes(const AtomName *name) {
    const uint8_t *p = name->bytes, *end = p + name->byte_count;
    uint32_t c = 0;
    if (p == end || utf8_decode(&p, end, &c) != UTF8_OK || !is_lower(c))
        return true;
    while (p < end)
        if (utf8_decode(&p, end, &c) != UTF8_OK || !is_name_character(c))
            return true;
    return false;
}

static void print_quoted(Text *to, uint32_t c) {
    static const char letters[] = "\nn\tt\rr\bb\vv\ff\\\\''";
    for (const char *p = letters; *p != 0; p += 2) {
        if (c == (uint8_t)*p) {
            text_format(to, "\\%c", p[1]);
            return;
        }
    }
    if (c < 32 || (c >= 128 && c < 160)) {
        text_format(to, "\\%03o", c);
        return;
    }
    uint8_t utf8[UTF8_MAX_BYTES];
    text_bytes(to, utf8, utf8_encode(c, utf8));
}

void print_atom(Text *to, Term atom) {
    const AtomName *name = atom_name(atom);
    if (!needs_quotes(name)) {
        text_bytes(to, name->bytes, name->byte_count);
        return;
    }
    const uint8_t *p = name->bytes, *end = p + name->byte_count;
    text_byte(to, '\'');
    for (uint32_t c; p < end && utf8_decode(&p, end, &c) == UTF8_OK;)
        print_quoted(to, c);
    text_byte(to, '\'');
}

/* 0 for this node, in any of its runs, else the index of the node's name: what stands first in the names of
 * identifiers. */
static uint32_t node_number(Term t) {
    bool external = is_external_pid(t) || is_external_port(t) || is_external_ref(t);
    return external && !ident_is_earlier(t) ? atom_index(ident_node_name(t)) : 0;
}

void print_pid(Text *to, Term t) { text_format(to, "<%u.%u.%u>", node_number(t), pid_number(t), pid_serial(t)); }

void print_port(Text *to, Term t) {
    text_format(to, "#Port<%u.%llu>", node_number(t), (unsigned long long)port_number(t));
}

void print_ref(Text *to, Term t) {
    uint32_t count;
    const uint32_t *numbers = ident_ref_numbers(t, &count);
    text_format(to, "#Ref<%u", node_number(t));
    while (count > 0)
        text_format(to, ".%u", numbers[--count]);
    text_byte(to, '>');
}

void print_fun(Text *to, Term t) {
    if (is_local_fun(t)) {
        const FunEntry *e = fun_ptr(t)->entry;
        const AtomName *module = atom_name(e->module); /* never in quotes */
        text_string(to, "#Fun<");
        text_bytes(to, module->bytes, module->byte_count);
        text_format(to, ".%u.%u>", e->old_index, e->old_uniq);
        return;
    }
    const Mfa *mfa = export_fun_mfa(t);
    text_string(to, "fun ");
    print_atom(to, mfa->module);
    text_byte(to, ':');
    print_atom(to, mfa->function);
    text_format(to, "/%u", mfa->arity);
}

#define NUMBER_TOO_LARGE 1000000000000000000u

/* `open`, numbers with dots between them, '>'. How many numbers; 0 when the text is something else. */
static unsigned parse_numbers(const char *text, size_t length, const char *open, uint64_t *numbers, unsigned max) {
    const char *end = text + length;
    size_t prefix = strlen(open);
    if (length < prefix || memcmp(text, open, prefix) != 0)
        return 0;
    text += prefix;
    for (unsigned count = 0; count < max;) {
        const char *start = text;
        uint64_t v = 0;
        for (; text < end && isdigit((unsigned char)*text) && v < NUMBER_TOO_LARGE / 10; text++)
            v = v * 10 + (uint64_t)(*text - '0');
        if (text == start || text == end)
            return 0;
        numbers[count++] = v;
        if (*text == '>')
            return text + 1 == end ? count : 0;
        if (*text++ != '.')
            return 0;
    }
    return 0;
}

/* The node that a number stands for; false when it is not known. */
static bool find_node(uint64_t number, Term *name, uint32_t *creation) {
    if (number == 0) {
        const Node *this = node_this();
        *name = this->name;
        *creation = this->creation;
        return true;
    }
    Node *node = number <= UINT32_MAX ? node_find_index((uint32_t)number) : NULL;
    if (node == NULL)
        return false;
    *name = node->name;
    *creation = node->creation;
    node_release(node);
    return true;
}

Term pid_parse(Area *area, const char *text, size_t length) {
    uint64_t n[3];
    Term name;
    uint32_t creation;
    if (parse_numbers(text, length, "<", n, 3) != 3 || n[1] > UINT32_MAX || n[2] > UINT32_MAX ||
        !find_node(n[0], &name, &creation))
        return NON_VALUE;
    return ident_pid(area, name, creation, (uint32_t)n[1], (uint32_t)n[2]);
}

Term port_parse(Area *area, const char *text, size_t length) {
    uint64_t n[2];
    Term name;
    uint32_t creation;
    if (parse_numbers(text, length, "#Port<", n, 2) != 2 || !find_node(n[0], &name, &creation))
        return NON_VALUE;
    return ident_port(area, name, creation, n[1]);
}

/* The node, then the numbers of the reference, the last one first. Aliases of this node have more of them. */
Term ref_parse(Area *area, const char *text, size_t length) {
    uint64_t n[1 + REF_NUMBERS_MAX];
    Term name;
    uint32_t creation, numbers[REF_NUMBERS_MAX];
    unsigned count = parse_numbers(text, length, "#Ref<", n, 1 + REF_NUMBERS_MAX);
    if (count != 1 + 3 && (count != 1 + REF_NUMBERS_MAX || n[0] != 0))
        return NON_VALUE;
    for (unsigned i = 1; i < count; i++) {
        if (n[i] > UINT32_MAX)
            return NON_VALUE;
        numbers[count - 1 - i] = (uint32_t)n[i];
    }
    if (numbers[0] > REF_FIRST_NUMBER_MAX || !find_node(n[0], &name, &creation))
        return NON_VALUE;
    return ident_ref(area, name, creation, numbers, count - 1);
}
