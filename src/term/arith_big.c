/* Sign handling around GMP's mpn_ functions. Results are computed in the area itself, trimmed, the rest given back. */
#include "term/arith_big.h"

#include "alloc/alloc.h"
#include "base/long_work.h"
#include "term/integer.h"

#include <gmp.h>
#include <string.h>

/* A product of m and n limbs, and a quotient of numbers of these sizes, in units of long work: the schoolbook's m times
 * n as long as the shorter one is short; above that about as much for each limb of the longer one. */
#define LIMBS_SCHOOLBOOK 250
static void count_product(size_t longer, size_t shorter) {
    size_t each = shorter < LIMBS_SCHOOLBOOK ? shorter : LIMBS_SCHOOLBOOK;
    if (unlikely(longer * each > LONG_WORK_LEAST))
        long_work_count((int64_t)(longer * each));
}

static int compare_magnitudes(const IntegerView *x, const IntegerView *y) {
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->count == 0 ? 0 : mpn_cmp(x->limbs, y->limbs, (mp_size_t)x->count);
}

static Term copy_signed(Area *area, const IntegerView *x, bool negative) {
    return integer_from_limbs(area, x->limbs, x->count, negative);
}

/* |x| + |y| or |x| - |y|, where |x| >= |y|. */
static Term combine(Area *area, const IntegerView *x, const IntegerView *y, bool subtract, bool negative) {
    if (y->count == 0)
        return copy_signed(area, x, negative);
    uint64_t *to = integer_begin(area, x->count + 1);
    if (subtract) {
        mpn_sub(to, x->limbs, (mp_size_t)x->count, y->limbs, (mp_size_t)y->count);
        to[x->count] = 0;
    } else {
        to[x->count] = mpn_add(to, x->limbs, (mp_size_t)x->count, y->limbs, (mp_size_t)y->count);
    }
    return integer_end(area, to, x->count + 1, negative);
}

static bool are_big_naturals(Term a, Term b) {
    return is_boxed_kind(a, KIND_POS_BIG) && is_boxed_kind(b, KIND_POS_BIG);
}

/* Two that are big and not negative, the one with more limbs first. */
typedef struct {
    const Term *longer, *shorter;
} BigNaturals;

static BigNaturals big_naturals(Term a, Term b) {
    const Term *x = boxed_ptr(a), *y = boxed_ptr(b);
    return x[0] < y[0] ? (BigNaturals){y, x} : (BigNaturals){x, y};
}

/* Their sum, in place: for so few limbs a call of GMP's is most of it. */
#define FEW_LIMBS 16
static Term add_few_limbs(Area *area, BigNaturals n) {
    const Term *longer = n.longer, *shorter = n.shorter;
    size_t count = header_arity(longer[0]), common = header_arity(shorter[0]), i = 1;
    unsigned long long carry = 0;
    Term *to = area_alloc(area, 2 + count);
    for (; i <= common; i++)
        to[i] = __builtin_addcll(longer[i], shorter[i], carry, &carry);
    for (; i <= count; i++)
        to[i] = __builtin_addcll(longer[i], 0, carry, &carry);
    if (likely(carry == 0))
        area_give_back(area, to + i, to + i + 1);
    else
        to[i] = carry;
    to[0] = header_make(KIND_POS_BIG, count + carry);
    return boxed_make(to);
}

Term big_add(Area *area, Term a, Term b, bool subtract) {
    if (!subtract && are_big_naturals(a, b)) {
        BigNaturals n = big_naturals(a, b);
        if (header_arity(n.longer[0]) <= FEW_LIMBS)
            return add_few_limbs(area, n);
    }
    IntegerView x, y;
    integer_view(a, &x);
    integer_view(b, &y);
    y.negative ^= subtract;
    bool differ = x.negative != y.negative;
    return compare_magnitudes(&x, &y) >= 0 ? combine(area, &x, &y, differ, x.negative)
                                           : combine(area, &y, &x, differ, y.negative);
}

Term big_mul(Area *area, Term a, Term b) {
    IntegerView x, y;
    integer_view(a, &x);
    integer_view(b, &y);
    const IntegerView *longer = x.count < y.count ? &y : &x, *shorter = x.count < y.count ? &x : &y;
    if (shorter->count == 0)
        return small_make(0);
    size_t count = x.count + y.count;
    if (count - 1 > integer_max_limbs())
        return NON_VALUE;
    count_product(longer->count, shorter->count);
    uint64_t *to = integer_begin(area, count);
    if (a == b)
        mpn_sqr(to, x.limbs, (mp_size_t)x.count);
    else
        mpn_mul(to, longer->limbs, (mp_size_t)longer->count, shorter->limbs, (mp_size_t)shorter->count);
    return integer_end(area, to, count, x.negative != y.negative);
}

