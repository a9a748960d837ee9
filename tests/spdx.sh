#!/bin/sh
# SPDX-License-Identifier: MIT
# Each source file says under which licence it is, in its first two lines; a header then says what is in it. What is made from
# sources lies among them where they are configured in place, and says so.
set -eu

cd "${srcdir:-$(dirname "$0")/..}"
missing=$(find api apache cli dashboard/*.ts dashboard/src fcgi lib packaging quickstart quickstart.d schema smtpd spool tests \
	\( -path '*/node_modules' -o -name schema.d.ts \) -prune -o -type f \( -name '*.[ch]' -o -name '*.sql' -o -name '*.sh' -o -name '*.py' \
	-o -name '*.awk' -o -name '*.ts' -o -name '*.tsx' -o -name '*.css' -o -name '*.mjs' -o -name '*.mk' -o -name quickstart -o -name mail-catcher \) -print |
	while read -r file; do
		head -n 2 "$file" | grep -qE 'SPDX-License-Identifier: MIT|^/\* Made by ' || echo "$file"
	done)
[ -z "$missing" ] || {
	printf 'no "SPDX-License-Identifier: MIT" in the first two lines of:\n%s\n' "$missing"
	exit 1
}

# A header says behind that line what is in it.
silent=$(find cli fcgi lib smtpd spool -name '*.h' -print |
	while read -r file; do
		sed -n 2p "$file" | grep -q '^/\* [^ ]' || echo "$file"
	done)
[ -z "$silent" ] || {
	printf 'no comment that says what is in it, behind the licence, in:\n%s\n' "$silent"
	exit 1
}
