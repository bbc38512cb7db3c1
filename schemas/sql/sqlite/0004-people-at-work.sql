-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- What is busy with an item beside who does it.

ALTER TABLE item ADD COLUMN busy TEXT NOT NULL DEFAULT '';
-- Sessions, and the audit of sign-ins and administrative acts.

CREATE TABLE session (
	key TEXT PRIMARY KEY,
	account TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	token TEXT NOT NULL,
	method TEXT NOT NULL,
	address TEXT NOT NULL,
	opened_at INTEGER NOT NULL,
	used_at INTEGER NOT NULL,
	ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_account ON session (account, used_at);
CREATE INDEX session_by_end ON session (ends_at);
CREATE TABLE audit (
	id INTEGER PRIMARY KEY,
	at INTEGER NOT NULL,
	namespace_id INTEGER NOT NULL,
	account TEXT NOT NULL,
	address TEXT NOT NULL,
	kind TEXT NOT NULL,
	subject TEXT NOT NULL,
	result TEXT NOT NULL,
	detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_account ON audit (account, id);
CREATE INDEX audit_by_kind ON audit (kind, id);
CREATE INDEX audit_by_time ON audit (at);
INSERT INTO counter (name, last) VALUES ('audit', 0);
