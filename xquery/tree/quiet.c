/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces libxml2's handler of the thread, and restores it. */
#include "xquery/tree/quiet.h"

#include <stddef.h>

static void ignore(void *argument, xmlError *error)
{
	(void)argument;
	(void)error;
}

void wf_quiet_begin(struct wf_quiet *before)
{
	before->function = xmlStructuredError;
	before->argument = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(NULL, ignore);
}

void wf_quiet_end(const struct wf_quiet *before)
{
	xmlSetStructuredErrorFunc(before->argument, before->function);
}
