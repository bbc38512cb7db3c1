/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: SQLSTATE codes as our result codes. */
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

/* By the first characters of a SQLSTATE; the first that fits. */
static const struct {
	const char *state;
	enum wf_rc rc;
} codes[] = {
	{ "23505", WF_CONFLICT },    /* unique violation */
	{ "WF001", WF_CONFLICT },    /* the fence: check_written() */
	{ "08", WF_UNAVAILABLE },    /* connection exception */
	{ "57P", WF_UNAVAILABLE },   /* shut down, starting up, .. */
	{ "57014", WF_UNAVAILABLE }, /* statement time-out */
	{ "25P03", WF_UNAVAILABLE }, /* idle in a transaction for too long */
	{ "25006", WF_UNAVAILABLE }, /* a standby */
	{ "40", WF_UNAVAILABLE },    /* serialization failure, deadlock */
	{ "55P03", WF_UNAVAILABLE }, /* lock time-out */
	{ "53", WF_UNAVAILABLE },    /* disk full, too many connections, .. */
	{ "58", WF_UNAVAILABLE },    /* the server's system failed */
	{ "22021", WF_INVALID },     /* not UTF-8 */
	{ "22", WF_LIMIT },
	{ "54", WF_LIMIT },
	{ "XX001", WF_CORRUPT },
	{ "XX002", WF_CORRUPT },
};

static enum wf_rc code_of(const char *state)
{
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (strncmp(state, codes[i].state, strlen(codes[i].state)) == 0)
			return codes[i].rc;
	return WF_IO;
}

enum wf_rc wf_pg_fail(const PGresult *result, struct wf_error *err)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *what = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	/* It is not the server that says so. */
	if (state == NULL || what == NULL)
		return wf_fail(err, WF_UNAVAILABLE,
		    "the connection to PostgreSQL broke: %.300s",
		    PQresultErrorMessage(result));
	return wf_fail(
	    err, code_of(state), "PostgreSQL: %.300s (%s)", what, state);
}
