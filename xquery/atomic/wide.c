/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 256-bit unsigned numbers. Division shifts and subtracts: it is needed only
 * where 128 bits are not enough, so the code is short rather than fast.
 */
#include "xquery/atomic/wide.h"

#include <limits.h>

#include "base/panic.h"

wf_uint128 wf_power_of_ten(unsigned n)
{
	static const uint64_t small[20] = { 1U, 10U, 100U, 1000U, 10000U,
		100000U, 1000000U, 10000000U, 100000000U, 1000000000U,
		10000000000U, 100000000000U, 1000000000000U, 10000000000000U,
		100000000000000U, 1000000000000000U, 10000000000000000U,
		100000000000000000U, 1000000000000000000U,
		10000000000000000000U };

	wf_assert(n <= WF_WIDE_DIGITS);
	return n < 20 ? small[n] : (wf_uint128)small[19] * small[n - 19];
}

struct wf_wide wf_wide_product(wf_uint128 a, wf_uint128 b)
{
	wf_uint128 a0 = (uint64_t)a;
	wf_uint128 a1 = a >> 64;
	wf_uint128 b0 = (uint64_t)b;
	wf_uint128 b1 = b >> 64;
	wf_uint128 middle = (a0 * b0 >> 64) + (uint64_t)(a1 * b0);
	struct wf_wide result;

	middle += (uint64_t)(a0 * b1);
	result.low = middle << 64 | (uint64_t)(a0 * b0);
	result.high =
	    a1 * b1 + (a1 * b0 >> 64) + (a0 * b1 >> 64) + (middle >> 64);
	return result;
}

/* False when bits are lost. */
static bool shift_left(struct wf_wide *number, unsigned bits)
{
	if (number->high == 0 && number->low == 0)
		return true;
	for (; bits >= 64; bits -= 64) {
		if (number->high >> 64 != 0)
			return false;
		number->high = number->high << 64 | number->low >> 64;
		number->low <<= 64;
	}
	if (bits == 0)
		return true;
	if (number->high >> (128 - bits) != 0)
		return false;
	number->high = number->high << bits | number->low >> (128 - bits);
	number->low <<= bits;
	return true;
}

int wf_wide_compare(struct wf_wide a, struct wf_wide b)
{
	if (a.high != b.high)
		return a.high < b.high ? -1 : 1;
	return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

static void subtract(struct wf_wide *a, struct wf_wide b)
{
	a->high -= b.high + (a->low < b.low);
	a->low -= b.low;
}

static unsigned bit_length(struct wf_wide number)
{
	wf_uint128 part = number.high != 0 ? number.high : number.low;
	unsigned length = number.high != 0 ? 128 : 0;

	if (part >> 64 != 0) {
		part >>= 64;
		length += 64;
	}
	if (part != 0)
		length += 64 - (unsigned)__builtin_clzll((uint64_t)part);
	return length;
}

struct wf_wide wf_wide_divide(struct wf_wide number, struct wf_wide divisor,
    struct wf_wide *remainder_out)
{
	struct wf_wide quotient = { 0, 0 };
	struct wf_wide remainder = { 0, 0 };

	wf_assert((divisor.high | divisor.low) != 0);
	if (number.high == 0 && divisor.high == 0) {
		quotient.low = number.low / divisor.low;
		remainder.low = number.low % divisor.low;
	} else {
		for (unsigned i = bit_length(number); i-- > 0;) {
			wf_uint128 part = i < 128 ? number.low : number.high;
			bool carry = remainder.high >> 127 != 0;

			remainder.high =
			    remainder.high << 1 | remainder.low >> 127;
			remainder.low =
			    remainder.low << 1 | (part >> (i % 128) & 1);
			if (!carry && wf_wide_compare(remainder, divisor) < 0)
				continue;
			subtract(&remainder, divisor);
			if (i < 128)
				quotient.low |= (wf_uint128)1 << i;
			else
				quotient.high |= (wf_uint128)1 << (i - 128);
		}
	}
	if (remainder_out)
		*remainder_out = remainder;
	return quotient;
}

uint64_t wf_wide_divide_small(struct wf_wide *number, uint64_t divisor)
{
	wf_uint128 parts[4] = { number->high >> 64, (uint64_t)number->high,
		number->low >> 64, (uint64_t)number->low };
	wf_uint128 rest = 0;

	for (int i = 0; i < 4; i++) {
		rest = rest << 64 | parts[i];
		parts[i] = rest / divisor;
		rest %= divisor;
	}
	number->high = parts[0] << 64 | parts[1];
	number->low = parts[2] << 64 | parts[3];
	return (uint64_t)rest;
}

/* Whether a quotient is rounded away from zero. */
static bool rounds_away(struct wf_wide quotient, struct wf_wide remainder,
    struct wf_wide divisor, bool negative, enum wf_rounding rounding)
{
	struct wf_wide rest = divisor;
	int order;

	/*
	 * remainder is compared with divisor - remainder, which loses no bit.
	 */
	subtract(&rest, remainder);
	order = wf_wide_compare(remainder, rest);
	switch (rounding) {
	case WF_ROUND_DOWN:
		return false;
	case WF_ROUND_HALF_EVEN:
		return order > 0 || (order == 0 && (quotient.low & 1) != 0);
	case WF_ROUND_HALF_UP:
		return order > 0 || (order == 0 && !negative);
	}
	return false;
}

/* Cancels the powers of two that numerator and divisor have in common. */
static void drop_common_bits(unsigned *a, unsigned *b)
{
	unsigned common = *a < *b ? *a : *b;

	*a -= common;
	*b -= common;
}

bool wf_wide_ratio(wf_int128 value, wf_int128 a, unsigned a_shift, wf_int128 b,
    unsigned b_shift, enum wf_rounding rounding, wf_int128 *result_out)
{
	bool negative = (value < 0) != (a < 0) && value != 0 && a != 0;
	struct wf_wide number =
	    wf_wide_product(wf_magnitude(value), wf_magnitude(a));
	struct wf_wide divisor = { 0, wf_magnitude(b) };
	struct wf_wide quotient;
	struct wf_wide remainder;

	negative = negative != (b < 0) && (number.high | number.low) != 0;
	drop_common_bits(&a_shift, &b_shift);
	*result_out = 0;
	if (!shift_left(&number, a_shift))
		return false;
	if (!shift_left(&divisor, b_shift))
		return true; /* less than half of one */
	quotient = wf_wide_divide(number, divisor, &remainder);
	if (rounds_away(quotient, remainder, divisor, negative, rounding) &&
	    ++quotient.low == 0)
		quotient.high++;
	if (quotient.high != 0 ||
	    quotient.low >= wf_power_of_ten(WF_WIDE_DIGITS))
		return false;
	*result_out =
	    negative ? -(wf_int128)quotient.low : (wf_int128)quotient.low;
	return true;
}
