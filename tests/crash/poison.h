/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One bad case among 64: a failing assertion, a store that rejects it, a
 * command that kills its engine. It is quarantined, the others go on.
 */
#ifndef WF_TESTS_CRASH_POISON_H
#define WF_TESTS_CRASH_POISON_H

/*
 * url: a new store, which this function owns; returns the number of complaints.
 */
unsigned crash_poison(const char *url, const char *mix);

#endif
