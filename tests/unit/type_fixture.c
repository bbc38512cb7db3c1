/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/type_fixture.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

struct wf_types *wf_test_types(const char *schema)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_types *types;
	size_t length = schema == NULL ? 0 : strlen(schema);
	enum wf_rc rc = wf_types_new(&types, schema, length, &err);

	if (rc != WF_OK)
		printf("\n%s\n", err.message);
	CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
	CU_ASSERT_EQUAL_FATAL(wf_types_compile(types, &err), WF_OK);
	return types;
}

enum wf_rc wf_test_type(
    const struct wf_type *type, const char *xml, struct wf_error *err)
{
	struct wf_value *value;
	enum wf_rc rc;

	memset(err, 0, sizeof(*err));
	CU_ASSERT_PTR_NOT_NULL_FATAL(type);
	CU_ASSERT_EQUAL_FATAL(
	    wf_value_parse(&value, xml, strlen(xml), NULL), WF_OK);
	rc = wf_type_validate(type, value, NULL, err);
	wf_value_unref(&value);
	return rc;
}

void wf_test_type_rows(struct wf_types *types, const struct type_row *rows,
    size_t count, bool builtin)
{
	for (size_t i = 0; i < count; i++) {
		const struct type_row *row = &rows[i];
		struct wf_error err;
		enum wf_rc rc = wf_test_type(
		    wf_types_find(types, row->type, builtin), row->xml, &err);

		if ((rc == WF_OK) != (row->message == NULL))
			printf(
			    "\n%s %s: %s\n", row->type, row->xml, err.message);
		if (row->message == NULL) {
			CU_ASSERT_EQUAL(rc, WF_OK);
			continue;
		}
		CU_ASSERT_EQUAL(rc, WF_DATA);
		if (strcmp(err.message, row->message) != 0)
			printf("\n%s\n%s\n", row->message, err.message);
		CU_ASSERT_STRING_EQUAL(err.message, row->message);
		CU_ASSERT_EQUAL(err.place.before, row->before);
	}
}
