-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- What is busy with an item beside who does it.

ALTER TABLE item ADD COLUMN busy text COLLATE "C" NOT NULL DEFAULT '';
-- Sessions, and the audit of sign-ins and administrative acts.

CREATE TABLE session (
	key text COLLATE "C" PRIMARY KEY,
	account text COLLATE "C" NOT NULL,
	epoch bigint NOT NULL,
	token text COLLATE "C" NOT NULL,
	method text COLLATE "C" NOT NULL,
	address text COLLATE "C" NOT NULL,
	opened_at bigint NOT NULL,
	used_at bigint NOT NULL,
	ends_at bigint NOT NULL
);
CREATE INDEX session_by_account ON session (account, used_at);
CREATE INDEX session_by_end ON session (ends_at);
CREATE TABLE audit (
	id bigint PRIMARY KEY,
	at bigint NOT NULL,
	namespace_id integer NOT NULL,
	account text COLLATE "C" NOT NULL,
	address text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	subject text COLLATE "C" NOT NULL,
	result text COLLATE "C" NOT NULL,
	detail text COLLATE "C" NOT NULL
);
CREATE INDEX audit_by_account ON audit (account, id);
CREATE INDEX audit_by_kind ON audit (kind, id);
CREATE INDEX audit_by_time ON audit (at);
INSERT INTO counter (name, last) VALUES ('audit', 0);
