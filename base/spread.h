/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms with bounds that double. */
#ifndef WF_BASE_SPREAD_H
#define WF_BASE_SPREAD_H

#include <stdint.h>

#define WF_SPREAD_STEPS 16

struct wf_spread {
	uint64_t unit;
	/* Values up to the unit, up to twice the unit, ..; then all others. */
	uint64_t counts[WF_SPREAD_STEPS + 1];
	uint64_t sum;
};

static inline void wf_spread_add(struct wf_spread *spread, uint64_t value)
{
	unsigned step = 0;

	while (step < WF_SPREAD_STEPS && value > spread->unit << step)
		step++;
	spread->counts[step]++;
	spread->sum += value;
}

/* Adds what another one of the same unit has counted. */
static inline void wf_spread_merge(
    struct wf_spread *spread, const struct wf_spread *other)
{
	spread->unit = other->unit;
	spread->sum += other->sum;
	for (unsigned i = 0; i <= WF_SPREAD_STEPS; i++)
		spread->counts[i] += other->counts[i];
}

#endif
