/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slows down whoever guesses passwords: after a few wrong ones a name is
 * refused for a time that doubles with each further one, from the address that
 * they came from.  The same name from another address is not affected.  After
 * many wrong ones, of whichever names, the address is refused in the same way;
 * a correct one does not change that, as who guesses may know one.
 *
 *   no row ──failed──► free tries ──failed──► refused until ──time──┐
 *     ▲                     │                     ▲               tries once
 *     └──passed, or quiet───┴─────────────────────┴──failed────────┘
 *
 * The tables have a fixed size; the row that has failed least makes room.
 */
#ifndef WF_IDENTITY_SIGN_IN_H
#define WF_IDENTITY_SIGN_IN_H

#include <stdint.h>

struct wf_sign_ins; /* opaque; safe for all threads */

struct wf_sign_ins *wf_sign_ins_new(void);
void wf_sign_ins_free(struct wf_sign_ins **sign_ins);

/* Who signs in: a hash of the name and the address, for the calls below. */
uint64_t wf_sign_in_key(const char *name, const char *address);
/*
 * A hash of an address; of IPv6 only of its network (/64), which belongs to one
 * customer.
 */
uint64_t wf_sign_in_address(const char *address);

/*
 * How many seconds it is refused; 0: it may try.  now: wf_monotonic_ms(), as
 * below.
 */
unsigned wf_sign_in_wait(
    struct wf_sign_ins *sign_ins, uint64_t key, int64_t now);
void wf_sign_in_failed(struct wf_sign_ins *sign_ins, uint64_t key, int64_t now);
void wf_sign_in_passed(struct wf_sign_ins *sign_ins, uint64_t key);

/* The same for an address, whatever the names; address: its hash, as above. */
unsigned wf_sign_in_address_wait(
    struct wf_sign_ins *sign_ins, uint64_t address, int64_t now);
void wf_sign_in_address_failed(
    struct wf_sign_ins *sign_ins, uint64_t address, int64_t now);

#endif
