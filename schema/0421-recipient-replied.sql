-- SPDX-License-Identifier: MIT
-- The replies that were recorded, which outlive their events.
ALTER TABLE recipient ADD COLUMN IF NOT EXISTS replied TINYINT UNSIGNED NOT NULL DEFAULT 0;
