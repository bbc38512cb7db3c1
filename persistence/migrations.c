/* SPDX-License-Identifier: Apache-2.0 */
/* Migrations are found by store and number. */
#include "persistence/migrations.h"

#include <stddef.h>
#include <string.h>

#include "persistence/store.h"

#include "persistence/migrations.inc" /* made by persistence/embed.sh */

const struct wf_migration *wf_migration(const char *store, uint32_t number)
{
	for (size_t i = 0; i < sizeof migrations / sizeof migrations[0]; i++)
		if (migrations[i].number == number &&
		    strcmp(migrations[i].store, store) == 0)
			return &migrations[i];
	return NULL;
}

uint32_t wf_migration_count(const char *store)
{
	uint32_t count = 0;

	while (wf_migration(store, count + 1) != NULL)
		count++;
	return count;
}

enum wf_rc wf_migration_judge(const char *store, uint64_t version,
    uint64_t finished, unsigned flags, struct wf_error *err)
{
	uint32_t known = wf_migration_count(store);

	if (finished > known)
		return wf_fail(err, WF_CONFLICT,
		    "it was made by a later Weft: its tables have version "
		    "%llu, this one knows %u",
		    (unsigned long long)version, known);
	if (version == 0 && (flags & WF_STORE_CREATE) == 0)
		return wf_fail(err, WF_CONFLICT,
		    "it is empty: \"weft db init\" makes the tables");
	if (version > 0 && version < known && (flags & WF_STORE_MIGRATE) == 0)
		return wf_fail(err, WF_CONFLICT,
		    "its tables have version %llu, not %u: \"weft db migrate\" "
		    "brings them forward",
		    (unsigned long long)version, known);
	return WF_OK;
}
