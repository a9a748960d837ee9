-- SPDX-License-Identifier: MIT
-- When a digest opened: 0 for those that programs of the version before open.
ALTER TABLE digest ADD COLUMN IF NOT EXISTS opened BIGINT NOT NULL DEFAULT 0;
