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
CREATE INDEX outcome_by_number ON outcome (number);
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
-- The first one of each case.
CREATE INDEX incident_open_by_case ON incident (number, id)
	WHERE dropped_at = 0;

-- Retention: what is left of erased cases, and ended ones by process and time.

CREATE TABLE erased (
	part smallint NOT NULL,
	number bigint NOT NULL,
	namespace_id integer NOT NULL,
	name text COLLATE "C" NOT NULL,
	specification bigint NOT NULL,
	at bigint NOT NULL,
	actor text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	PRIMARY KEY (part, number)
);
CREATE INDEX ended_by_age ON ended (specification, changed_at, number);

-- Traces: what asked for the step that changed an item last.

ALTER TABLE item ADD COLUMN trace text COLLATE "C" NOT NULL DEFAULT '';

-- As before, and above the positions of erased cases.
CREATE OR REPLACE FUNCTION position_base() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	here text := (SELECT system_identifier FROM pg_control_system());
	base bigint;
BEGIN
	SELECT s.value INTO base FROM store s, store b
		WHERE s.name = 'position_base' AND b.name = 'server'
		AND b.value = here;
	IF FOUND THEN
		RETURN base;
	END IF;
	LOCK TABLE store IN EXCLUSIVE MODE;
	SELECT s.value INTO base FROM store s, store b
		WHERE s.name = 'position_base' AND b.name = 'server'
		AND b.value = here;
	IF NOT FOUND THEN
		SELECT greatest((SELECT max(position) FROM history),
			(SELECT max(position) FROM retired),
			(SELECT max(position) FROM erased)) INTO base;
		DELETE FROM store WHERE name IN ('server', 'position_base');
		INSERT INTO store (name, value)
			VALUES ('server', here), ('position_base', base);
	END IF;
	RETURN base;
END $$;

-- Statistics: events counted by hour, and how far they are counted.

CREATE TABLE statistic (
	namespace_id integer NOT NULL,
	specification bigint NOT NULL,
	hour bigint NOT NULL,
	measure integer NOT NULL,
	net text COLLATE "C" NOT NULL,
	element text COLLATE "C" NOT NULL,
	detail text COLLATE "C" NOT NULL,
	count bigint NOT NULL,
	times bytea,
	PRIMARY KEY (namespace_id, specification, measure, hour, net, element, detail)
);
CREATE INDEX statistic_by_hour ON statistic (hour);
CREATE TABLE fold (
	name text COLLATE "C" PRIMARY KEY,
	change bigint NOT NULL,
	position bigint NOT NULL,
	case_number bigint NOT NULL,
	sequence bigint NOT NULL,
	retirements bigint NOT NULL,
	owner text COLLATE "C" NOT NULL,
	until bigint NOT NULL
);
