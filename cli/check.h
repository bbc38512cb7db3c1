/* SPDX-License-Identifier: Apache-2.0 */
/* What a valid specification may ask for that Weft cannot do yet. */
#ifndef WF_CLI_CHECK_H
#define WF_CLI_CHECK_H

#include "base/diagnostics.h"
#include "spec/spec.h"

/*
 * Adds an error for each OR-join in a net that is used; true when there is
 * none.
 */
bool wf_check_supported(
    const struct wf_spec_file *file, struct wf_diagnostics *diagnostics);

#endif
