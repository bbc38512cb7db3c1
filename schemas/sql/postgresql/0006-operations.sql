-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- Steps that were made before a case was migrated to another specification.

CREATE TABLE migrated (
	part smallint NOT NULL,
	number bigint NOT NULL,
	sequence bigint NOT NULL,
	specification bigint NOT NULL,
	target bigint NOT NULL,
	PRIMARY KEY (part, number, sequence)
);
CREATE INDEX migrated_by_specification ON migrated (specification);

-- What operations on many cases did to each.

CREATE TABLE outcome (
	operation bigint NOT NULL,
	number bigint NOT NULL,
	subject text COLLATE "C" NOT NULL,
	code integer NOT NULL,
	text text COLLATE "C" NOT NULL,
	version bigint NOT NULL,
	PRIMARY KEY (operation, number, subject)
);
INSERT INTO counter (name, last) VALUES ('operation', 0);

-- Finding: what cases are found by.

CREATE TABLE term (
	part smallint NOT NULL,
	number bigint NOT NULL,
	field text COLLATE "C" NOT NULL,
	namespace_id integer NOT NULL,
	text text COLLATE "C" NOT NULL,
	PRIMARY KEY (part, number, field)
);
CREATE INDEX term_by_text ON term (namespace_id, field, text, number);
CREATE INDEX incident_open_by_code ON incident (code, number)
	WHERE dropped_at = 0;
