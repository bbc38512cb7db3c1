/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/duration.h"

#include <stdio.h>
#include <string.h>

#include "data/deadline.h"

#define DIGITS 9U

bool wf_cli_short_duration(
    const char *word, char iso_out[static WF_CLI_DURATION_SIZE])
{
	static const char units[] = "smhdw";
	static const char letters[] = "SMHDD";
	size_t digits = strspn(word, "0123456789");
	const char *unit = strchr(units, word[digits]);
	unsigned long long count = 0;

	if (digits == 0 || digits > DIGITS || word[digits] == '\0' ||
	    unit == NULL || word[digits + 1] != '\0')
		return false;
	for (size_t i = 0; i < digits; i++)
		count = count * 10 + (unsigned)(word[i] - '0');
	snprintf(iso_out, WF_CLI_DURATION_SIZE, "P%s%llu%c",
	    *unit == 'd' || *unit == 'w' ? "" : "T",
	    *unit == 'w' ? count * 7 : count, letters[unit - units]);
	return true;
}

bool wf_cli_duration(const char *word, int64_t *duration_out)
{
	char iso[WF_CLI_DURATION_SIZE];

	return wf_deadline_duration(
	    wf_cli_short_duration(word, iso) ? iso : word, duration_out);
}
