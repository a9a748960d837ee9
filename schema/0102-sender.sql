-- SPDX-License-Identifier: MIT
-- A sender of 998 characters, each of which may need a backslash in front.
ALTER TABLE email MODIFY COLUMN sender VARCHAR(2048) NOT NULL;
