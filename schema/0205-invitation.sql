-- SPDX-License-Identifier: MIT
-- invited: epoch ms, when a person who is a user elsewhere was invited and has not answered yet. removed is set then, too, so
-- that whatever asks for the users of a workspace does not find the person. A user who is not removed has answered.
ALTER TABLE user ADD COLUMN IF NOT EXISTS invited BIGINT NULL;
