/* SPDX-License-Identifier: Apache-2.0 */
/* Which built-in services there are. */
#ifndef WF_WORK_BUILT_IN_H
#define WF_WORK_BUILT_IN_H

#include <stdbool.h>

/* Whether a URI such as "weft:echo" or "weft:http/prices" names one of them. */
bool wf_built_in_has(const char *uri);

#endif
