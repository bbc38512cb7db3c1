-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- Steps that were made before a case was migrated to another specification.

CREATE TABLE migrated (
	number INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	specification INTEGER NOT NULL,
	target INTEGER NOT NULL,
	PRIMARY KEY (number, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX migrated_by_specification ON migrated (specification);
-- History as it is read: with what its case said then.
CREATE VIEW steps_made AS
	SELECT h.*,
		coalesce(c.namespace_id, e.namespace_id, 0) AS namespace_id,
		coalesce((SELECT m.specification FROM migrated m
			WHERE m.number = h.number AND m.sequence > h.sequence
			ORDER BY m.sequence LIMIT 1),
			c.specification, e.specification, 0) AS specification
	FROM history h
	LEFT JOIN cases c ON c.number = h.number
	LEFT JOIN ended e ON e.number = h.number;

-- What operations on many cases did to each.

CREATE TABLE outcome (
	operation INTEGER NOT NULL,
	number INTEGER NOT NULL,
	subject TEXT NOT NULL,
	code INTEGER NOT NULL,
	text TEXT NOT NULL,
	version INTEGER NOT NULL,
	PRIMARY KEY (operation, number, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX outcome_by_number ON outcome (number);
INSERT INTO counter (name, last) VALUES ('operation', 0);

-- Finding: what cases are found by.

CREATE TABLE term (
	number INTEGER NOT NULL,
	field TEXT NOT NULL,
	namespace_id INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (number, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX term_by_text ON term (namespace_id, field, text, number);
CREATE INDEX incident_open_by_code ON incident (code, number)
	WHERE dropped_at = 0;

-- Retention: what is left of erased cases, and ended ones by process and time.

CREATE TABLE erased (
	number INTEGER PRIMARY KEY,
	namespace_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	specification INTEGER NOT NULL,
	at INTEGER NOT NULL,
	actor TEXT NOT NULL,
	reason TEXT NOT NULL,
	position INTEGER NOT NULL
) STRICT;
CREATE INDEX erased_by_position ON erased (position);
CREATE INDEX ended_by_age ON ended (specification, changed_at, number);

-- Statistics: events counted by hour, and how far they are counted.

CREATE TABLE statistic (
	namespace_id INTEGER NOT NULL,
	specification INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	measure INTEGER NOT NULL,
	net TEXT NOT NULL,
	element TEXT NOT NULL,
	detail TEXT NOT NULL,
	count INTEGER NOT NULL,
	times BLOB,
	PRIMARY KEY (namespace_id, specification, measure, hour, net, element, detail)
) STRICT, WITHOUT ROWID;
CREATE INDEX statistic_by_hour ON statistic (hour);
CREATE TABLE fold (
	name TEXT PRIMARY KEY,
	change INTEGER NOT NULL,
	position INTEGER NOT NULL,
	case_number INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	retirements INTEGER NOT NULL,
	owner TEXT NOT NULL,
	until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Traces: what asked for the step that changed an item last.

ALTER TABLE item ADD COLUMN trace TEXT NOT NULL DEFAULT '';
