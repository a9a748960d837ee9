-- SPDX-License-Identifier: MIT
-- The recipients for whom a sending domain had permission on a day (UTC, counted from 1970), while [warmup] limits hold for it. There is a
-- row for each day on which it wanted to send.
CREATE TABLE IF NOT EXISTS domain_sent (
	domain_id BINARY(16) NOT NULL,
	day INT NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	recipients BIGINT NOT NULL,
	PRIMARY KEY (domain_id, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The day on which all recipients of the message have such permission. NULL: none.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS permit INT NULL;
