-- SPDX-License-Identifier: MIT
-- of_resend: the broadcast was made under /resend, where addresses @resend.dev are test addresses.
ALTER TABLE broadcast ADD COLUMN IF NOT EXISTS of_resend TINYINT NOT NULL DEFAULT 0;
