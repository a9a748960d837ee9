-- SPDX-License-Identifier: MIT
-- The key due is in place of the key ready_at, by which older programs claim; so posthouse schema migrate --finish alone takes this step.
ALTER TABLE outbox DROP INDEX IF EXISTS ready_at;
