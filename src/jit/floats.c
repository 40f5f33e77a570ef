#include "jit/floats.h"

#include "emu/interp.h"
#include "jit/float_steps.h"
#include "sys/release.h"

#define REGISTERS 12 /* float registers, each in the machine register of its number */
#define EXTRA 12     /* machine registers for sums of terms */
#define EXTRA_END 15
#define SCRATCH 15
#define INSNS_MOST 64
#define LOADS_MOST 24
#define STORES_MOST 6

#define SELF_FLOATS 0x32323232 /* is_self_float of each tag, for all five bits that bt looks at */

static const uint8_t term_registers[STORES_MOST] = {RAX, RBX, R8, R9, R10, R11};

/* A term that was no self-tagged float: code behind all others, where boxed floats and integers are loaded. */
typedef struct {
    size_t from, back;
    uint8_t to;
    bool converts;
} Aside;

typedef struct {
    Word place;
    uint8_t number; /* of the float's machine register */
    bool is_there;  /* the value is still in that */
} Stored;

typedef struct {
    Writer *w;
    Aside asides[LOADS_MOST];
    Stored stored[STORES_MOST];
    unsigned aside_count, stored_count, extra;
    uint32_t is_in, is_dirty, is_pending; /* by machine register: see below */
    bool has_mask;
} Piece;

/* --- machine instructions ----------------------------------------------------------------------------------------- */

static uint8_t both(unsigned reg, unsigned rm) { return (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7)); }
static uint8_t prefix(uint8_t rex, unsigned reg, unsigned rm) {
    return (uint8_t)(rex | (reg >> 3 & 1) << 2 | (rm >> 3 & 1));
}

/* An instruction of two bytes, with the prefix that numbers above 7 need. */
static void put_two(Piece *f, uint8_t second, unsigned reg, unsigned rm) {
    uint8_t rex = prefix(0x40, reg, rm);
    if (rex != 0x40)
        WRITE(f->w, rex);
    WRITE(f->w, 0x0f, second, both(reg, rm));
}

/* addsd %from, %to, and so on */
static void put_operation(Piece *f, uint8_t operation, unsigned from, unsigned to) {
    WRITE(f->w, 0xf2);
    put_two(f, operation, to, from);
}
static void put_copy(Piece *f, unsigned from, unsigned to) {
    if (from != to)
        put_two(f, 0x28, to, from); /* movaps %from, %to */
}
/* xorps %to, %to */
static void put_clear(Piece *f, unsigned to) { put_two(f, 0x57, to, to); }
static void put_compare(Piece *f, unsigned from, unsigned to) {
    WRITE(f->w, 0x66);
    put_two(f, 0x2e, to, from); /* ucomisd %from, %to */
}
static void put_from_rcx(Piece *f, unsigned to) {
    WRITE(f->w, 0x66, prefix(0x48, to, 0), 0x0f, 0x6e, both(to, RCX)); /* movq %rcx, %to */
}
/* movsd memory, %number, or back */
static void put_memory(Piece *f, bool is_store, unsigned number) {
    WRITE(f->w, 0xf2, prefix(0x41, number, 0), 0x0f, is_store ? 0x11 : 0x10, (uint8_t)(0x85 | (number & 7) << 3));
    writer_put32(f->w, (uint32_t)(FLOAT_REGISTERS_OFFSET + number * sizeof(double)));
}

static void put_constant(Piece *f, double d, unsigned to) {
    uint64_t bits = float_bits(d);
    if (bits == 0) {
        put_clear(f, to);
        return;
    }
    WRITE(f->w, 0x48, 0xb9); /* movabs $bits, %rcx */
    writer_put(f->w, &bits, sizeof bits);
    put_from_rcx(f, to);
}

/* --- what is finite ----------------------------------------------------------------------------------------------- */

/* is_pending: what is in the register was computed, and whether it is finite is to be looked at, there or in what is
 * computed of it. */

static void check_finite(Piece *f, unsigned number) {
    if (!(f->is_pending >> number & 1))
        return;
    f->is_pending &= ~(1u << number);
    put_copy(f, number, SCRATCH);
    put_operation(f, float_operation('-'), SCRATCH, SCRATCH); /* 0.0, or no number */
    put_compare(f, SCRATCH, SCRATCH);
    writer_slow(f->w, UNORDERED);
}

/* What was in the register goes. */
static void overwrite(Piece *f, unsigned number) {
    check_finite(f, number);
    f->is_in |= 1u << number;
    if (number < REGISTERS)
        f->is_dirty |= 1u << number;
    for (unsigned i = 0; i < f->stored_count; i++)
        if (f->stored[i].number == number)
            f->stored[i].is_there = false;
}

