/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations about the whole share; private to rest/overview/. */
#ifndef WF_REST_OVERVIEW_H
#define WF_REST_OVERVIEW_H

#include "rest/rest.h"

/* What there is more of is counted so far: "at least". */
#define WF_OVERVIEW_COUNTED 10000U

#endif
