/*
 * Machine code that is written, in place of a template: a piece, for one instruction or several that stand one behind
 * the other (jit/pieces.h). It is measured first, by the same function that writes it.
 *
 * Registers are those of InsnHandler: x at %r13, E at %r15, the process at %r12, htop in %rdi, the reductions in %rsi;
 * all others are free.
 */
#ifndef VIV_JIT_WRITTEN_H
#define VIV_JIT_WRITTEN_H

#include <string.h>

#include "emu/interp.h"
#include "insns.h"
#include "jit/emit.h"
#include "jit/operands.h"

/* An instruction in its module. */
typedef struct {
    const Word *insn;
    uint16_t form;        /* of insn_forms */
    uint32_t word;        /* its index */
    const uint8_t *block; /* where the module's code is executed */
    const uint32_t *at;   /* by word: how far into that its native code begins */
    const uint8_t *next;  /* the code of the instruction behind it */
    const uint8_t *exit;  /* a slow end, where the interpreter does it; it is made if writer_slow goes there */
    const Word *words;    /* of the module, or of the function that is made alone */
    size_t word_count;    /* of them */
    Outside *outside;     /* the way to words that are not among them */
    const InsnPlace *places; /* from this one on */
    size_t place_count;
    bool floats_cross; /* floats_cross_labels */
} Written;

static inline const InsnForm *written_form(const Written *c) { return &insn_forms[c->form]; }
static inline bool written_is(const Written *c, enum Insn insn) { return form_is(c->form, insn); }
static inline Word written_operand(const Written *c, unsigned n) { return operand_word(c->insn, written_form(c), n); }
static inline const Word *written_list(const Written *c) { return c->insn + written_form(c)->words; }
/* The instruction n behind this one, of which there are more than n in `places`. */
static inline Written written_behind(const Written *c, size_t n) {
    Written one = *c;
    one.places += n;
    one.place_count -= n;
    one.word = one.places->word;
    one.form = one.places->form;
    one.insn = c->words + one.word;
    return one;
}
/* The two halves of a return address (jit/emit.h). */
static inline Term written_return(const Word *word, const uint8_t *code) {
    uint32_t distance = (uint32_t)(uintptr_t)code - (uint32_t)(uintptr_t)emu_return_by_word;
    return (Word)distance << 32 | return_address_make(word);
}
/* Where the words lead that stand so many bytes behind the instruction. */
static inline const uint8_t *written_code_at(const Written *c, SWord displacement) {
    size_t word = c->word + (size_t)(displacement / (SWord)sizeof(Word));
    return word < c->word_count ? c->block + c->at[word] : outside_way(c->outside, c->words + (SWord)word, NULL);
}

/* Registers, by number. */
enum { RAX, RCX, RDX, RBX };
enum { R8 = 8, R9, R10, R11 };
/* Conditions of jumps. */
enum { BELOW = 0x82, NOT_BELOW, EQUAL, DIFFERENT, NOT_ABOVE, ABOVE };
enum { UNORDERED = 0x8a, LESS = 0x8c, NOT_LESS, NOT_GREATER, GREATER };

/* An offset in an object, from a pointer to it with its tag. */
#define IN_BOX(type, member) ((uint8_t)(offsetof(type, member) - TAG_BOXED))

/*
 * A piece that is written; or measured: `to` is NULL then, and of the instruction neither block, at, next nor exit are
 * known. Whoever writes one (CodeWriter) returns how many instructions it does, the first one among them; 0: it has no
 * piece that begins there, and nothing was written. Both times it does the same.
 */
typedef struct {
    const Written *written;
    const uint8_t *from; /* where it is executed */
    uint8_t *to;
    size_t length; /* so far */
    size_t end;    /* of the whole, where it is not measured */
    bool has_exit; /* writer_slow was called */
    bool falls;    /* so was writer_fall */
} Writer;
typedef size_t CodeWriter(Writer *w);

static inline void writer_put(Writer *w, const void *bytes, size_t count) {
    if (w->to != NULL)
        memcpy(w->to + w->length, bytes, count);
    w->length += count;
}
static inline void writer_put32(Writer *w, uint32_t value) { writer_put(w, &value, sizeof value); }
#define WRITE(w, ...) writer_put(w, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static inline bool fits8(Word v) { return (SWord)v == (int8_t)v; }
static inline bool fits32(Word v) { return (SWord)v == (int32_t)v; }

/* A distance to there; it counts from behind itself. */
static inline void writer_distance(Writer *w, const uint8_t *there) {
    writer_put32(w, w->to == NULL ? 0 : (uint32_t)(there - (w->from + w->length + sizeof(uint32_t))));
}
/* A distance to a position in the piece. */
static inline void writer_inside(Writer *w, size_t position) {
    writer_put32(w, (uint32_t)(position - (w->length + sizeof(uint32_t))));
}
/* To words that stand so many bytes behind the instruction. */
static inline void writer_way(Writer *w, SWord displacement) {
    writer_distance(w, w->to == NULL ? NULL : written_code_at(w->written, displacement));
}
/* Goes on behind the instruction. */
static inline void writer_next(Writer *w) {
    WRITE(w, 0xe9); /* jmp */
    writer_distance(w, w->written->next);
}
/* The same, as the last of the piece: nothing is written where that one follows. */
static inline void writer_fall(Writer *w) {
    w->falls = true;
    if (w->to == NULL || w->length < w->end)
        writer_next(w);
}
/* To words that stand so many bytes behind an instruction of the piece, which begins with the word `word`. */
static inline void writer_way_from(Writer *w, size_t word, SWord displacement) {
    writer_way(w, displacement + (SWord)(word - w->written->word) * (SWord)sizeof(Word));
}
/* To the label that is an operand; of any instruction of the piece. */
static inline void writer_label(Writer *w, unsigned n) { writer_way(w, (SWord)written_operand(w->written, n)); }
static inline void writer_label_of(Writer *w, const Written *c, unsigned n) {
    writer_way_from(w, c->word, (SWord)written_operand(c, n));
}

