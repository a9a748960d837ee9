#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The dashboard in a real browser. Skipped where there is no chromium, or npm cannot get the packages.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
. "$top/tests/dashboard/packages.sh"
check_needs node npm chromium lighttpd mariadbd curl

packages_get
rm -rf "$folder/pages"
cp -R "$top"/tests/dashboard/{browser.mjs,fill.mjs,pages} "$folder"
chmod -R u+w "$folder/pages"

dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT
"$top/quickstart" start --dir "$dir/run" --no-demo --no-spool --port 0 >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
. "$dir/run/env"
export POSTHOUSE_URL POSTHOUSE_KEY POSTHOUSE_DOMAIN POSTHOUSE_MAILDIR POSTHOUSE_BIN POSTHOUSE_CONFIG
check_match 'quickstart: link to the dashboard' "$(<"$dir/log")" "*$POSTHOUSE_URL/dashboard/signin#*"
cd "$folder"
got=$(HOME=$dir node --no-warnings browser.mjs "$(command -v chromium)" 2>&1) || true
[[ $got == 'all pages work: '* ]] || printf '%s\n' "$got"
check_match 'the pages' "$got" 'all pages work: *'
check_end
