-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

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
