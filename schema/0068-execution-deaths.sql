-- SPDX-License-Identifier: MIT
-- How many processes died while they stepped this execution, since it last moved. With two of them it is stepped in a child process.
ALTER TABLE execution ADD COLUMN IF NOT EXISTS deaths TINYINT NOT NULL DEFAULT 0;
