/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 256-bit unsigned numbers: room for the exact products and quotients of
 * 128-bit numbers.
 */
#ifndef WF_XQUERY_ATOMIC_WIDE_H
#define WF_XQUERY_ATOMIC_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "xquery/item/item.h"

__extension__ typedef unsigned __int128 wf_uint128;

struct wf_wide {
	wf_uint128 high;
	wf_uint128 low;
};

/* The absolute value; exact also for the most negative number. */
static inline wf_uint128 wf_magnitude(wf_int128 number)
{
	return number < 0 ? -(wf_uint128)number : (wf_uint128)number;
}

/* The number of decimal digits that always fit in 128 bits. */
#define WF_WIDE_DIGITS 38

/* 10^n; n: at most WF_WIDE_DIGITS. */
wf_uint128 wf_power_of_ten(unsigned n);
struct wf_wide wf_wide_product(wf_uint128 a, wf_uint128 b);
int wf_wide_compare(struct wf_wide a, struct wf_wide b);
/* The divisor is not zero.  remainder_out may be NULL. */
struct wf_wide wf_wide_divide(struct wf_wide number, struct wf_wide divisor,
    struct wf_wide *remainder_out);
/* number becomes number / divisor; returns the remainder. */
uint64_t wf_wide_divide_small(struct wf_wide *number, uint64_t divisor);

enum wf_rounding {
	WF_ROUND_DOWN,	    /* towards zero */
	WF_ROUND_HALF_EVEN, /* to the nearest, ties to the even one */
	WF_ROUND_HALF_UP    /* to the nearest, ties towards +infinity */
};

/*
 * value * (a * 2^a_shift) / (b * 2^b_shift), rounded to an integer.  b is not
 * zero.  False when the result is not within -10^38 and 10^38.
 */
bool wf_wide_ratio(wf_int128 value, wf_int128 a, unsigned a_shift, wf_int128 b,
    unsigned b_shift, enum wf_rounding rounding, wf_int128 *result_out);

#endif
