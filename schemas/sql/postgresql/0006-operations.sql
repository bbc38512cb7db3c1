-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

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
