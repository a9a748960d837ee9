-- SPDX-License-Identifier: MIT
-- The contacts of an audience, newest first.
ALTER TABLE contact ADD KEY IF NOT EXISTS newest (audience_id, id);
