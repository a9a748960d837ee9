-- SPDX-License-Identifier: MIT
-- From here on, that time stands with the recipients alone. Older programs read it from the email, so that posthouse schema migrate --finish
-- alone takes this step. It changes nothing but the record by which programs know that no older one runs.
ALTER TABLE email ALTER COLUMN sent SET DEFAULT NULL;
