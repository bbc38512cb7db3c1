/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a specification.  An accepted one is written, and the
 * written text must be accepted and give the same text again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wf_spec_file *read_text(const char *text, size_t length)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("fuzz");
	struct wf_spec_file *file = NULL;
	enum wf_rc rc = wf_spec_read(&file, text, length, diagnostics);

	wf_assert((rc == WF_OK) == (file != NULL));
	wf_assert((rc == WF_OK) == (wf_diagnostics_errors(diagnostics) == 0));
	wf_diagnostics_free(&diagnostics);
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_spec_file *file = read_text((const char *)data, size);
	struct wf_buffer first;
	struct wf_buffer second;

	if (file == NULL)
		return 0;
	wf_buffer_init(&first, WF_SPEC_BYTES);
	wf_buffer_init(&second, WF_SPEC_BYTES);
	wf_spec_write(file, &first);
	wf_spec_file_free(&file);
	file = read_text(wf_buffer_text(&first), first.length);
	wf_assert(file != NULL);
	wf_spec_write(file, &second);
	wf_spec_file_free(&file);
	wf_assert(strcmp(wf_buffer_text(&first), wf_buffer_text(&second)) == 0);
	wf_buffer_free(&first);
	wf_buffer_free(&second);
	return 0;
}