/* One of quotient and remainder; the other goes to working memory. */
static Term divide(Area *area, const IntegerView *x, const IntegerView *y, bool want_quotient) {
    size_t q_count = x->count - y->count + 1, r_count = y->count;
    count_product(x->count, q_count < r_count ? q_count : r_count);
    uint64_t *other = mem_alloc(ALLOC_TEMP, (want_quotient ? r_count : q_count) * sizeof *other);
    uint64_t *to = integer_begin(area, want_quotient ? q_count : r_count);
    mpn_tdiv_qr(want_quotient ? to : other, want_quotient ? other : to, 0, x->limbs, (mp_size_t)x->count, y->limbs,
                (mp_size_t)y->count);
    mem_free(ALLOC_TEMP, other);
    return want_quotient ? integer_end(area, to, q_count, x->negative != y->negative)
                         : integer_end(area, to, r_count, x->negative);
}

Term big_div(Area *area, Term a, Term b) {
    IntegerView x, y;
    integer_view(a, &x);
    integer_view(b, &y);
    if (compare_magnitudes(&x, &y) < 0)
        return small_make(0);
    if (y.count > 1)
        return divide(area, &x, &y, true);
    uint64_t *to = integer_begin(area, x.count);
    mpn_divrem_1(to, 0, x.limbs, (mp_size_t)x.count, y.limbs[0]);
    return integer_end(area, to, x.count, x.negative != y.negative);
}

Term big_rem(Area *area, Term a, Term b) {
    IntegerView x, y;
    integer_view(a, &x);
    integer_view(b, &y);
    if (compare_magnitudes(&x, &y) < 0)
        return a;
    if (y.count > 1)
        return divide(area, &x, &y, false);
    uint64_t remainder = mpn_mod_1(x.limbs, (mp_size_t)x.count, y.limbs[0]);
    return integer_from_limbs(area, &remainder, 1, x.negative);
}

/* The limbs of an integer in two's complement, one after the other, without end. */
typedef struct {
    const uint64_t *limbs;
    size_t count;
    uint64_t flip, carry;
} Complement;

static inline Complement complement_of(const IntegerView *view) {
    return (Complement){view->limbs, view->count, view->negative ? ~(uint64_t)0 : 0, view->negative};
}

static inline uint64_t complement_next(Complement *c, size_t i) {
    uint64_t limb = ((i < c->count ? c->limbs[i] : 0) ^ c->flip) + c->carry;
    c->carry &= limb == 0;
    return limb;
}

static inline uint64_t apply(BigBitwise op, uint64_t a, uint64_t b) {
    return op == BIG_AND ? (a & b) : op == BIG_OR ? (a | b) : a ^ b;
}

static inline void apply_all(BigBitwise op, uint64_t *to, size_t count, Complement x, Complement y) {
    for (size_t i = 0; i < count; i++)
        to[i] = apply(op, complement_next(&x, i), complement_next(&y, i));
}

static inline void apply_common(BigBitwise op, uint64_t *to, size_t count, const uint64_t *x, const uint64_t *y) {
    for (size_t i = 0; i < count; i++)
        to[i] = apply(op, x[i], y[i]);
}

/* `band` or `bxor` of two that are not negative, as bit sets are: limb by limb, without a carry. */
static Term combine_naturals(Area *area, const IntegerView *longer, const IntegerView *shorter, BigBitwise op) {
    size_t common = shorter->count, count = op == BIG_AND ? common : longer->count;
    uint64_t *to = integer_begin(area, count);
    if (op == BIG_AND)
        apply_common(BIG_AND, to, common, longer->limbs, shorter->limbs);
    else
        apply_common(BIG_XOR, to, common, longer->limbs, shorter->limbs);
    memcpy(to + common, longer->limbs + common, (count - common) * sizeof *to);
    return integer_end(area, to, count, false);
}

/* `bor` of a big that is not negative and of no more limbs: the highest one is the big's, nothing is to be trimmed. */
static Term unite(Area *area, const Term *big, const uint64_t *limbs, size_t common) {
    size_t count = header_arity(big[0]), i = 0;
    Term *to = area_alloc(area, 1 + count);
    *to++ = *big++;
    for (; i < common; i++)
        to[i] = big[i] | limbs[i];
    for (; i < count; i++)
        to[i] = big[i];
    return boxed_make(to - 1);
}

