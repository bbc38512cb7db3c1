-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- The cases that a participant has started or worked on.

CREATE TABLE involved (
	number INTEGER NOT NULL,
	participant TEXT NOT NULL,
	PRIMARY KEY (participant, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX involved_by_case ON involved (number);
-- Who has an item now; what is past is in no row.
INSERT INTO involved (number, participant)
SELECT DISTINCT number, substr(queue, 3) FROM item
WHERE queue LIKE 'P:%' AND assignment >= 3;

-- Comments on cases.

CREATE TABLE comment (
	number INTEGER NOT NULL,
	id INTEGER NOT NULL,
	at INTEGER NOT NULL,
	author TEXT NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (number, id)
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, last) VALUES ('comment', 0);
