/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the built-in functions on atomic values. */
#include "xquery/functions/functions_priv.h"

const struct wf_function wf_atomic_functions[] = {
#define WF_FUNCTION(space, name, minimum, maximum, signature, c_name)          \
	{ space, name, minimum, maximum, signature, wf_fn_##c_name },
#include "xquery/functions/functions_atomic.def"
#undef WF_FUNCTION
};

const size_t wf_atomic_function_count =
    sizeof(wf_atomic_functions) / sizeof(wf_atomic_functions[0]);