/* Sets the instruction pointer, and goes on in the interpreter. */
#define LEAVE_BYTES 11
static inline void writer_leave(Writer *w, const Word *insn, InsnHandler *handler) {
    WRITE(w, 0x41, 0xbe); /* mov $insn, %r14d */
    writer_put32(w, (uint32_t)(uintptr_t)insn);
    WRITE(w, 0xe9); /* jmp */
    writer_distance(w, (const uint8_t *)(uintptr_t)handler);
}
/* On a condition the interpreter does the instruction, the first one of the piece. */
static inline void writer_slow(Writer *w, uint8_t condition) {
    w->has_exit = true;
    WRITE(w, 0x0f, condition);
    writer_distance(w, w->written->exit);
}

/* A jump within, by a distance of 32 bits that is not known yet; where that is, it leads to here. */
static inline size_t writer_ahead(Writer *w) {
    writer_put32(w, 0);
    return w->length;
}
static inline void writer_here(Writer *w, size_t behind) {
    uint32_t distance = (uint32_t)(w->length - behind);
    if (w->to != NULL)
        memcpy(w->to + behind - sizeof distance, &distance, sizeof distance);
}

/* The place of an operand that is a register: its byte offset, 1 more for y. */
static inline Word written_place(const Written *c, unsigned n) {
    char kind = written_form(c)->kinds[n];
    return written_operand(c, n) | (kind == 'y' ? 1 : 0);
}
/* mov place, %register or mov %register, place: by its number, %rax to %r15. */
static inline void writer_move(Writer *w, bool is_store, unsigned number, Word place) {
    uint8_t mode = (uint8_t)(0x40 | (number & 7) << 3 | (place & 1 ? 7 : 5)); /* of %r15 or %r13 */
    place &= ~(Word)1;
    WRITE(w, (uint8_t)(0x49 | number >> 3 << 2), is_store ? 0x89 : 0x8b);
    if (fits8(place)) {
        WRITE(w, mode, (uint8_t)place);
    } else {
        WRITE(w, (uint8_t)(mode + 0x40));
        writer_put32(w, (uint32_t)place);
    }
}
#define WRITE_LOAD(w, number, place) writer_move(w, false, number, place)
#define WRITE_STORE(w, number, place) writer_move(w, true, number, place)

/* --- what is built where the heap goes on ------------------------------------------------------------------------- */

/* In one byte where that is enough, as the instruction before it says. */
static inline void writer_put_offset(Writer *w, Word offset) {
    if (fits8(offset))
        WRITE(w, (uint8_t)offset);
    else
        writer_put32(w, (uint32_t)offset);
}
/* The operands of an instruction: a register, in the mode, and a word from %rdi on. */
static inline void writer_built_word(Writer *w, uint8_t mode, Word index) {
    Word offset = index * sizeof(Word);
    WRITE(w, (uint8_t)(mode | (fits8(offset) ? 0x47 : 0x87)));
    writer_put_offset(w, offset);
}
static inline void writer_build_rax(Writer *w, Word index) {
    WRITE(w, 0x48, 0x89); /* mov %rax, index(%rdi) */
    writer_built_word(w, RAX << 3, index);
}
/* A constant. */
static inline void writer_build_word(Writer *w, Word index, Word value) {
    if (fits32(value)) {
        WRITE(w, 0x48, 0xc7); /* movq $value, index(%rdi) */
        writer_built_word(w, 0, index);
        writer_put32(w, (uint32_t)value);
        return;
    }
    WRITE(w, 0x48, 0xb8); /* movabs $value, %rax */
    writer_put(w, &value, sizeof value);
    writer_build_rax(w, index);
}
/* What an instruction takes; %rax is used. */
static inline void writer_build(Writer *w, Word index, Source source) {
    if (source.is_constant) {
        writer_build_word(w, index, source.value);
        return;
    }
    WRITE_LOAD(w, RAX, source.value);
    writer_build_rax(w, index);
}
/* A boxed pointer to the word `to` of what is built; %rax is used. */
static inline void writer_put_pointer(Writer *w, Word to) {
    Word offset = to * sizeof(Word) + TAG_BOXED;
    WRITE(w, 0x48, 0x8d, (uint8_t)(fits8(offset) ? 0x47 : 0x87)); /* lea to(%rdi), %rax */
    writer_put_offset(w, offset);
}
/* The same to a register. */
static inline void writer_built(Writer *w, Word to, Word place) {
    writer_put_pointer(w, to);
    WRITE_STORE(w, RAX, place);
}
/* So many words are built. */
static inline void writer_grow(Writer *w, Word words) {
    Word bytes = words * sizeof(Word);
    WRITE(w, 0x48, fits8(bytes) ? 0x83 : 0x81, 0xc7); /* add $bytes, %rdi */
    writer_put_offset(w, bytes);
}
/* Is there room for so many words, and for the reserve? */
static inline void writer_room(Writer *w, Word words) {
    WRITE(w, 0x48, 0x8d, 0x87); /* lea bytes(%rdi), %rax */
    writer_put32(w, (uint32_t)((words + STACK_RESERVE) * sizeof(Word)));
    WRITE(w, 0x4c, 0x39, 0xf8); /* cmp %r15, %rax */
    writer_slow(w, ABOVE);
}

#endif
