/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of small buckets, each of which is searched whole. */
#include "identity/sign_in.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/codec.h"
#include "base/memory.h"
#include "base/panic.h"

#define BUCKETS 1024U
#define BUCKET_ROWS 8U
#define FIRST_DELAY_MS INT64_C(1000)
/* A row without a failure for this time is forgotten. */
#define KEPT_MS INT64_C(900000)
/* In the key of names that a directory may take for others. */
#define SHARED (UINT64_C(1) << 63)

struct row {
	uint64_t key;
	unsigned failures; /* 0: the row is free */
	int64_t failed_at; /* the last one */
};

struct table {
	unsigned free_tries; /* wrong passwords before the first delay */
	int64_t last_delay_ms;
	struct row rows[BUCKETS][BUCKET_ROWS];
};

struct wf_sign_ins {
	pthread_mutex_t lock; /* of the rows */
	struct table names;
	/* Many people may have one address, so it is refused later. */
	struct table addresses;
};

struct wf_sign_ins *wf_sign_ins_new(void)
{
	struct wf_sign_ins *sign_ins = wf_calloc(1, sizeof(*sign_ins));

	pthread_mutex_init(&sign_ins->lock, NULL);
	sign_ins->names.free_tries = 5;
	sign_ins->names.last_delay_ms = 60000;
	sign_ins->addresses.free_tries = 50;
	sign_ins->addresses.last_delay_ms = 16000;
	return sign_ins;
}

void wf_sign_ins_free(struct wf_sign_ins **sign_ins)
{
	struct wf_sign_ins *old = *sign_ins;

	*sign_ins = NULL;
	if (old == NULL)
		return;
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

uint64_t wf_sign_in_address(const char *address)
{
	unsigned char bytes[16];

	if (inet_pton(AF_INET6, address, bytes) == 1)
		return wf_hash(0, bytes, sizeof(bytes) / 2);
	return wf_hash(0, address, strlen(address));
}

uint64_t wf_sign_in_key(const char *name, const char *address)
{
	uint64_t place = wf_sign_in_address(address);
	uint64_t key = place;

	for (; *name != '\0'; name++) {
		char c = *name;

		if (c <= ' ' || c > '~')
			return wf_hash(place, " ", 1) | SHARED;
		c = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
		key = wf_hash(key, &c, 1);
	}
	return key & ~SHARED;
}

/* The row of the key, or NULL.  The lock is held. */
static struct row *find(struct table *table, uint64_t key, int64_t now)
{
	struct row *bucket = table->rows[key % BUCKETS];

	for (size_t i = 0; i < BUCKET_ROWS; i++) {
		if (bucket[i].failures > 0 &&
		    now - bucket[i].failed_at >= KEPT_MS)
			bucket[i].failures = 0;
		if (bucket[i].failures > 0 && bucket[i].key == key)
			return &bucket[i];
	}
	return NULL;
}

/* A free row, or the one with the fewest failures. */
static struct row *make_row(struct table *table, uint64_t key)
{
	struct row *bucket = table->rows[key % BUCKETS];
	struct row *least = &bucket[0];

	for (size_t i = 1; i < BUCKET_ROWS; i++)
		if (bucket[i].failures < least->failures)
			least = &bucket[i];
	least->key = key;
	least->failures = 0;
	return least;
}

static int64_t delay(const struct table *table, unsigned failures)
{
	int64_t time = FIRST_DELAY_MS;
	int64_t last = table->last_delay_ms;

	if (failures < table->free_tries)
		return 0;
	while (failures-- > table->free_tries && time < last)
		time *= 2;
	return time < last ? time : last;
}

static unsigned wait_in(struct wf_sign_ins *sign_ins, struct table *table,
    uint64_t key, int64_t now)
{
	const struct row *row;
	int64_t until = now;

	pthread_mutex_lock(&sign_ins->lock);
	row = find(table, key, now);
	/* Another thread may have read its clock later than the caller. */
	if (row != NULL && row->failed_at > now)
		now = row->failed_at;
	if (row != NULL)
		until = row->failed_at + delay(table, row->failures);
	pthread_mutex_unlock(&sign_ins->lock);
	wf_assert(until - now <= table->last_delay_ms);
	return until <= now ? 0 : (unsigned)((until - now + 999) / 1000);
}

static void fail_in(struct wf_sign_ins *sign_ins, struct table *table,
    uint64_t key, int64_t now)
{
	struct row *row;

	pthread_mutex_lock(&sign_ins->lock);
	row = find(table, key, now);
	if (row == NULL)
		row = make_row(table, key);
	wf_assert(row->key == key);
	row->failures++;
	row->failed_at = now;
	pthread_mutex_unlock(&sign_ins->lock);
}

unsigned wf_sign_in_wait(
    struct wf_sign_ins *sign_ins, uint64_t key, int64_t now)
{
	return wait_in(sign_ins, &sign_ins->names, key, now);
}

void wf_sign_in_failed(struct wf_sign_ins *sign_ins, uint64_t key, int64_t now)
{
	fail_in(sign_ins, &sign_ins->names, key, now);
}

unsigned wf_sign_in_address_wait(
    struct wf_sign_ins *sign_ins, uint64_t address, int64_t now)
{
	return wait_in(sign_ins, &sign_ins->addresses, address, now);
}

void wf_sign_in_address_failed(
    struct wf_sign_ins *sign_ins, uint64_t address, int64_t now)
{
	fail_in(sign_ins, &sign_ins->addresses, address, now);
}

void wf_sign_in_passed(struct wf_sign_ins *sign_ins, uint64_t key)
{
	struct row *bucket = sign_ins->names.rows[key % BUCKETS];

	/* Guesses at one of these names are not forgiven for another. */
	if ((key & SHARED) != 0)
		return;
	pthread_mutex_lock(&sign_ins->lock);
	for (size_t i = 0; i < BUCKET_ROWS; i++)
		if (bucket[i].key == key)
			bucket[i].failures = 0;
	pthread_mutex_unlock(&sign_ins->lock);
}
