/* SPDX-License-Identifier: Apache-2.0 */
/* Sets libxml2 up; replaces its handler of the thread, and restores it. */
#include "xquery/tree/quiet.h"

#include <libxml/parser.h>
#include <libxml/xmlschemastypes.h>
#include <stddef.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;

static void set_up(void)
{
	xmlInitParser();
	xmlSchemaInitTypes();
}

static void ignore(void *argument, xmlError *error)
{
	(void)argument;
	(void)error;
}

void wf_quiet_begin(struct wf_quiet *before)
{
	call_once(&once, set_up);
	before->function = xmlStructuredError;
	before->argument = xmlStructuredErrorContext;
	xmlSetStructuredErrorFunc(NULL, ignore);
}

void wf_quiet_end(const struct wf_quiet *before)
{
	xmlSetStructuredErrorFunc(before->argument, before->function);
}
