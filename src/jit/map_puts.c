#include "jit/map_puts.h"

#include "jit/map_gets.h"
#include "term/map.h"

/* --- new ones ----------------------------------------------------------------------------------------------------- */

enum { NEW_TO, NEW_LIVE, NEW_KEYS, NEW_COUNT }; /* operands */

static size_t put_new(Writer *w) {
    const Written *c = w->written;
    Word count = written_operand(c, NEW_COUNT), fixed = sizeof(FlatMap) / sizeof(Term);
    if (count > MAP_FLAT_MAX)
        return 0;
    writer_room(w, fixed + count);
    writer_build_word(w, 0, header_make(KIND_FLAT_MAP, 1 + count));
    writer_build_word(w, 1, written_operand(c, NEW_KEYS));
    for (Word i = 0; i < count; i++)
        writer_build(w, fixed + i, source_of(written_list(c)[i]));
    writer_built(w, 0, written_place(c, NEW_TO));
    writer_grow(w, fixed + count);
    writer_fall(w);
    return 1;
}

/* --- new values --------------------------------------------------------------------------------------------------- */

enum { LABEL, MAP, TO, LIVE, WORDS }; /* operands */
#define PAIRS_MOST 8

static bool are_plain(const Written *c) {
    Word words = written_operand(c, WORDS);
    for (Word i = 0; i < words; i += 2) {
        Source key = source_of(written_list(c)[i]);
        if (!key.is_constant || !map_key_is_plain(key.value))
            return false;
    }
    return words > 0 && words <= 2 * PAIRS_MOST;
}

/* The map in %rax to where the heap goes on, if there is room: its header, its keys, %r9d - 1 values. */
static void put_copy(Writer *w) {
    WRITE(w, 0x4a, 0x8d, 0x54, 0xcf, (1 + STACK_RESERVE) * sizeof(Word)); /* lea room(%rdi,%r9,8), %rdx */
    WRITE(w, 0x4c, 0x39, 0xfa); /* cmp %r15, %rdx */
    writer_slow(w, ABOVE);
    WRITE(w, 0x44, 0x89, 0xcb); /* mov %r9d, %ebx */
    size_t loop = w->length;
    WRITE(w, 0x48, 0x8b, 0x54, 0xd8, (uint8_t)-TAG_BOXED); /* mov -3(%rax,%rbx,8), %rdx */
    WRITE(w, 0x48, 0x89, 0x14, 0xdf); /* mov %rdx, (%rdi,%rbx,8) */
    WRITE(w, 0xff, 0xcb, 0x79); /* dec %ebx; jns loop */
    WRITE(w, (uint8_t)(loop - (w->length + 1)));
}

static void put_value(Writer *w, Source value) {
    if (!value.is_constant) {
        WRITE_LOAD(w, RDX, value.value);
    } else if (fits32(value.value)) {
        WRITE(w, 0x48, 0xc7, 0xc2); /* mov $value, %rdx */
        writer_put32(w, (uint32_t)value.value);
    } else {
        WRITE(w, 0x48, 0xba); /* movabs $value, %rdx */
        writer_put(w, &value.value, sizeof value.value);
    }
}

static void put_search(Writer *w, Word key, bool goes_on) {
    size_t begin = map_search_begin(w, key, goes_on);
    writer_slow(w, EQUAL);
    map_search_end(w, key, begin);
}

/* To the copy, for the key that was found; %r11: has anything changed? */
static void put_found(Writer *w, Source value) {
    const uint8_t values = IN_BOX(FlatMap, values) - sizeof(Term);
    put_value(w, value);
    WRITE(w, 0x4c, 0x8b, 0x54, 0xc8, values); /* mov values(%rax,%rcx,8), %r10 */
    WRITE(w, 0x49, 0x31, 0xd2, 0x4d, 0x09, 0xd3); /* xor %rdx, %r10; or %r10, %r11 */
    WRITE(w, 0x48, 0x89, 0x54, 0xcf, offsetof(FlatMap, values) - sizeof(Term)); /* mov %rdx, values(%rdi,%rcx,8) */
}

/* Each key behind the one before it; not so those of which one is there twice. */
static bool are_sorted(const Word *list, Word words) {
    for (Word i = 2; i < words; i += 2)
        if (!map_search_goes_on(list[i], list[i - 2]))
            return false;
    return true;
}

static size_t put_values(Writer *w) {
    const Written *c = w->written;
    const Word *list = written_list(c);
    Word words = written_operand(c, WORDS);
    Source map = operand_source(c->insn, written_form(c), MAP);
    if (map.is_constant || !are_plain(c))
        return 0;
    map_search_load(w, map.value);
    bool goes_on = are_sorted(list, words), asks_first = written_is(c, INSN_PUT_MAP_ASSOC);
    Word first = goes_on ? words - 2 : 0, step = goes_on ? (Word)-2 : 2;
    if (asks_first) /* mostly either all are there or none */
        put_search(w, list[first], false);
    put_copy(w);
    WRITE(w, 0x45, 0x31, 0xdb); /* xor %r11d, %r11d */
    for (Word i = first; i < words; i += step) { /* it is unsigned: below 0 it ends, too */
        if (i != first || !asks_first)
            put_search(w, list[i], goes_on && i != first);
        put_found(w, source_of(list[i + 1]));
    }
    WRITE(w, 0x4d, 0x85, 0xdb, 0x74, 9); /* test %r11, %r11; je over the next two */
    WRITE(w, 0x48, 0x8d, 0x47, TAG_BOXED); /* lea tag(%rdi), %rax */
    WRITE(w, 0x4a, 0x8d, 0x7c, 0xcf, sizeof(Word)); /* lea 8(%rdi,%r9,8), %rdi */
    WRITE_STORE(w, RAX, written_place(c, TO));
    writer_fall(w);
    return 1;
}

size_t map_puts_write(Writer *w) {
    if (written_is(w->written, INSN_NEW_MAP))
        return put_new(w);
    if (written_is(w->written, INSN_PUT_MAP_ASSOC) || written_is(w->written, INSN_PUT_MAP_EXACT))
        return put_values(w);
    return 0;
}
