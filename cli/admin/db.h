/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that work on a store share, and the parts of weft db. */
#ifndef WF_CLI_ADMIN_DB_H
#define WF_CLI_ADMIN_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "persistence/store.h"

/* The URL of the store: given, else $WEFT_DB, else sqlite:weft.db. */
const char *wf_db_url(const char *given);

struct wf_db_options {
	const char *url;
	unsigned flags; /* WF_STORE_UNSAFE or 0 */
	bool json;
	bool quiet;
	bool set_aside;
	bool dry_run;
	bool finish;
	uint64_t without; /* that node; 0: none */
	bool has_before;
	int64_t before;	  /* milliseconds since 1970 */
	const char *file; /* of backup */
};

/* The time of the clock, in milliseconds since 1970. */
int64_t wf_db_now(void);

/* The verbs with files of their own; they return the exit code. */
int wf_db_check(const struct wf_db_options *options);
int wf_db_retire(const struct wf_db_options *options);

#endif
