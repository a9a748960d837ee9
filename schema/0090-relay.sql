-- SPDX-License-Identifier: MIT
-- The relays by which mail leaves. relays: the names of a route, separated by blanks; NULL: none of its own.
ALTER TABLE workspace ADD COLUMN IF NOT EXISTS relays VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL;
ALTER TABLE domain ADD COLUMN IF NOT EXISTS relays VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL;

-- The relay that an event is about, by its name. NULL: none, or an event of an earlier version.
ALTER TABLE event ADD COLUMN IF NOT EXISTS relay VARCHAR(260) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL;

-- The sum of the sentence that the last delayed event told about a relay, so that it is not told twice in a row. NULL: none.
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS told BIGINT NULL;
