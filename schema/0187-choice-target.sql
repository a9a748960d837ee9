-- SPDX-License-Identifier: MIT
-- Who has chosen a topic is read from the key alone. It has its old name, so that an older program finds it.
ALTER TABLE choice_part DROP INDEX IF EXISTS target, ADD INDEX target (target_id, person, is_topic, is_chosen);
