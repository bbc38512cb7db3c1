/* SPDX-License-Identifier: Apache-2.0 */
/* Migrations are found by store and number. */
#include "persistence/migrations.h"

#include <stddef.h>
#include <string.h>

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
