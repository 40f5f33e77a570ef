/*
 * The same bodies as templates of native code: in place of an instruction's words there are holes, symbols whose
 * addresses clang writes into the machine code, and which are filled with what an instruction has when it is loaded.
 *
 * The register of the instruction pointer is dead in native code: it is set where something is entered that needs it,
 * the interpreter, a function, C code. What an instruction needs of its own place is a hole, too.
 *
 * hole_word_N     an offset or number of 31 bits     hole_next       the instruction behind this one
 * hole_small_N    a small integer, of 31 bits with its tag
 * hole_bytes_N    the bytes of so many words
 * hole32_N        a number of 32 bits                hole_label_N    the label's instruction, by a jump
 * hole64_N        a word                             hole_enter_N    the entry before that, by a jump
 * hole_here       the address of this instruction's words
 * hole_target_N   the address of the label's words
 * hole_return     the word for the stack that leads back behind this instruction (jit/emit.h)
 * hole_exit_NAME  the shared end NAME, by a jump, with the instruction pointer set
 */
#ifndef VIV_EMU_TEMPLATE_H
#define VIV_EMU_TEMPLATE_H

#define TEMPLATE(name)                                                                                                 \
    __attribute__((preserve_none)) void tp_##name(Process *p, Term *x, const Word *I_, Term *E, Term *htop,            \
                                                  int64_t reds)

/* clang must not know of an operand that it is an address, so not 0; but what the tag of a small integer is. */
#define HOLE_IS_ANY __attribute__((weak))
#define HOLE_IS_SMALL __attribute__((aligned(1 << 3)))
#define DECLARE_HOLES(n)                                                                                               \
    extern const char hole_word_##n[] HOLE_IS_ANY, hole_bytes_##n[], hole_small_##n[] HOLE_IS_ANY HOLE_IS_SMALL;       \
    InsnHandler hole_label_##n, hole_enter_##n
DECLARE_HOLES(0);
DECLARE_HOLES(1);
DECLARE_HOLES(2);
DECLARE_HOLES(3);
DECLARE_HOLES(4);
DECLARE_HOLES(5);
DECLARE_HOLES(6);
DECLARE_HOLES(7);
DECLARE_HOLES(8);
DECLARE_HOLES(9);
InsnHandler hole_next;

/* clang must not know that these are addresses: none is 0, it would say, and all fit 31 bits. */
#define HOLE_VALUE(type, text)                                                                                         \
    ({                                                                                                                 \
        type value_;                                                                                                   \
        __asm__(text : "=r"(value_));                                                                                  \
        value_;                                                                                                        \
    })
#define HOLE32(n) HOLE_VALUE(Word, "movl $hole32_" #n ", %k0")
#define HOLE64(n) HOLE_VALUE(Word, "movabsq $hole64_" #n ", %0")
#define HOLE_TARGET(n) HOLE_VALUE(const Word *, "movl $hole_target_" #n ", %k0")
#define HOLE_HERE HOLE_VALUE(const Word *, "movl $hole_here, %k0")

/* Out of the way of what is likely: where it stands sets I. */
#define GO_ON_IN(handler) JUMP_IN(hole_exit_##handler, I_)
InsnHandler hole_exit_emu_raise, hole_exit_emu_raise_bif, hole_exit_emu_yield_nothing;

/* By the caller, who goes on behind this instruction. */
#define PUSH_RETURN(address) (*--E = HOLE_VALUE(Term, "movabsq $hole_return, %0"))
/* The upper half of the return address says where its native code stands (jit/emit.h). */
#define RETURN                                                                                                         \
    do {                                                                                                               \
        uint32_t half_;                                                                                                \
        memcpy(&half_, (const char *)E + 4, sizeof half_);                                                             \
        E++;                                                                                                           \
        if (unlikely(TAKE_REDUCTION))                                                                                  \
            JUMP_IN(emu_return_over, I_);                                                                              \
        InsnHandler *to_;                                                                                              \
        __asm__("leal emu_return_by_word(%q1), %k0" : "=r"(to_) : "r"(half_));                                         \
        assume(htop + STACK_RESERVE - 1 <= E);                                                                         \
        JUMP_IN(to_, I_);                                                                                              \
    } while (0)
/* clang would keep what reds was, to compare that. */
#define TAKE_REDUCTION                                                                                                 \
    ({                                                                                                                 \
        bool is_over_;                                                                                                 \
        __asm__("decq %0" : "+r"(reds), "=@ccle"(is_over_));                                                           \
        is_over_;                                                                                                      \
    })
#define NEXT                                                                                                           \
    do {                                                                                                               \
        assume(htop + STACK_RESERVE - 1 <= E);                                                                         \
        JUMP_IN(hole_next, I_);                                                                                        \
    } while (0)
#define NEXT_AFTER(words) NEXT
/* A function of this module: reductions are counted where that begins (jit/emit.c). */
#define ENTER_LABEL(n)                                                                                                 \
    do {                                                                                                               \
        assume(htop + STACK_RESERVE - 1 <= E);                                                                         \
        JUMP_IN(hole_enter_##n, I_);                                                                                   \
    } while (0)
#define GO_ON_AT_LABEL(n) JUMP_IN(hole_label_##n, I_)

#endif
