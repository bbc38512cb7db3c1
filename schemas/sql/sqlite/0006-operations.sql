-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

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
CREATE INDEX ended_by_age ON ended (specification, changed_at);
