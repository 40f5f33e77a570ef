#include "jit/funs.h"

#include "term/fun.h"

/* --- made --------------------------------------------------------------------------------------------------------- */

enum { REF, TO, COUNT }; /* operands */
#define CLOSED_MOST 32

static size_t put_made(Writer *w) {
    const Written *c = w->written;
    const FunRef *ref = (const FunRef *)written_operand(c, REF);
    Word count = written_operand(c, COUNT);
    if (count > CLOSED_MOST)
        return 0;
    writer_build_word(w, 0, header_make(KIND_FUN, FUN_WORDS - 1 + count));
    writer_build_word(w, offsetof(Fun, entry) / sizeof(Word), (Word)(uintptr_t)ref->entry);
    writer_build_word(w, offsetof(Fun, ref) / sizeof(Word), boxed_make(ref));
    WRITE(w, 0x49, 0x8b, 0x84, 0x24); /* mov pid(%r12), %rax */
    writer_put32(w, (uint32_t)offsetof(Process, pid));
    writer_build_rax(w, offsetof(Fun, creator) / sizeof(Word));
    for (Word i = 0; i < count; i++)
        writer_build(w, FUN_WORDS + i, source_of(written_list(c)[i]));
    writer_built(w, 0, written_place(c, TO));
    writer_grow(w, FUN_WORDS + count);
    writer_fall(w);
    return 1;
}

/* --- called ------------------------------------------------------------------------------------------------------- */

enum { ARITY, FUN, DROP }; /* operands */

/* %r14: where the fun in %rcx begins, if it is a local one, of that arity, whose code is there. */
static void put_checks(Writer *w, bool is_safe) {
    _Static_assert(offsetof(FunEntry, address) == 0, "what the entry points to first");
    WRITE(w, 0x48, 0x8b, 0x51, IN_BOX(Fun, entry)); /* mov entry(%rcx), %rdx */
    if (!is_safe) {
        WRITE(w, 0x81, 0x7a, offsetof(FunEntry, arity)); /* cmpl $arity, arity(%rdx) */
        writer_put32(w, (uint32_t)written_operand(w->written, ARITY));
        writer_slow(w, DIFFERENT);
    }
    WRITE(w, 0x4c, 0x8b, 0x32); /* mov (%rdx), %r14 */
    WRITE(w, 0x41, 0x8d, 0x86); /* lea -error(%r14), %eax: fun_address_is_code */
    writer_put32(w, -(uint32_t)(uintptr_t)fun_error_address);
    WRITE(w, 0x83, 0xf8, 2 * sizeof(Word) - 1); /* cmp $, %eax */
    writer_slow(w, NOT_ABOVE);
}

/* What it has closed over, behind the arguments. */
static void put_environment(Writer *w) {
    _Static_assert(HEADER_ARITY_SHIFT == 8 && offsetof(Fun, header) == 0, "the arity is behind the first byte");
    WRITE(w, 0x8b, 0x51, (uint8_t)(1 - TAG_BOXED), 0x83, 0xea, FUN_WORDS - 1); /* mov -2(%rcx), %edx; sub $, %edx */
    size_t loop = w->length;
    WRITE(w, 0x48, 0x8b, 0x44, 0xd1, IN_BOX(Fun, env) - sizeof(Term)); /* mov env(%rcx,%rdx,8), %rax */
    WRITE(w, 0x49, 0x89, 0x84, 0xd5); /* mov %rax, x(%r13,%rdx,8) */
    writer_put32(w, (uint32_t)(written_operand(w->written, ARITY) - 1) * (uint32_t)sizeof(Term));
    WRITE(w, 0xff, 0xca, 0x75); /* dec %edx; jne loop */
    WRITE(w, (uint8_t)(loop - (w->length + 1)));
}

/* Behind the instruction there is another one: no code ends with a call that returns. */
static void put_return(Writer *w) {
    const Written *c = w->written;
    Term back = written_return(c->insn + written_form(c)->words, c->next);
    WRITE(w, 0x48, 0xb8); /* movabs $back, %rax */
    writer_put(w, &back, sizeof back);
    WRITE(w, 0x49, 0x89, 0x47, (uint8_t)-sizeof(Word)); /* mov %rax, -8(%r15) */
    WRITE(w, 0x49, 0x83, 0xef, sizeof(Word)); /* sub $8, %r15 */
}

static void put_drop(Writer *w) {
    WRITE(w, 0x49, 0x81, 0xc7); /* add $drop, %r15 */
    writer_put32(w, (uint32_t)(written_operand(w->written, DROP) * sizeof(Word)));
}