static void have(Piece *f, unsigned number) {
    if (!(f->is_in >> number & 1))
        put_memory(f, false, number);
    f->is_in |= 1u << number;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static void need_mask(Piece *f) {
    if (!f->has_mask) {
        WRITE(f->w, 0xba); /* mov $, %edx */
        writer_put32(f->w, SELF_FLOATS);
    }
    f->has_mask = true;
}

/* Is it a self-tagged float, what is in the register? */
static void put_test(Piece *f, unsigned number) { put_two(f, 0xa3, number, RDX); /* bt %number, %edx */ }

static const Stored *stored_in(const Piece *f, Word place) {
    for (unsigned i = f->stored_count; i-- > 0;)
        if (f->stored[i].place == place)
            return &f->stored[i];
    return NULL;
}

static void put_load(Piece *f, const Source *source, unsigned to, bool converts) {
    const Stored *stored = source->is_constant ? NULL : stored_in(f, source->value);
    if (stored != NULL) {
        unsigned from = stored->number;
        if (from == to)
            return;
        overwrite(f, to);
        put_copy(f, from, to);
        return;
    }
    overwrite(f, to);
    if (source->is_constant) {
        put_constant(f, is_small(source->value) ? (double)small_value(source->value) : float_value(source->value), to);
        return;
    }
    need_mask(f);
    WRITE_LOAD(f->w, RCX, source->value);
    put_test(f, RCX);
    WRITE(f->w, 0x0f, NOT_BELOW);
    Aside *aside = &f->asides[f->aside_count++];
    *aside = (Aside){.from = writer_ahead(f->w), .to = (uint8_t)to, .converts = converts};
    WRITE(f->w, 0x48, 0xff, 0xc9, 0x48, 0xc1, 0xc9, 4); /* dec %rcx; ror $4, %rcx */
    put_from_rcx(f, to);
    aside->back = f->w->length;
}

static void put_asides(Piece *f) {
    for (unsigned i = 0; i < f->aside_count; i++) {
        const Aside *aside = &f->asides[i];
        writer_here(f->w, aside->from);
        if (aside->converts) {
            WRITE(f->w, 0xf6, 0xc1, TAG_MASK); /* test $, %cl */
            writer_slow(f->w, DIFFERENT);
            WRITE(f->w, 0x48, 0xc1, 0xf9, 3); /* sar $, %rcx */
            put_clear(f, aside->to);
            WRITE(f->w, 0xf2, prefix(0x48, aside->to, 0), 0x0f, 0x2a, both(aside->to, RCX)); /* cvtsi2sd */
        } else {
            WRITE(f->w, 0xf2, prefix(0x40, aside->to, 0), 0x0f, 0x10, (uint8_t)(0x41 | (aside->to & 7) << 3),
                  sizeof(Word) - TAG_BOXED); /* movsd 5(%rcx), %to */
        }
        WRITE(f->w, 0xe9);
        writer_inside(f->w, aside->back);
    }
}

static void put_operate(Piece *f, uint8_t operation, unsigned a, unsigned b, unsigned to) {
    bool divides = operation == float_operation('/'), commutes = !divides && operation != float_operation('-');
    have(f, a);
    have(f, b);
    if (divides)
        check_finite(f, b);
    f->is_pending &= ~(1u << a | (divides ? 0 : 1u << b));
    overwrite(f, to);
    if (to == b && commutes) {
        put_operation(f, operation, a, to);
    } else if (to == b && to != a) {
        put_copy(f, a, SCRATCH);
        put_operation(f, operation, b, SCRATCH);
        put_copy(f, SCRATCH, to);
    } else {
        put_copy(f, a, to);
        put_operation(f, operation, b, to);
    }
    f->is_pending |= 1u << to;
}

static void put_negate(Piece *f, unsigned a, unsigned to) {
    have(f, a);
    bool is_pending = f->is_pending >> a & 1;
    f->is_pending &= ~(1u << a);
    overwrite(f, to);
    if (release_has(RELEASE_SIGNED_ZEROS)) {
        put_constant(f, -0.0, SCRATCH);
        put_two(f, 0x57, SCRATCH, a); /* xorps %a, %scratch */
    } else {
        put_clear(f, SCRATCH);
        put_operation(f, float_operation('-'), a, SCRATCH);
    }
    put_copy(f, SCRATCH, to);
    f->is_pending |= (uint32_t)is_pending << to;
}

/* As a term, which waits in a register until all is done. */
static void put_term(Piece *f, unsigned number, Word place) {
    unsigned term = term_registers[f->stored_count];
    need_mask(f);
    WRITE(f->w, 0x66, prefix(0x48, number, term), 0x0f, 0x7e, both(number, term)); /* movq %number, %term */
    WRITE(f->w, prefix(0x48, 0, term), 0xc1, both(0, term), 4, prefix(0x48, 0, term), 0xff,
          both(0, term)); /* rol; inc */
    put_test(f, term);
    writer_slow(f->w, NOT_BELOW);
    f->is_pending &= ~(1u << number);
    f->stored[f->stored_count++] = (Stored){place, (uint8_t)number, true};
}

static void put_room(Piece *f, Word words) {
    WRITE(f->w, 0x48, 0x8d, 0x8f); /* lea bytes(%rdi), %rcx */
    writer_put32(f->w, (uint32_t)((words + STACK_RESERVE) * sizeof(Word)));
    WRITE(f->w, 0x4c, 0x39, 0xf9); /* cmp %r15, %rcx */
    writer_slow(f->w, ABOVE);
}

static void put_step(Piece *f, const FloatStep *step) {
    switch (step->kind) {
    case FLOAT_LOAD:
    case FLOAT_CONVERT: put_load(f, &step->source, step->to, step->kind == FLOAT_CONVERT); return;
    case FLOAT_COPY:
        have(f, step->a);
        if (step->a != step->to) {
            overwrite(f, step->to);
            put_copy(f, step->a, step->to);
        }
        return;
    case FLOAT_NEGATE: put_negate(f, step->a, step->to); return;
    case FLOAT_OPERATE: put_operate(f, step->operation, step->a, step->b, step->to); return;
    case FLOAT_ROOM: put_room(f, step->place); return;
    case FLOAT_STORE:
        have(f, step->a);
        put_term(f, step->a, step->place);
        return;
    }
}

/* --- what fits ---------------------------------------------------------------------------------------------------- */

static bool is_exact(SWord n) { return n < (SWord)1 << 53 && n > -((SWord)1 << 53); }

static bool source_fits(const Piece *f, const Source *source, bool converts, const FloatStep *steps, unsigned n) {
    if (source->is_constant)
        return is_float(source->value) || (converts && is_small(source->value));
    const Stored *stored = stored_in(f, source->value);
    if (stored == NULL)
        return f->aside_count + n < LOADS_MOST;
    for (unsigned i = 0; i < n; i++)
        if (steps[i].to == stored->number)
            return false;
    return stored->is_there;
}

static bool steps_fit(const Piece *f, const FloatStep *steps, unsigned count) {
    unsigned stores = f->stored_count;
    for (unsigned n = 0; n < count; n++) {
        const FloatStep *step = &steps[n];
        bool takes_source = step->kind == FLOAT_LOAD || step->kind == FLOAT_CONVERT;
        if (step->a >= REGISTERS || step->b >= REGISTERS || step->to >= REGISTERS)
            return false;
        if (takes_source && !source_fits(f, &step->source, step->kind == FLOAT_CONVERT, steps, n))
            return false;
        if (step->kind == FLOAT_STORE && stores++ == STORES_MOST)
            return false;
        if (step->kind == FLOAT_ROOM && step->place > NATIVE_WORDS_MOST)
            return false;
#ifdef VIV_TORTURE
        if (step->kind == FLOAT_ROOM) /* each is to be a chance to collect */
            return false;
#endif
    }
    return true;
}

/* --- terms that are known as floats ------------------------------------------------------------------------------- */

/* A float, or a number that is one beside a float. */
static bool is_known(const Piece *f, const Source *source) {
    if (source->is_constant)
        return is_self_float(source->value) || (is_small(source->value) && is_exact(small_value(source->value)));
    const Stored *stored = stored_in(f, source->value);
    return stored != NULL && stored->is_there;
}

static unsigned known(Piece *f, const Source *source) {
    if (!source->is_constant)
        return stored_in(f, source->value)->number;
    put_load(f, source, SCRATCH, true);
    return SCRATCH;
}

static bool are_known(const Piece *f, const Source *a, const Source *b) {
    return is_known(f, a) && is_known(f, b) && !(a->is_constant && b->is_constant);
}

/* An operation on terms both of which are floats here. False: it is none. */
static bool put_sum(Piece *f, const Word *insn, const InsnPlace *place) {
    static const struct {
        enum Insn insn;
        char sign;
    } sums[] = {{INSN_ADD, '+'},       {INSN_ADD_SMALL, '+'}, {INSN_SUB, '-'},
                {INSN_SUB_SMALL, '-'}, {INSN_MUL, '*'},       {INSN_DIVIDE, '/'}};
    for (unsigned i = 0; i < array_length(sums); i++) {
        if (!form_is(place->form, sums[i].insn))
            continue;
        const InsnForm *form = &insn_forms[place->form];
        Source a = operand_source(insn, form, 2), b = operand_source(insn, form, 3);
        Source to = operand_source(insn, form, 4);
        if (f->stored_count == STORES_MOST || EXTRA + f->extra == EXTRA_END || !are_known(f, &a, &b))
            return false;
        unsigned sum = EXTRA + f->extra++;
        put_load(f, &a, sum, true);
        put_operation(f, float_operation(sums[i].sign), known(f, &b), sum);
        put_term(f, sum, to.value);
        return true;
    }
    return false;
}

/* A comparison of such terms; it jumps to the label where the condition holds of the second beside the first, or, if
 * `turned`, of the first beside the second. */
typedef struct {
    enum Insn insn;
    uint8_t condition;
    bool turned;
} Comparison;

static const Comparison *comparison_of(const Piece *f, const Word *insn, const InsnPlace *place) {
    static const Comparison comparisons[] = {{INSN_IS_LT, NOT_ABOVE, true},
                                             {INSN_IS_GE, BELOW, false},
                                             {INSN_IS_EQ, DIFFERENT, false},
                                             {INSN_IS_NE, EQUAL, false}};
    for (unsigned i = 0; i < array_length(comparisons); i++) {
        if (!form_is(place->form, comparisons[i].insn))
            continue;
        const InsnForm *form = &insn_forms[place->form];
        Source a = operand_source(insn, form, 1), b = operand_source(insn, form, 2);
        return are_known(f, &a, &b) ? &comparisons[i] : NULL;
    }
    return NULL;
}

static void put_comparison(Piece *f, const Comparison *comparison, const Word *insn, const InsnPlace *place) {
    const InsnForm *form = &insn_forms[place->form];
    Source a = operand_source(insn, form, 1), b = operand_source(insn, form, 2);
    unsigned first = known(f, &a), second = known(f, &b); /* one at most is a constant */
    if (comparison->turned)
        put_compare(f, first, second);
    else
        put_compare(f, second, first);
    WRITE(f->w, 0x0f, comparison->condition);
    writer_way_from(f->w, place->word, (SWord)operand_word(insn, form, 0));
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* Everything that can fail is behind; `count` instructions are done. */
static void put_results(Piece *f, size_t count) {
    const Written *c = f->w->written;
    for (unsigned i = 0; i < REGISTERS; i++)
        check_finite(f, i);
    for (unsigned i = 0; i < f->stored_count; i++)
        WRITE_STORE(f->w, term_registers[i], f->stored[i].place);
    for (uint16_t i = 0; i < REGISTERS; i++)
        if ((f->is_dirty >> i & 1) &&
            (c->floats_cross || !float_is_dead(c->words, c->places + count, c->place_count - count, i)))
            put_memory(f, true, i);
}

/* One instruction more. False: it is not of this piece, and nothing was written. */
static bool put_insn(Piece *f, size_t i) {
    const InsnPlace *place = &f->w->written->places[i];
    const Word *insn = f->w->written->words + place->word;
    FloatStep steps[FLOAT_STEPS_MOST];
    unsigned count = float_steps(insn, place->form, steps);
    if (count == 0)
        return i > 0 && put_sum(f, insn, place);
    if (!steps_fit(f, steps, count))
        return false;
    for (unsigned n = 0; n < count; n++)
        put_step(f, &steps[n]);
    return true;
}

size_t floats_write(Writer *w) {
    const Written *c = w->written;
    Piece f = {.w = w};
    size_t count = 0;
    while (count < c->place_count && count < INSNS_MOST && (count == 0 || !c->places[count].is_target) &&
           put_insn(&f, count))
        count++;
    if (count == 0)
        return 0;
    const InsnPlace *place = &c->places[count];
    const Comparison *comparison = NULL;
    if (count < c->place_count && !place->is_target)
        comparison = comparison_of(&f, c->words + place->word, place);
    count += comparison != NULL;
    put_results(&f, count);
    if (comparison != NULL)
        put_comparison(&f, comparison, c->words + place->word, place);
    if (f.aside_count == 0)
        writer_fall(w);
    else
        writer_next(w);
    put_asides(&f);
    return count;
}
