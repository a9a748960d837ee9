-- SPDX-License-Identifier: MIT
-- Workflows are told of an open or a click when it is known that no program made it: feedback waits until due, epoch ms.
ALTER TABLE automation_feedback ADD COLUMN IF NOT EXISTS due BIGINT NOT NULL DEFAULT 0;