static bool is_small_natural(Term t) { return is_small(t) && (SWord)t >= 0; }

/* NON_VALUE: one of them is negative. */
static Term unite_naturals(Area *area, Term a, Term b) {
    if (are_big_naturals(a, b)) {
        BigNaturals n = big_naturals(a, b);
        return unite(area, n.longer, n.shorter + 1, header_arity(n.shorter[0]));
    }
    Term big = is_small(a) ? b : a, small = is_small(a) ? a : b;
    uint64_t limb = (uint64_t)small_value(small);
    return is_boxed_kind(big, KIND_POS_BIG) && is_small_natural(small) ? unite(area, boxed_ptr(big), &limb, 1)
                                                                       : NON_VALUE;
}

Term big_bitwise(Area *area, Term a, Term b, BigBitwise op) {
    Term united = op == BIG_OR ? unite_naturals(area, a, b) : NON_VALUE;
    if (is_value(united))
        return united;
    IntegerView x, y;
    integer_view(a, &x);
    integer_view(b, &y);
    if (!x.negative && !y.negative)
        return x.count < y.count ? combine_naturals(area, &y, &x, op) : combine_naturals(area, &x, &y, op);
    bool negative = apply(op, x.negative, y.negative);
    size_t count = (x.count > y.count ? x.count : y.count) + 1;
    Complement cx = complement_of(&x), cy = complement_of(&y);
    uint64_t *to = integer_begin(area, count);
    switch (op) {
    case BIG_AND: apply_all(BIG_AND, to, count, cx, cy); break;
    case BIG_OR: apply_all(BIG_OR, to, count, cx, cy); break;
    case BIG_XOR: apply_all(BIG_XOR, to, count, cx, cy); break;
    }
    if (negative)
        mpn_neg(to, to, (mp_size_t)count);
    return integer_end(area, to, count, negative);
}

Term big_shift_left(Area *area, Term a, Word bits) {
    IntegerView x;
    integer_view(a, &x);
    size_t whole = bits / 64;
    unsigned odd = bits % 64;
    if (whole >= integer_max_limbs() || x.count + whole > integer_max_limbs())
        return NON_VALUE;
    uint64_t *to = integer_begin(area, x.count + whole + 1);
    memset(to, 0, whole * sizeof *to);
    if (odd == 0) {
        memcpy(to + whole, x.limbs, x.count * sizeof *to);
        to[whole + x.count] = 0;
    } else {
        to[whole + x.count] = mpn_lshift(to + whole, x.limbs, (mp_size_t)x.count, odd);
    }
    return integer_end(area, to, x.count + whole + 1, x.negative);
}

static bool any_below(const uint64_t *limbs, size_t whole, unsigned odd) {
    for (size_t i = 0; i < whole; i++)
        if (limbs[i] != 0)
            return true;
    return odd != 0 && limbs[whole] << (64 - odd) != 0;
}

Term big_shift_right(Area *area, Term a, Word bits) {
    IntegerView x;
    integer_view(a, &x);
    size_t whole = bits / 64;
    unsigned odd = bits % 64;
    if (whole >= x.count)
        return small_make(x.negative ? -1 : 0);
    size_t count = x.count - whole;
    uint64_t *to = integer_begin(area, count + 1);
    if (odd == 0)
        memcpy(to, x.limbs + whole, count * sizeof *to);
    else
        mpn_rshift(to, x.limbs + whole, (mp_size_t)count, odd);
    to[count] = 0;
    if (x.negative && any_below(x.limbs, whole, odd))
        mpn_add_1(to, to, (mp_size_t)count + 1, 1);
    return integer_end(area, to, count + 1, x.negative);
}

Term big_not(Area *area, Term a) {
    IntegerView x;
    integer_view(a, &x);
    uint64_t *to = integer_begin(area, x.count + 1);
    to[x.count] = 0;
    memcpy(to, x.limbs, x.count * sizeof *to);
    if (x.negative)
        mpn_sub_1(to, to, (mp_size_t)x.count + 1, 1);
    else
        mpn_add_1(to, to, (mp_size_t)x.count + 1, 1);
    return integer_end(area, to, x.count + 1, !x.negative);
}

Term big_neg(Area *area, Term a) {
    IntegerView x;
    integer_view(a, &x);
    return copy_signed(area, &x, !x.negative);
}
