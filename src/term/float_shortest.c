#include "term/float_shortest.h"

#include "base/defs.h"
#include "powers_of_ten.h"
#include "term/float.h"

#define FRACTION_BITS 52
#define EXPONENT_BIAS 1075 /* of the fraction as an integer */

/* floor(log10(2^e)), or with `is_closer` of 3/4 of that; floor(log2(10^e)). Right for all exponents of doubles. */
static int log10_of_power(int e, bool is_closer) { return (e * 1262611 - (is_closer ? 524031 : 0)) >> 22; }
static int log2_of_ten_power(int e) { return (e * 1741647) >> 19; }

/* The product's bits above the lower 128, the last one set if there are others. */
static uint64_t times(const uint64_t power[2], uint64_t by) {
    unsigned __int128 low = (unsigned __int128)power[1] * by;
    unsigned __int128 high = (unsigned __int128)power[0] * by + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* `at` is four times the double in units of 10^k; what reads back as it lies between `least` and `most`. */
static ShortestDecimal choose(uint64_t at, uint64_t least, uint64_t most, int k) {
    uint64_t below = at / 4;
    if (below >= 10) {
        uint64_t tens = below / 10;
        bool is_below_in = least <= 40 * tens, is_above_in = 40 * tens + 40 <= most;
        if (is_below_in != is_above_in)
            return (ShortestDecimal){tens + is_above_in, k + 1};
    }
    bool is_below_in = least <= 4 * below, is_above_in = 4 * below + 4 <= most;
    if (is_below_in != is_above_in)
        return (ShortestDecimal){below + is_above_in, k};
    uint64_t middle = 4 * below + 2;
    bool is_up = at > middle || (at == middle && (below & 1) != 0);
    return (ShortestDecimal){below + is_up, k};
}

/* fraction * 2^exponent. The doubles below a power of two lie closer than those above. */
static ShortestDecimal shortest(uint64_t fraction, int exponent, bool is_closer) {
    int k = log10_of_power(exponent, is_closer);
    int shift = exponent + log2_of_ten_power(-k) + 1;
    const uint64_t *power = powers_of_ten[-k - POWERS_OF_TEN_FIRST];
    uint64_t least = times(power, (4 * fraction - 2 + is_closer) << shift);
    uint64_t most = times(power, (4 * fraction + 2) << shift);
    unsigned is_odd = fraction & 1; /* then the ends of the interval are rounded to the neighbours */
    return choose(times(power, 4 * fraction << shift), least + is_odd, most - is_odd, k);
}

ShortestDecimal float_shortest(double d) {
    uint64_t bits = float_bits(d), fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    int biased = (int)(bits >> FRACTION_BITS);
    if (biased == 0)
        return shortest(fraction, 1 - EXPONENT_BIAS, false);
    uint64_t whole = fraction | (uint64_t)1 << FRACTION_BITS;
    int exponent = biased - EXPONENT_BIAS;
    if (exponent <= 0 && exponent > -FRACTION_BITS - 1 && (whole & (((uint64_t)1 << -exponent) - 1)) == 0)
        return (ShortestDecimal){whole >> -exponent, 0};
    return shortest(whole, exponent, fraction == 0 && biased > 1);
}
