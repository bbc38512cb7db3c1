-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- What is busy with an item beside who does it.

ALTER TABLE item ADD COLUMN busy text COLLATE "C" NOT NULL DEFAULT '';