static void put_enter(Writer *w, bool is_last) {
    if (is_last)
        put_drop(w);
    else
        put_return(w);
    WRITE(w, 0x48, 0xff, 0xce, 0x0f, NOT_GREATER); /* dec %rsi; jle */
    writer_distance(w, (const uint8_t *)(uintptr_t)emu_yield);
    WRITE(w, 0x41, 0x8b, 0x06, 0xff, 0xe0); /* mov (%r14), %eax; jmp *%rax */
}

/* The external fun in %rcx; as call_ext does. */
static void put_external(Writer *w, bool is_safe, bool is_last) {
    _Static_assert(offsetof(Export, address) < 128 && sizeof(Word) == 8, "one byte, and the scale of an address");
    WRITE(w, 0x80, 0x79, (uint8_t)-TAG_BOXED, (uint8_t)header_make(KIND_EXPORT_FUN, 0)); /* cmpb $kind, -3(%rcx) */
    writer_slow(w, DIFFERENT);
    WRITE(w, 0x48, 0x8b, 0x49, IN_BOX(ExportFun, export)); /* mov export(%rcx), %rcx */
    if (!is_safe) {
        WRITE(w, 0x81, 0x79, offsetof(Export, arity)); /* cmpl $arity, arity(%rcx) */
        writer_put32(w, (uint32_t)written_operand(w->written, ARITY));
        writer_slow(w, DIFFERENT);
    }
    if (is_last)
        put_drop(w);
    else
        put_return(w);
    WRITE(w, 0x8b, 0x15); /* mov the_active_code_index(%rip), %edx */
    writer_distance(w, (const uint8_t *)&the_active_code_index);
    WRITE(w, 0x4c, 0x8b, 0x74, 0xd1, offsetof(Export, address)); /* mov address(%rcx,%rdx,8), %r14 */
    WRITE(w, 0x48, 0xff, 0xce, 0x7e, 5); /* dec %rsi; jle over */
    WRITE(w, 0x41, 0x8b, 0x06, 0xff, 0xe0); /* mov (%r14), %eax; jmp *%rax */
    WRITE(w, 0x49, 0x89, 0x8c, 0x24); /* over: mov %rcx, entered(%r12) */
    writer_put32(w, (uint32_t)offsetof(Process, entered));
    WRITE(w, 0xe9); /* jmp */
    writer_distance(w, (const uint8_t *)(uintptr_t)emu_yield_export);
}

static bool goes_on_behind(const Written *c) {
    return c->place_count > 1 && c->places[1].word == c->word + written_form(c)->words;
}

static size_t put_call(Writer *w) {
    const Written *c = w->written;
    bool is_last = written_is(c, INSN_CALL_FUN_LAST) || written_is(c, INSN_CALL_FUN_SAFE_LAST);
    bool is_safe = written_is(c, INSN_CALL_FUN_SAFE) || written_is(c, INSN_CALL_FUN_SAFE_LAST);
    if (!is_last && !is_safe && !written_is(c, INSN_CALL_FUN2))
        return 0;
    Source fun = operand_source(c->insn, written_form(c), FUN);
    if (fun.is_constant || (!is_last && !goes_on_behind(c)))
        return 0;
    WRITE_LOAD(w, RCX, fun.value);
    if (!is_safe) {
        WRITE(w, 0x8d, 0x41, (uint8_t)-TAG_BOXED, 0xa8, TAG_MASK); /* lea -3(%rcx), %eax; test $7, %al */
        writer_slow(w, DIFFERENT);
    }
    WRITE(w, 0x48, 0x81, 0x79, (uint8_t)-TAG_BOXED); /* cmpq $header, -3(%rcx) */
    writer_put32(w, (uint32_t)header_make(KIND_FUN, FUN_WORDS - 1));
    WRITE(w, 0x0f, DIFFERENT);
    size_t closed = writer_ahead(w);
    put_checks(w, is_safe);
    size_t enter = w->length;
    put_enter(w, is_last);
    writer_here(w, closed);
    WRITE(w, 0x80, 0x79, (uint8_t)-TAG_BOXED, (uint8_t)header_make(KIND_FUN, 0)); /* cmpb $kind, -3(%rcx) */
    WRITE(w, 0x0f, DIFFERENT);
    size_t external = writer_ahead(w);
    put_checks(w, is_safe);
    put_environment(w);
    WRITE(w, 0xe9); /* jmp enter */
    writer_inside(w, enter);
    writer_here(w, external);
    put_external(w, is_safe, is_last);
    return 1;
}

size_t funs_write(Writer *w) { return written_is(w->written, INSN_MAKE_FUN) ? put_made(w) : put_call(w); }
