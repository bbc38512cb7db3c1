-- SPDX-License-Identifier: Apache-2.0
-- Everything that Weft keeps in PostgreSQL.  Columns are described in
-- persistence/rows.h.  Tables of cases begin with the part of the case, so
-- that they can be distributed.  Texts are compared bytewise.  Columns that a
-- step changes stand in no index and, in cases, beside each other, so that
-- updates are heap-only and short in the write-ahead log; pages of tables
-- that are updated have room for it.

CREATE TABLE store (
	name text COLLATE "C" PRIMARY KEY,
	value text NOT NULL
);

-- The last number given out; retirements: how many there have been.
CREATE TABLE counter (
	name text COLLATE "C" PRIMARY KEY,
	last bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO counter (name, last) VALUES
	('case', 0), ('incident', 0), ('message', 0), ('engine', 0),
	('change', 0), ('retirements', 0);

-- The last row of the stream of history that is no longer held.
CREATE TABLE retired (
	position bigint NOT NULL,
	number bigint NOT NULL,
	sequence bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO retired (position, number, sequence) VALUES (0, 0, 0);

-- Names stay in use for ever.
CREATE TABLE name (
	namespace_id integer NOT NULL,
	name text COLLATE "C" NOT NULL,
	number bigint NOT NULL,
	PRIMARY KEY (namespace_id, name)
);

-- position: of its last row of history.
CREATE TABLE cases (
	part smallint NOT NULL,
	namespace_id integer NOT NULL,
	number bigint NOT NULL,
	specification bigint NOT NULL,
	launched_at bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	owner text COLLATE "C" NOT NULL,
	extra bytea,
	version bigint NOT NULL,
	snapshot_version bigint NOT NULL,
	position bigint NOT NULL,
	messages bigint NOT NULL,
	changed_at bigint NOT NULL,
	status integer NOT NULL,
	set_aside boolean NOT NULL,
	snapshot bytea,
	PRIMARY KEY (part, number)
) WITH (fillfactor = 50);
CREATE INDEX cases_by_number ON cases (number);
CREATE INDEX cases_by_specification ON cases (specification, number);
CREATE INDEX cases_set_aside ON cases (number) WHERE set_aside;

-- States, for the questions that all databases are asked (verify.def).
CREATE VIEW snapshot AS
	SELECT number, snapshot AS bytes FROM cases WHERE snapshot IS NOT NULL;

CREATE TABLE ended (
	part smallint NOT NULL,
	namespace_id integer NOT NULL,
	number bigint NOT NULL,
	specification bigint NOT NULL,
	launched_at bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	owner text COLLATE "C" NOT NULL,
	extra bytea,
	version bigint NOT NULL,
	snapshot_version bigint NOT NULL,
	messages bigint NOT NULL,
	changed_at bigint NOT NULL,
	status integer NOT NULL,
	set_aside boolean NOT NULL,
	PRIMARY KEY (part, number)
);
CREATE INDEX ended_by_number ON ended (number);
CREATE INDEX ended_by_specification ON ended (specification, number);
CREATE INDEX ended_by_time ON ended (changed_at);

-- month: that of the launch of the case, counted from January 1970.  The
-- store makes the partition of a month before it begins; what finds none,
-- such as the cases of a simulated past, goes to the last one.
CREATE TABLE history (
	part smallint NOT NULL,
	month smallint NOT NULL,
	namespace_id integer NOT NULL,
	number bigint NOT NULL,
	sequence bigint NOT NULL,
	position bigint NOT NULL,
	specification bigint NOT NULL,
	at bigint NOT NULL,
	format integer NOT NULL,
	actor text COLLATE "C" NOT NULL,
	origin text COLLATE "C" NOT NULL,
	command text COLLATE "C" NOT NULL,
	events bytea,
	PRIMARY KEY (part, month, number, sequence)
) PARTITION BY LIST (month);
CREATE INDEX history_by_position ON history (position);
CREATE TABLE history_other PARTITION OF history DEFAULT;

CREATE TABLE value (
	part smallint NOT NULL,
	value integer NOT NULL,
	number bigint NOT NULL,
	text bytea,
	PRIMARY KEY (part, number, value)
);

CREATE TABLE item (
	part smallint NOT NULL,
	namespace_id integer NOT NULL,
	number bigint NOT NULL,
	specification bigint NOT NULL,
	enabled_at bigint NOT NULL,
	fired_at bigint NOT NULL,
	started_at bigint NOT NULL,
	status integer NOT NULL,
	choice integer NOT NULL,
	id text COLLATE "C" NOT NULL,
	task text COLLATE "C" NOT NULL,
	service text COLLATE "C" NOT NULL,
	lease_owner text COLLATE "C" NOT NULL DEFAULT '',
	resource_status text COLLATE "C" NOT NULL DEFAULT '',
	participant text COLLATE "C" NOT NULL DEFAULT '',
	lease_until bigint NOT NULL DEFAULT 0,
	fence bigint NOT NULL DEFAULT 0,
	not_before bigint NOT NULL DEFAULT 0,
	attempt integer NOT NULL DEFAULT 0,
	PRIMARY KEY (part, number, id)
) WITH (fillfactor = 80);
CREATE INDEX item_by_service ON item (service, enabled_at);
CREATE INDEX item_by_lease ON item (lease_until) WHERE lease_until > 0;

-- visible_at: it can be claimed from then on.
CREATE TABLE due (
	part smallint NOT NULL,
	namespace_id integer NOT NULL,
	number bigint NOT NULL,
	at bigint NOT NULL,
	visible_at bigint NOT NULL,
	kind integer NOT NULL,
	attempts integer NOT NULL,
	name text COLLATE "C" NOT NULL,
	payload bytea,
	PRIMARY KEY (part, number, name)
);
CREATE INDEX due_by_time ON due (visible_at);

CREATE TABLE message (
	part smallint NOT NULL,
	namespace_id integer NOT NULL,
	number bigint NOT NULL,
	message bigint NOT NULL,
	at bigint NOT NULL,
	visible_at bigint NOT NULL,
	kind integer NOT NULL,
	attempts integer NOT NULL,
	destination text COLLATE "C" NOT NULL,
	subject text COLLATE "C" NOT NULL,
	payload bytea,
	PRIMARY KEY (part, number, message)
);
CREATE INDEX message_by_time ON message (visible_at);
CREATE INDEX message_by_destination ON message (destination, visible_at);

CREATE TABLE answer (
	request bigint NOT NULL,
	number bigint NOT NULL,
	sequence bigint NOT NULL,
	at bigint NOT NULL,
	code integer NOT NULL,
	id text COLLATE "C" NOT NULL,
	body bytea,
	PRIMARY KEY (id)
);
CREATE INDEX answer_by_time ON answer USING brin (at)
	WITH (autosummarize = on);

CREATE TABLE incident (
	id bigint PRIMARY KEY,
	number bigint NOT NULL,
	namespace_id integer NOT NULL,
	attempts integer NOT NULL,
	first_at bigint NOT NULL,
	last_at bigint NOT NULL,
	dropped_at bigint NOT NULL,
	kind integer NOT NULL,
	item text COLLATE "C" NOT NULL,
	code text COLLATE "C" NOT NULL,
	text text COLLATE "C" NOT NULL,
	dropped_by text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	payload bytea
);
CREATE INDEX incident_by_case ON incident (number);

CREATE TABLE specification (
	namespace_id integer NOT NULL,
	key bigint NOT NULL,
	identifier text COLLATE "C" NOT NULL,
	version text COLLATE "C" NOT NULL,
	uri text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	loaded_at bigint NOT NULL,
	source bytea,
	numbering bytea,
	removed boolean NOT NULL,
	change bigint NOT NULL,
	PRIMARY KEY (namespace_id, key)
);
CREATE INDEX specification_by_change ON specification (change);

CREATE TABLE record (
	namespace_id integer NOT NULL,
	kind text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	value bytea,
	change bigint NOT NULL,
	PRIMARY KEY (kind, namespace_id, name)
);

-- The fence of a batch: all cases were written, or none is.
CREATE FUNCTION check_written(written bigint, expected bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF written <> expected THEN
		RAISE EXCEPTION 'a version is not the expected one'
			USING ERRCODE = 'WF001';
	END IF;
END $$;

-- What is added to the id of a transaction to get a position.  In another
-- server than before, ids begin anew: positions go on behind the last one.
CREATE FUNCTION position_base() RETURNS bigint LANGUAGE plpgsql AS $$
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
			(SELECT max(position) FROM retired)) INTO base;
		DELETE FROM store WHERE name IN ('server', 'position_base');
		INSERT INTO store (name, value)
			VALUES ('server', here), ('position_base', base);
	END IF;
	RETURN base;
END $$;

-- As they are called they are in order, and before history_other.
CREATE FUNCTION month_name(month integer) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
	SELECT format('history_%s_%s', 1970 + month / 12,
		to_char(month % 12 + 1, 'FM00'))
$$;

-- The partition of a month, unless it is there, or rows of that month are
-- with the others, or that would take long.
CREATE FUNCTION make_month(wanted integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
DECLARE
	name text := month_name(wanted);
BEGIN
	IF to_regclass(name) IS NOT NULL THEN
		RETURN;
	END IF;
	LOCK TABLE counter IN SHARE UPDATE EXCLUSIVE MODE;
	IF to_regclass(name) IS NOT NULL OR EXISTS
		(SELECT FROM history_other h WHERE h.month = wanted) THEN
		RETURN;
	END IF;
	EXECUTE format('CREATE TABLE %I (LIKE history INCLUDING ALL)', name);
	EXECUTE format('ALTER TABLE history ATTACH PARTITION %I FOR VALUES IN (%s)',
		name, wanted);
END $$;

-- Drops the partitions of months before that are empty.  It waits for batches
-- and they wait for it, so not for long; checking twice takes no time.
CREATE FUNCTION drop_months(before integer) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
DECLARE
	month regclass;
	is_empty boolean;
BEGIN
	FOR month IN SELECT c.oid FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'history'::regclass
		AND c.relname < month_name(before)
	LOOP
		FOR look IN 1..2 LOOP
			EXECUTE format('SELECT NOT EXISTS (SELECT FROM %s)', month)
				INTO is_empty;
			EXIT WHEN NOT is_empty;
			LOCK TABLE ONLY history IN ACCESS EXCLUSIVE MODE;
		END LOOP;
		IF is_empty THEN
			EXECUTE format('DROP TABLE %s', month);
		END IF;
	END LOOP;
END $$;
