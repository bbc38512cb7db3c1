-- SPDX-License-Identifier: Apache-2.0
-- Columns are described in persistence/rows.def.

-- Records: a node reads those that have changed since it read last.

CREATE INDEX record_by_change ON record (kind, change);
CREATE INDEX record_removed ON record (change) WHERE value IS NULL;

-- Items of people: the columns of the worklist and their indexes.  Nothing was
-- ever written to the two columns that get another name and meaning; columns
-- that are dropped would cost PostgreSQL a bitmap in each new row.  What is not
-- for people stands in none of the indexes.

ALTER TABLE item RENAME COLUMN resource_status TO queue;
ALTER TABLE item RENAME COLUMN participant TO left_out;
ALTER TABLE item ADD COLUMN assignment INTEGER NOT NULL DEFAULT 0;
ALTER TABLE item ADD COLUMN rank INTEGER NOT NULL DEFAULT 50;
ALTER TABLE item ADD COLUMN due_at INTEGER NOT NULL DEFAULT 9223372036854775807;
CREATE INDEX item_by_rank ON item (queue, rank, enabled_at, number, id)
	WHERE queue <> '';
CREATE INDEX item_by_age ON item (queue, enabled_at, number, id)
	WHERE queue <> '';
CREATE INDEX item_by_due ON item (queue, due_at, enabled_at, number, id)
	WHERE queue <> '';

-- Sessions, and the audit of sign-ins and administrative acts.


-- Documents and drafts.

ALTER TABLE item ADD COLUMN draft BLOB;
CREATE TABLE document (
	id INTEGER NOT NULL,
	version INTEGER NOT NULL,
	number INTEGER NOT NULL,
	namespace_id INTEGER NOT NULL,
	item TEXT NOT NULL,
	name TEXT NOT NULL,
	type TEXT NOT NULL,
	author TEXT NOT NULL,
	size INTEGER NOT NULL,
	at INTEGER NOT NULL,
	received INTEGER NOT NULL,
	PRIMARY KEY (id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_by_case ON document (number);
CREATE INDEX document_unfinished ON document (at) WHERE received < size;
CREATE TABLE document_block (
	id INTEGER NOT NULL,
	version INTEGER NOT NULL,
	place INTEGER NOT NULL,
	bytes BLOB,
	PRIMARY KEY (id, version, place)
) STRICT;
CREATE TRIGGER document_removed AFTER DELETE ON document BEGIN
	DELETE FROM document_block
		WHERE id = OLD.id AND version = OLD.version;
END;
INSERT INTO counter (name, last) VALUES ('document', 0);


