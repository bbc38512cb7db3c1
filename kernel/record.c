/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of one case, and the checks that it allows.
 *
 * Large values are returned as new copies, so that a rebuilt case shares
 * nothing with the case that it is compared with.
 */
#include "kernel/record.h"

#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

#define RECORD_BYTES ((size_t)1 << 30)

void wf_record_init(struct wf_record *record, const struct wf_spec *spec,
    const struct wf_limits *limits)
{
	memset(record, 0, sizeof(*record));
	record->spec = spec;
	record->limits = limits;
	wf_buffer_init(&record->events, RECORD_BYTES);
}

void wf_record_free(struct wf_record *record)
{
	for (size_t i = 0; i < record->value_capacity; i++)
		wf_free(record->values[i]);
	wf_free(record->values);
	wf_free(record->steps);
	wf_buffer_free(&record->events);
	wf_case_free(&record->replayed);
	wf_record_init(record, record->spec, record->limits);
}

static void make_room(struct wf_record *record, uint32_t number)
{
	size_t capacity = record->value_capacity;

	if (number < capacity)
		return;
	record->value_capacity = ((size_t)number + 1) * 2;
	record->values = wf_realloc(
	    record->values, record->value_capacity * sizeof(*record->values));
	memset(record->values + capacity, 0,
	    (record->value_capacity - capacity) * sizeof(*record->values));
}

static void keep_value(struct wf_record *record, const struct wf_value *value)
{
	wf_assert(value->number != 0); /* steps list numbered values only */
	make_room(record, value->number);
	record->values[value->number] =
	    wf_strndup(wf_value_text(value), value->length);
}

void wf_record_add(
    struct wf_record *record, const struct wf_step *step, int64_t now)
{
	if (record->step_count == record->step_capacity) {
		record->step_capacity = record->step_capacity * 2 + 8;
		record->steps = wf_realloc(record->steps,
		    record->step_capacity * sizeof(*record->steps));
	}
	wf_assert(step->magic == WF_STEP_MAGIC);
	wf_buffer_append(
	    &record->events, step->events.data, step->events.length);
	record->steps[record->step_count++] =
	    (struct wf_record_step){ now, record->events.length };
	for (size_t i = 0; i < step->large_count; i++)
		keep_value(record, step->large[i]);
}

static enum wf_rc fetch(void *context, uint32_t number,
    struct wf_value **value_out, struct wf_error *err)
{
	const struct wf_record *record = context;
	const char *text = NULL;

	if (number < record->value_capacity)
		text = record->values[number];
	if (text == NULL)
		return wf_fail(err, WF_CORRUPT, "there is no large value %u",
		    (unsigned)number);
	return wf_value_from_canonical(value_out, text, strlen(text), err);
}

/* Replays the steps from number first to the last. */
static enum wf_rc replay(const struct wf_record *record, size_t first,
    struct wf_case **instance, struct wf_error *err)
{
	struct wf_value_source source = { (void *)record, fetch };
	size_t start = first == 0 ? 0 : record->steps[first - 1].end;
	enum wf_rc rc = WF_OK;

	if (record->events.full)
		return wf_fail(err, WF_LIMIT, "the record is too large");
	for (size_t i = first; i < record->step_count && rc == WF_OK; i++) {
		const struct wf_record_step *step = &record->steps[i];

		wf_assert(start <= step->end);
		wf_assert(step->end <= record->events.length);
		rc = wf_case_replay(instance, record->spec, record->limits,
		    step->now, record->events.data + start, step->end - start,
		    &source, err);
		start = step->end;
	}
	return rc;
}

enum wf_rc wf_record_rebuild(const struct wf_record *record,
    struct wf_case **case_out, struct wf_error *err)
{
	enum wf_rc rc;

	*case_out = NULL;
	rc = replay(record, 0, case_out, err);
	if (rc != WF_OK)
		wf_case_free(case_out);
	return rc;
}

/* WF_BUG unless the encoding of instance equals these bytes. */
static enum wf_rc compare(const struct wf_case *instance,
    const struct wf_buffer *bytes, const char *what, struct wf_error *err)
{
	struct wf_buffer other;
	enum wf_rc rc;

	wf_buffer_init(&other, bytes->maximum);
	rc = wf_case_encode(instance, &other, err);
	if (rc == WF_OK &&
	    (other.length != bytes->length ||
		memcmp(other.data, bytes->data, bytes->length) != 0))
		rc = wf_fail(err, WF_BUG, "%s gives other bytes", what);
	wf_buffer_free(&other);
	return rc;
}

static enum wf_rc prove_bytes(struct wf_record *record,
    const struct wf_buffer *bytes, struct wf_case **decoded_out,
    struct wf_error *err)
{
	struct wf_value_source source = { (void *)record, fetch };
	enum wf_rc rc;

	wf_assert(record->replayed_count <= record->step_count);
	rc = wf_case_decode(decoded_out, record->spec, record->limits,
	    bytes->data, bytes->length, &source, err);
	if (rc == WF_OK)
		rc = compare(*decoded_out, bytes, "the decoded case", err);
	if (rc == WF_OK)
		rc = wf_case_check(*decoded_out, err);
	if (rc == WF_OK)
		rc = replay(
		    record, record->replayed_count, &record->replayed, err);
	record->replayed_count = record->step_count;
	if (rc == WF_OK)
		rc = compare(
		    record->replayed, bytes, "replaying the events", err);
	return rc;
}

enum wf_rc wf_record_prove(struct wf_record *record,
    const struct wf_case *instance, struct wf_case **decoded_out,
    struct wf_error *err)
{
	struct wf_buffer bytes;
	enum wf_rc rc;

	*decoded_out = NULL;
	wf_buffer_init(&bytes, RECORD_BYTES);
	rc = wf_case_check(instance, err);
	if (rc == WF_OK)
		rc = wf_case_encode(instance, &bytes, err);
	if (rc == WF_OK)
		rc = prove_bytes(record, &bytes, decoded_out, err);
	if (rc != WF_OK)
		wf_case_free(decoded_out);
	wf_buffer_free(&bytes);
	return rc;
}

uint32_t wf_case_checksum(const struct wf_buffer *bytes)
{
	uint32_t sum = 0;

	wf_assert(bytes->length >= 4);
	for (size_t i = 0; i < 4; i++)
		sum |=
		    (uint32_t)(unsigned char)bytes->data[bytes->length - 4 + i]
		    << (8 * i);
	return sum;
}
