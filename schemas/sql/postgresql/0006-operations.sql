-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

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
CREATE INDEX ended_by_age ON ended (specification, changed_at);

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
