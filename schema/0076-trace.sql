-- SPDX-License-Identifier: MIT
-- Deleted automation contacts whose executions are left and still contain the address, so that erasing the person finds
-- them. address: as in person. A row is removed with the last of its executions.
RENAME TABLE IF EXISTS automation_contact TO person;
CREATE TABLE IF NOT EXISTS execution_trace (
	workspace_id BINARY(16) NOT NULL,
	address VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	contact_id BINARY(16) NOT NULL,
	PRIMARY KEY (workspace_id, address, contact_id),
	KEY contact (contact_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Contacts that were deleted before. Addresses with a domain in another script than Latin are not found.
INSERT IGNORE INTO execution_trace (workspace_id, address, contact_id)
	SELECT DISTINCT x.workspace_id, LOWER(x.email), x.contact_id FROM execution x
	WHERE x.email = CONVERT(x.email USING ascii)
	AND NOT EXISTS (SELECT 1 FROM person c WHERE c.id = x.contact_id);
