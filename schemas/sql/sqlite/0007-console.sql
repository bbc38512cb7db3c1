-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- What a console shows of the last attempts that an incident is about.

ALTER TABLE incident ADD COLUMN detail BLOB;

-- What waits for people, and what of it is late, whoever has it.

CREATE INDEX item_waiting ON item (namespace_id, enabled_at, number, id)
	WHERE queue <> '';
CREATE INDEX item_late ON item (namespace_id, due_at, number, id)
	WHERE queue <> '' AND due_at <> 9223372036854775807;
