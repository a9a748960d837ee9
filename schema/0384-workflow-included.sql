-- SPDX-License-Identifier: MIT
-- Segments whose people a workflow has taken in by include: all.
CREATE TABLE IF NOT EXISTS workflow_included (
	workflow_id BINARY(16) NOT NULL,
	segment_id BINARY(16) NOT NULL,
	workspace_id BINARY(16) NOT NULL,
	PRIMARY KEY (workflow_id, segment_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
