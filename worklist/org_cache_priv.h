/* SPDX-License-Identifier: Apache-2.0 */
/* How an organisation is stored; private to worklist/org_*.c. */
#ifndef WF_WORKLIST_ORG_CACHE_PRIV_H
#define WF_WORKLIST_ORG_CACHE_PRIV_H

#include "worklist/org_cache.h"

/*
 * The records of this kind are called "WORD/ID", with their JSON as value, and
 * the head is called "".
 */
#define WF_ORG_RECORD_KIND "organisation"
#define WF_ORG_HEAD ""

#endif
