/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that is given each row once in a batch, as persistence/store.h
 * requires. Which of two writes wins differs between stores, and most stores do
 * not detect it.
 */
#ifndef WF_TESTS_UNIT_STRICT_STORE_H
#define WF_TESTS_UNIT_STRICT_STORE_H

#include "persistence/store.h"

/* From now on a batch with a duplicate key fails the test. */
void test_make_strict(struct wf_store *store);

#endif
