-- SPDX-License-Identifier: MIT
-- Emails with an erased recipient that still had to reach others: their contents are removed once no outbox entry of
-- them is left.
CREATE TABLE IF NOT EXISTS erasure (
	email_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (email_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
