-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- The cases that a participant has started or worked on.

CREATE TABLE involved (
	part smallint NOT NULL,
	number bigint NOT NULL,
	participant text COLLATE "C" NOT NULL,
	PRIMARY KEY (participant, number)
);
CREATE INDEX involved_by_case ON involved (part, number);
-- Who has an item now; what is past is in no row.
INSERT INTO involved (part, number, participant)
SELECT DISTINCT part, number, substr(queue, 3) FROM item
WHERE queue LIKE 'P:%' AND assignment >= 3;

-- Comments on cases.

CREATE TABLE comment (
	number bigint NOT NULL,
	id bigint NOT NULL,
	at bigint NOT NULL,
	author text COLLATE "C" NOT NULL,
	text text COLLATE "C" NOT NULL,
	PRIMARY KEY (number, id)
);
INSERT INTO counter (name, last) VALUES ('comment', 0);
