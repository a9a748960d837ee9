-- SPDX-License-Identifier: MIT
-- Names of events that Posthouse tells and workflows hear. segment_id: zeros for events without one. is_trigger: 1 by the trigger of an active workflow, 2 of a paused one, 3 of the version before; 0 by another part of a version that was active, while the workflow has executions that run. since: epoch ms of its first activation with it.
CREATE TABLE IF NOT EXISTS workflow_heard (
	workspace_id BINARY(16) NOT NULL,
	event_name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
	segment_id BINARY(16) NOT NULL,
	workflow_id BINARY(16) NOT NULL,
	is_trigger TINYINT NOT NULL,
	since BIGINT NOT NULL,
	PRIMARY KEY (workspace_id, event_name, segment_id, workflow_id, is_trigger),
	KEY workflow (workflow_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
-- Workflows that were active on such a name before hear it from now on.
INSERT IGNORE INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id, is_trigger, since) SELECT workspace_id, event_name, X'00000000000000000000000000000000', workflow_id, 1, 0 FROM workflow_trigger WHERE event_name IN ('person.created', 'contact.created', 'contact.confirmed', 'contact.updated', 'contact.unsubscribed', 'contact.deleted', 'topic.joined', 'topic.left', 'form.submitted', 'person.updated');
INSERT IGNORE INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id, is_trigger, since) SELECT DISTINCT w.workspace_id, w.event_name, X'00000000000000000000000000000000', x.workflow_id, 0, 0 FROM execution_wait w JOIN execution x ON x.id = w.execution_id WHERE w.event_name IN ('person.created', 'contact.created', 'contact.confirmed', 'contact.updated', 'contact.unsubscribed', 'contact.deleted', 'topic.joined', 'topic.left', 'form.submitted', 'person.updated');
