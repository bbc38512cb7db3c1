/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that is told each row once in a batch, as persistence/store.h wants
 * it.  Which of two writes would win differs between stores, and most let it
 * pass.
 */
#ifndef WF_TESTS_UNIT_STRICT_STORE_H
#define WF_TESTS_UNIT_STRICT_STORE_H

#include "persistence/store.h"

/* From now on a batch in which a key stands twice fails the test. */
void test_make_strict(struct wf_store *store);

#endif
