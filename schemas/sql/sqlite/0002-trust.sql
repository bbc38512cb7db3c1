-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

ALTER TABLE item ADD COLUMN last_answer TEXT NOT NULL DEFAULT '';

-- Whether a case has an open incident, also behind many dropped ones.
CREATE INDEX incident_open ON incident (number) WHERE dropped_at = 0;
