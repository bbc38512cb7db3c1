-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- How many cases of a specification stand in each state.  A step that does not
-- change the status leaves the index alone.  The status comes first, so that
-- nothing else is found by these indexes instead of its own.

CREATE INDEX cases_by_status ON cases (status, specification, namespace_id);
CREATE INDEX ended_by_status ON ended (status, specification, namespace_id);
