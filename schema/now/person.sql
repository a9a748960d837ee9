-- SPDX-License-Identifier: MIT
-- People, the audiences that they are in, segments and imports.

-- People: one row for each email address in a workspace that a contact or an event has brought.
CREATE TABLE IF NOT EXISTS person (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as it was first given.
	email VARCHAR(254) NOT NULL,
	-- The form in which addresses are compared, ASCII in lower case.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The values of the properties, a JSON object.
	properties MEDIUMTEXT NOT NULL,
	-- Epoch ms of the first event; 0: none.
	first_seen BIGINT NOT NULL,
	-- Epoch ms of the latest event; 0: none.
	last_seen BIGINT NOT NULL,
	-- The name of the latest event; '' for none.
	last_event VARCHAR(100) NOT NULL,
	-- The number of events.
	event_count BIGINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- 0: the person has never entered a workflow, so that events need not look for entries or waits.
	entered TINYINT NOT NULL DEFAULT 1,
	-- The first name; NULL: unknown.
	first_name VARCHAR(100) NULL,
	-- The last name; NULL: unknown.
	last_name VARCHAR(100) NULL,
	-- 0 until the first event, from which on automation knows the person.
	seen TINYINT NOT NULL DEFAULT 1,
	-- The language tag; NULL: unknown.
	language VARCHAR(35) NULL,
	-- The name of the time zone; NULL: unknown.
	time_zone VARCHAR(64) NULL,
	-- 0: the person gets no mailings at all.
	is_subscribed TINYINT NOT NULL DEFAULT 1,
	-- 1: a request has made the person, who stays without a membership and without events.
	is_made TINYINT NOT NULL DEFAULT 0,
	-- The reason to be mailed by broadcasts to segments, see enum store_agreement; NULL: not known, and not reached.
	agreed TINYINT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY address (workspace_id,address),
	KEY seen (workspace_id,seen,id),
	KEY cohort (workspace_id,id,address,is_subscribed,agreed),
	KEY first_name (workspace_id,first_name,last_name),
	KEY last_name (workspace_id,last_name),
	KEY named (workspace_id,address,first_name,last_name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The newest event of each kind at an address; a row needs no person, and one who comes later has it.
CREATE TABLE IF NOT EXISTS person_activity (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as in person.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- Epoch ms of the newest email that was sent; 0: none.
	sent BIGINT NOT NULL,
	-- Epoch ms of the newest open by a human; 0: none.
	opened BIGINT NOT NULL,
	-- Epoch ms of the newest click by a human; 0: none.
	clicked BIGINT NOT NULL,
	-- Epoch ms of the newest bounce; 0: none.
	bounced BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Definitions of the properties of people.
CREATE TABLE IF NOT EXISTS property (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The key of the property.
	name VARCHAR(50) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- See enum store_property_type.
	type TINYINT NOT NULL,
	-- The default, JSON; NULL: none.
	value TEXT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Audiences.
CREATE TABLE IF NOT EXISTS audience (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The owner of the key that created it; NULL: an operator. -> user
	user_id BINARY(16) NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- 1: who joins waits until the person confirms it.
	opt_in TINYINT NOT NULL DEFAULT 0,
	-- The template of the mail that asks to confirm; NULL: the built-in one. -> template
	opt_in_template VARCHAR(64) NULL,
	-- The sender of that mail; NULL: the default sender.
	opt_in_sender TEXT NULL,
	-- The subject of that mail; NULL: the built-in one.
	opt_in_subject VARCHAR(998) NULL,
	-- 1: opening the link confirms, without a button.
	opt_in_link TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (id),
	KEY workspace (workspace_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The size of an audience: the sums over its 16 rows, of which one may be negative.
CREATE TABLE IF NOT EXISTS audience_counter (
	-- The audience. -> audience
	audience_id BINARY(16) NOT NULL,
	-- The row of the connection that adds, so that parallel writers do not wait for each other.
	stripe TINYINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The number of contacts.
	contacts BIGINT NOT NULL,
	-- The number of those that are not subscribed.
	unsubscribers BIGINT NOT NULL,
	PRIMARY KEY (audience_id,stripe)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Deleted audiences whose contacts are still to be removed, a batch at a time.
CREATE TABLE IF NOT EXISTS audience_removal (
	-- The audience that was. -> audience
	audience_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (audience_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The memberships of people in audiences, in the order in which lists show them.
CREATE TABLE IF NOT EXISTS contact (
	-- The audience. -> audience
	audience_id BINARY(16) NOT NULL,
	-- The form in which addresses are compared, which joins the contact to its person. -> person
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The address as it was given; '' once the person has it.
	email VARCHAR(254) NOT NULL,
	-- The first name; NULL once the person has it.
	first_name VARCHAR(100) NULL,
	-- The last name; NULL once the person has it.
	last_name VARCHAR(100) NULL,
	-- 0: the person has left the audience.
	is_subscribed TINYINT NOT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	-- The way in which the membership was made, see enum store_consent_source.
	source TINYINT NOT NULL DEFAULT 0,
	-- Epoch ms since which it waits to be confirmed; NULL: it does not.
	pending BIGINT NULL,
	-- The author of the last unsubscription, see enum store_consent_author.
	left_by TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (audience_id,address),
	UNIQUE KEY id (id),
	KEY newest (audience_id,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Rules that choose people.
CREATE TABLE IF NOT EXISTS segment (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The name.
	name VARCHAR(100) NOT NULL,
	-- The rules as given, JSON.
	rules MEDIUMTEXT NOT NULL,
	-- See enum store_segment_state.
	state TINYINT NOT NULL,
	-- Epoch ms since which it keeps its people; NULL: it follows its rules.
	frozen_at BIGINT NULL,
	-- The number of people that it keeps; NULL: it follows its rules.
	people BIGINT NULL,
	-- Epoch ms of the creation.
	created BIGINT NOT NULL,
	-- Epoch ms of the last change.
	updated BIGINT NOT NULL,
	PRIMARY KEY (id),
	KEY workspace (workspace_id,state,id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The people of frozen segments.
CREATE TABLE IF NOT EXISTS segment_member (
	-- The segment. -> segment
	segment_id BINARY(16) NOT NULL,
	-- The person. -> person
	person_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (segment_id,person_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Imports of people, which the spool does part by part.
CREATE TABLE IF NOT EXISTS contact_import (
	-- A UUID version 7.
	id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- See enum store_contact_import_status.
	status TINYINT NOT NULL,
	-- The columns of the file and the work with them, JSON.
	plan MEDIUMTEXT NOT NULL,
	-- Epoch ms at which the spool takes it up; NULL: it is done.
	due BIGINT NULL,
	-- The process that works on it until due; NULL: none.
	token BINARY(16) NULL,
	-- The bytes of the file that are done.
	place BIGINT NOT NULL DEFAULT 0,
	-- 1: the people of the next part are stored; their topics and segments may not be.
	is_put TINYINT NOT NULL DEFAULT 0,
	-- The people of the next part that were not stored, a bit each; NULL: none.
	left_out VARBINARY(64) NULL,
	-- The people who were new.
	created_rows BIGINT NOT NULL DEFAULT 0,
	-- The people who were changed.
	updated_rows BIGINT NOT NULL DEFAULT 0,
	-- The people who were known, and left alone.
	skipped_rows BIGINT NOT NULL DEFAULT 0,
	-- The lines that were refused.
	failed_rows BIGINT NOT NULL DEFAULT 0,
	-- Epoch ms of the end; NULL: it goes on.
	completed BIGINT NULL,
	-- The requests that made it, see enum store_contact_import_front, and that alone see it.
	front TINYINT NOT NULL DEFAULT 1,
	-- The audience that the people join; NULL: none, or the plan names several. -> audience
	audience_id BINARY(16) NULL,
	-- The name of the file; '' for none.
	filename VARCHAR(255) NOT NULL DEFAULT '',
	-- 1: nothing is stored but counts and faults.
	is_dry TINYINT NOT NULL DEFAULT 0,
	-- The lines that changed nothing.
	same_rows BIGINT NOT NULL DEFAULT 0,
	-- The people whose own choice stood.
	kept_rows BIGINT NOT NULL DEFAULT 0,
	-- The faults that are kept.
	fault_rows BIGINT NOT NULL DEFAULT 0,
	-- The line of the file at place, from 1.
	place_line BIGINT NOT NULL DEFAULT 1,
	-- The reason for which it failed; NULL: none.
	error VARCHAR(1000) NULL,
	PRIMARY KEY (id),
	KEY newest (workspace_id,id),
	KEY due (due),
	KEY waiting (workspace_id,due)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The file of an import, in pieces of a MiB, until the import is done.
CREATE TABLE IF NOT EXISTS contact_import_piece (
	-- The import. -> contact_import
	import_id BINARY(16) NOT NULL,
	-- The place of the piece, from 0.
	number INT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- Its bytes.
	data MEDIUMBLOB NOT NULL,
	PRIMARY KEY (import_id,number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Lines of an import that were refused, or taken with a value less.
CREATE TABLE IF NOT EXISTS contact_import_fault (
	-- The import. -> contact_import
	import_id BINARY(16) NOT NULL,
	-- The number of the line.
	line BIGINT NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- 1: the line was refused; 0: a value was left out.
	is_refused TINYINT NOT NULL,
	-- The reason.
	message TEXT NOT NULL,
	-- The fields of the line as it was, JSON; NULL: it is too large.
	record MEDIUMTEXT NULL,
	PRIMARY KEY (import_id,line),
	KEY workspace (workspace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- People who were in a segment that workflows hear when it was looked at last.
CREATE TABLE IF NOT EXISTS segment_in (
	-- The segment. -> segment
	segment_id BINARY(16) NOT NULL,
	-- The person. -> person
	person_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (segment_id,person_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Segments that workflows hear.
CREATE TABLE IF NOT EXISTS segment_look (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The segment. -> segment
	segment_id BINARY(16) NOT NULL,
	-- A hash of the rules by which it was looked at last.
	rules BINARY(16) NOT NULL,
	-- 1: a whole look has stored who is in by these rules.
	settled TINYINT NOT NULL,
	-- Epoch ms at which the last look began that it takes part in.
	look BIGINT NOT NULL,
	PRIMARY KEY (workspace_id,segment_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
