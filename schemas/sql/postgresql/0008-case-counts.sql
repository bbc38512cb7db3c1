-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- How many cases of a specification stand in each state.  A step that does not
-- change the status leaves the index alone.

CREATE INDEX cases_by_status ON cases (namespace_id, specification, status);
CREATE INDEX ended_by_status ON ended (namespace_id, specification, status);
