#include "jit/map_gets.h"

#include "term/map.h"

enum { LABEL, MAP }; /* operands of both instructions */
#define INSNS_MOST 16

typedef struct {
    Word key;
    bool is_stored;
    Word to; /* the place of the value */
} Get;

static bool get_read(const Written *c, Get *get) {
    if (written_is(c, INSN_GET_MAP_ELEMENT_PLAIN))
        *get = (Get){.key = written_operand(c, 3), .is_stored = true, .to = written_place(c, 2)};
    else if (written_is(c, INSN_HAS_MAP_FIELD_PLAIN))
        *get = (Get){.key = written_operand(c, 2)};
    else
        return false;
    return true;
}

void map_search_load(Writer *w, Word place) {
    _Static_assert(HEADER_ARITY_SHIFT == 8 && offsetof(FlatMap, header) == 0, "the kind is the first byte");
    _Static_assert(MAP_FLAT_MAX < 255, "the arity is the second");
    WRITE_LOAD(w, RAX, place);
    WRITE(w, 0x8d, 0x48, (uint8_t)-TAG_BOXED, 0xf6, 0xc1, TAG_MASK); /* lea -3(%rax), %ecx; test $7, %cl */
    writer_slow(w, DIFFERENT);
    WRITE(w, 0x80, 0x78, (uint8_t)-TAG_BOXED, (uint8_t)header_make(KIND_FLAT_MAP, 0)); /* cmpb $kind, -3(%rax) */
    writer_slow(w, DIFFERENT);
    WRITE(w, 0x44, 0x0f, 0xb6, 0x48, (uint8_t)(1 - TAG_BOXED)); /* movzbl -2(%rax), %r9d */
    WRITE(w, 0x4c, 0x8b, 0x40, IN_BOX(FlatMap, keys)); /* mov keys(%rax), %r8 */
}

size_t map_search_begin(Writer *w, Word key, bool goes_on) {
    if (!fits32(key)) {
        WRITE(w, 0x48, 0xba); /* movabs $key, %rdx */
        writer_put(w, &key, sizeof key);
    }
    if (!goes_on)
        WRITE(w, 0x44, 0x89, 0xc9); /* mov %r9d, %ecx */
    size_t loop = w->length;
    WRITE(w, 0xff, 0xc9); /* dec %ecx */
    return loop;
}

void map_search_end(Writer *w, Word key, size_t begin) {
    const uint8_t keys = (uint8_t)-TAG_BOXED;
    if (!fits32(key)) {
        WRITE(w, 0x49, 0x39, 0x54, 0xc8, keys); /* cmp %rdx, (%r8,%rcx,8) */
    } else {
        WRITE(w, 0x49, 0x81, 0x7c, 0xc8, keys); /* cmpq $key, (%r8,%rcx,8) */
        writer_put32(w, (uint32_t)key);
    }
    WRITE(w, 0x75, (uint8_t)(begin - (w->length + 2))); /* jne begin */
}

static void put_get(Writer *w, const Written *c, const Get *get, bool goes_on) {
    const uint8_t values = IN_BOX(FlatMap, values) - sizeof(Term);
    size_t begin = map_search_begin(w, get->key, goes_on);
    WRITE(w, 0x0f, EQUAL);
    writer_label_of(w, c, LABEL);
    map_search_end(w, get->key, begin);
    if (get->is_stored) {
        WRITE(w, 0x48, 0x8b, 0x5c, 0xc8, values); /* mov (%rax,%rcx,8), %rbx */
        WRITE_STORE(w, RBX, get->to);
    }
}

size_t map_gets_write(Writer *w) {
    const Written *c = w->written;
    Get get;
    if (!get_read(c, &get))
        return 0;
    Word map = written_place(c, MAP), found = get.key;
    size_t count = 0;
    map_search_load(w, map);
    while (count < c->place_count && count < INSNS_MOST && (count == 0 || !c->places[count].is_target)) {
        Written one = written_behind(c, count);
        if (!get_read(&one, &get) || written_place(&one, MAP) != map)
            break;
        put_get(w, &one, &get, count > 0 && map_search_goes_on(found, get.key));
        found = get.key;
        count++;
        if (get.is_stored && get.to == map)
            break;
    }
    writer_fall(w);
    return count;
}
