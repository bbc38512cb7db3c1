/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics as one asks for them: the hours of a period, added up for each
 * case, task, flow or participant of some specifications.
 */
#ifndef WF_HISTORY_STATISTICS_SUMMARY_H
#define WF_HISTORY_STATISTICS_SUMMARY_H

#include "history/statistics/tally.h"

/* Rows of the store that one summary is made from; groups of it. */
#define WF_SUMMARY_ROWS 200000U
#define WF_SUMMARY_GROUPS 20000U
/* Buckets of all its histograms: 32 MB. */
#define WF_SUMMARY_BUCKETS 2000000U

struct wf_summary_query {
	uint32_t namespace_id;
	struct wf_specification_keys specifications;
	enum wf_statistics_by by;
	const char *task; /* of this one only; NULL: of all */
	int64_t from;	  /* the first hour */
	int64_t to;	  /* before that hour */
	int64_t hours;	  /* of one group, from 1970 on; 0: the whole period */
};

struct wf_summary_measure {
	uint64_t count;
	struct wf_histogram times;
};

struct wf_summary_group {
	const char *name; /* groups are sorted by it; names are unique */
	uint64_t specification;
	const char *net; /* "", as the next two: see persistence/rows.def */
	const char *element;
	const char *detail;
	int64_t hour;					  /* the first of it */
	struct wf_summary_measure *measures[WF_MEASURES]; /* NULL: none */
};

struct wf_summary {
	struct wf_summary_group **groups; /* by name */
	size_t count;
};

/* WF_LIMIT: more rows, groups or buckets than a summary may have. */
enum wf_rc wf_summary_read(const struct wf_summary_query *query,
    struct wf_store *store, struct wf_arena *arena,
    struct wf_summary *summary_out, struct wf_error *err) WF_MUSTCHECK;

#endif
