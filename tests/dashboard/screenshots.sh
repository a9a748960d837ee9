#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Takes the pictures of doc/dashboard.md from a workspace that posthouse demo has filled; for make screenshots.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
. "$top/tests/dashboard/packages.sh"
check_needs node npm chromium lighttpd mariadbd

packages_get
cp "$top/tests/dashboard/screenshots.mjs" "$folder"
dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT
"$top/quickstart" start --dir "$dir/run" --no-demo --port 0 >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
. "$dir/run/env"
posthouse() { "$POSTHOUSE_BIN/posthouse" --config "$POSTHOUSE_CONFIG" "$@"; }
posthouse workspace create Acorn
posthouse demo fill --workspace Acorn
posthouse user add gardener@acorn.example --role owner --workspace Acorn
link=$(posthouse user link gardener@acorn.example --json | sed -n 's/.*"url": *"\([^"]*\)".*/\1/p')
cd "$folder"
HOME=$dir node --no-warnings screenshots.mjs "$(command -v chromium)" "$top/doc" "$link"
