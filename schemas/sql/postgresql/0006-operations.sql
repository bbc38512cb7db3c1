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
