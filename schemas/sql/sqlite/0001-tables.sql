-- SPDX-License-Identifier: Apache-2.0
-- Everything that Weft keeps in SQLite.  Columns are described in
-- persistence/rows.h.  There is one node only, so no table has a part.

CREATE TABLE store (
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last number given out; retired: the last position no longer held;
-- retirements: how many there have been.
CREATE TABLE counter (
	name TEXT PRIMARY KEY,
	last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, last) VALUES
	('case', 0), ('incident', 0), ('message', 0), ('engine', 0),
	('change', 0), ('retired', 0), ('retirements', 0);

-- Names stay in use for ever.
CREATE TABLE name (
	namespace_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	number INTEGER NOT NULL,
	PRIMARY KEY (namespace_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE cases (
	number INTEGER PRIMARY KEY,
	namespace_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	specification INTEGER NOT NULL,
	title TEXT NOT NULL,
	owner TEXT NOT NULL,
	extra BLOB,
	launched_at INTEGER NOT NULL,
	version INTEGER NOT NULL,
	snapshot_version INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	status INTEGER NOT NULL,
	changed_at INTEGER NOT NULL,
	set_aside INTEGER NOT NULL
) STRICT;
CREATE INDEX cases_by_specification ON cases (specification, number);

-- Beside the case, because most steps do not write it when it is large.
CREATE TABLE snapshot (
	number INTEGER PRIMARY KEY,
	bytes BLOB NOT NULL
) STRICT;

CREATE TABLE ended (
	number INTEGER PRIMARY KEY,
	namespace_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	specification INTEGER NOT NULL,
	title TEXT NOT NULL,
	owner TEXT NOT NULL,
	extra BLOB,
	launched_at INTEGER NOT NULL,
	version INTEGER NOT NULL,
	snapshot_version INTEGER NOT NULL,
	messages INTEGER NOT NULL,
	status INTEGER NOT NULL,
	changed_at INTEGER NOT NULL,
	set_aside INTEGER NOT NULL
) STRICT;
CREATE INDEX ended_by_specification ON ended (specification, number);
CREATE INDEX ended_by_time ON ended (changed_at);

CREATE TABLE history (
	position INTEGER PRIMARY KEY,
	number INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	at INTEGER NOT NULL,
	actor TEXT NOT NULL,
	origin TEXT NOT NULL,
	format INTEGER NOT NULL,
	command TEXT NOT NULL,
	events BLOB
) STRICT;
CREATE UNIQUE INDEX history_by_case ON history (number, sequence);

-- History as it is read: with what its case says.
CREATE VIEW steps AS
	SELECT h.*,
		coalesce(c.namespace_id, e.namespace_id, 0) AS namespace_id,
		coalesce(c.specification, e.specification, 0) AS specification
	FROM history h
	LEFT JOIN cases c ON c.number = h.number
	LEFT JOIN ended e ON e.number = h.number;

CREATE TABLE value (
	number INTEGER NOT NULL,
	value INTEGER NOT NULL,
	text BLOB,
	PRIMARY KEY (number, value)
) STRICT;

CREATE TABLE item (
	number INTEGER NOT NULL,
	id TEXT NOT NULL,
	namespace_id INTEGER NOT NULL,
	specification INTEGER NOT NULL,
	task TEXT NOT NULL,
	service TEXT NOT NULL,
	status INTEGER NOT NULL,
	choice INTEGER NOT NULL,
	enabled_at INTEGER NOT NULL,
	fired_at INTEGER NOT NULL,
	started_at INTEGER NOT NULL,
	lease_owner TEXT NOT NULL DEFAULT '',
	lease_until INTEGER NOT NULL DEFAULT 0,
	fence INTEGER NOT NULL DEFAULT 0,
	attempt INTEGER NOT NULL DEFAULT 0,
	not_before INTEGER NOT NULL DEFAULT 0,
	resource_status TEXT NOT NULL DEFAULT '',
	participant TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (number, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_by_service ON item (service, enabled_at);
CREATE INDEX item_by_lease ON item (lease_until) WHERE lease_until > 0;

-- visible_at: it can be claimed from then on.
CREATE TABLE due (
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	namespace_id INTEGER NOT NULL,
	at INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	payload BLOB,
	attempts INTEGER NOT NULL,
	visible_at INTEGER NOT NULL,
	PRIMARY KEY (number, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX due_by_time ON due (visible_at);

CREATE TABLE message (
	number INTEGER NOT NULL,
	message INTEGER NOT NULL,
	namespace_id INTEGER NOT NULL,
	destination TEXT NOT NULL,
	subject TEXT NOT NULL,
	kind INTEGER NOT NULL,
	at INTEGER NOT NULL,
	payload BLOB,
	attempts INTEGER NOT NULL,
	visible_at INTEGER NOT NULL,
	PRIMARY KEY (number, message)
) STRICT;
CREATE INDEX message_by_time ON message (visible_at);
CREATE INDEX message_by_destination ON message (destination, visible_at);

CREATE TABLE answer (
	id TEXT PRIMARY KEY,
	request INTEGER NOT NULL,
	number INTEGER NOT NULL,
	sequence INTEGER NOT NULL,
	at INTEGER NOT NULL,
	code INTEGER NOT NULL,
	body BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_by_time ON answer (at);

CREATE TABLE incident (
	id INTEGER PRIMARY KEY,
	namespace_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	item TEXT NOT NULL,
	code TEXT NOT NULL,
	text TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	first_at INTEGER NOT NULL,
	last_at INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	payload BLOB,
	dropped_at INTEGER NOT NULL,
	dropped_by TEXT NOT NULL,
	reason TEXT NOT NULL
) STRICT;
CREATE INDEX incident_by_case ON incident (number);

CREATE TABLE specification (
	namespace_id INTEGER NOT NULL,
	key INTEGER NOT NULL,
	identifier TEXT NOT NULL,
	version TEXT NOT NULL,
	uri TEXT NOT NULL,
	title TEXT NOT NULL,
	loaded_at INTEGER NOT NULL,
	source BLOB,
	numbering BLOB,
	removed INTEGER NOT NULL,
	change INTEGER NOT NULL,
	PRIMARY KEY (namespace_id, key)
) STRICT;
CREATE INDEX specification_by_change ON specification (change);

CREATE TABLE record (
	namespace_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	name TEXT NOT NULL,
	value BLOB,
	change INTEGER NOT NULL,
	PRIMARY KEY (kind, namespace_id, name)
) STRICT, WITHOUT ROWID;
