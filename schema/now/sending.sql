-- SPDX-License-Identifier: MIT
-- When mailings leave, and how many a person gets.

-- The rules of sending that workflows gave their emails; other emails have none.
CREATE TABLE IF NOT EXISTS email_sending (
	-- The email. -> email
	email_id BINARY(16) NOT NULL,
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The rules, a JSON object.
	rules TEXT NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The mailings of people that count for a cap; lib/store/outbox/place.c explains them.
CREATE TABLE IF NOT EXISTS sending_place (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The person's address, as suppression has it.
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	-- The message; zeros: the row that is locked while places of the person are taken. -> outbox
	entry_id BINARY(16) NOT NULL,
	-- The email of the message; NULL: there is no message, or an older program took the place. -> email
	email_id BINARY(16) NULL,
	-- The topic of the mailing; NULL: none. -> topic
	topic_id BINARY(16) NULL,
	-- The token of the claim with which it is being sent; NULL: it was sent.
	token BIGINT NULL,
	-- Epoch ms at which the place was taken.
	taken BIGINT NOT NULL,
	-- Epoch ms at which the mailing was sent; NULL: it was not.
	sent BIGINT NULL,
	PRIMARY KEY (workspace_id,address,entry_id),
	KEY taken (taken)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The rules by which mailings leave, of workspaces and topics.
CREATE TABLE IF NOT EXISTS sending_rule (
	-- The workspace.
	workspace_id BINARY(16) NOT NULL,
	-- The topic; zeros: they are those of the workspace. -> topic
	topic_id BINARY(16) NOT NULL,
	-- The hours, a JSON object; NULL: there are none.
	hours TEXT NULL,
	-- The cap, a JSON object; NULL: there is none.
	cap VARCHAR(255) NULL,
	-- Epoch ms since which the cap counts; NULL: there is none.
	capped_since BIGINT NULL,
	PRIMARY KEY (workspace_id,topic_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
