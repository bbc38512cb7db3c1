/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the unit tests: all suites of suites.def, or those that are named. Ends
 * with "N passed, N failed", counted in tests. When a time-out ends it, it
 * prints the name of the running test.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/store_fixture.h"

#define WF_SUITE(name) extern CU_TestInfo wf_tests_##name[];
#include "tests/unit/suites.def"
#undef WF_SUITE

struct suite {
	const char *name;
	CU_TestInfo *tests;
};

static const struct suite suites[] = {
#define WF_SUITE(name) { #name, wf_tests_##name },
#include "tests/unit/suites.def"
#undef WF_SUITE
};

static unsigned passed, failed;
static char running[256]; /* "SUITE: TEST", and the end of a sentence */

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc == 1;
}

static void add_suite(const struct suite *suite)
{
	CU_pSuite added = CU_add_suite(suite->name, NULL, NULL);

	for (const CU_TestInfo *test = suite->tests;
	     added != NULL && test->pName != NULL; test++)
		if (CU_add_test(added, test->pName, test->pTestFunc) == NULL)
			added = NULL;
	if (added == NULL) {
		fprintf(
		    stderr, "unit: %s: %s\n", suite->name, CU_get_error_msg());
		exit(1);
	}
}

static void begin(const CU_pTest test, const CU_pSuite suite)
{
	snprintf(running, sizeof(running), "%s: %s: was not over in time\n",
	    suite->pName, test->pName);
}

/* Calls only functions that are safe in a signal handler. */
static void report_and_end(int number)
{
	if (write(STDERR_FILENO, running, strlen(running)) >= 0)
		raise(number);
	_exit(1);
}

/* Then the signal has its default effect. */
static void expect_end(void)
{
	struct sigaction action = { .sa_handler = report_and_end,
		.sa_flags = (int)SA_RESETHAND };

	sigaction(SIGTERM, &action, NULL);
}

static void report(
    const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord first)
{
	if (first == NULL) {
		passed++;
		return;
	}
	failed++;
	printf("%s: %s: FAILED\n", suite->pName, test->pName);
	for (CU_pFailureRecord at = first; at != NULL; at = at->pNext)
		printf("  %s:%u: %s\n", at->strFileName, at->uiLineNumber,
		    at->strCondition);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	bool found = false;

	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++)
		if (wanted(suites[i].name, argc, argv)) {
			add_suite(&suites[i]);
			found = true;
		}
	if (!found) {
		fprintf(stderr, "unit: no suite has that name\n");
		return 2;
	}
	CU_set_test_start_handler(begin);
	CU_set_test_complete_handler(report);
	expect_end();
	CU_run_all_tests();
	store_free_kept();
	CU_cleanup_registry();
	printf("%u passed, %u failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}
