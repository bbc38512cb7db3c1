-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

ALTER TABLE item ADD COLUMN last_answer text COLLATE "C" NOT NULL DEFAULT '';

-- Whether a case has an open incident, also behind many dropped ones.
CREATE INDEX incident_open ON incident (number) WHERE dropped_at = 0;

-- head: the message is the first of its stream (number, destination, subject),
-- so that a claim need not walk over those behind it.  Later ones may have it
-- as well; a claim checks.
ALTER TABLE message ADD COLUMN head boolean NOT NULL DEFAULT false;
CREATE INDEX message_by_stream
	ON message (number, destination, subject, message);
UPDATE message m SET head = true WHERE NOT EXISTS (SELECT 1 FROM message o
	WHERE o.number = m.number AND o.destination = m.destination
	AND o.subject = m.subject AND o.message < m.message);
CREATE INDEX message_by_head
	ON message (namespace_id, destination, visible_at, number, message)
	WHERE head;
DROP INDEX message_by_time;
DROP INDEX message_by_destination;

-- Workers do not walk over items that are leased, or put off, or of another
-- namespace or task.  Those that were never put off stand together, because
-- they can be claimed whatever the time is.
DROP INDEX item_by_service;
CREATE INDEX item_by_service ON item (service, namespace_id, lease_until,
	not_before, enabled_at, number, id);
CREATE INDEX item_by_task ON item (service, namespace_id, task,
	not_before, enabled_at, number, id) WHERE lease_until = 0;

-- For lists: open incidents behind many dropped ones, and the other way round.
CREATE INDEX incident_open_by_namespace ON incident (namespace_id, id)
	WHERE dropped_at = 0;
CREATE INDEX incident_dropped_by_namespace ON incident (namespace_id, id)
	WHERE dropped_at > 0;

-- The age of the oldest message.
CREATE INDEX message_by_age ON message (at);

-- Whether cases of it ran that are no longer there.
ALTER TABLE specification ADD COLUMN has_retired boolean NOT NULL DEFAULT false;
