#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What Lighthouse says of the dashboard's pages, behind Apache, which compresses them; for make lighthouse.
# FORM=mobile measures as on a phone with a slow network; PAGES names some pages alone, CATEGORIES some categories.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
check_needs node npm chromium apache2 mariadbd

folder=$builddir/tests/dashboard/lighthouse
mkdir -p "$folder"
npm_get "$top/tests/dashboard/lighthouse" "$folder"
cp "$top"/tests/dashboard/{lighthouse/lighthouse.mjs,fill.mjs} "$folder"
dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT
"$top/quickstart" start --dir "$dir/run" --server apache --no-demo --no-spool --port 0 >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
. "$dir/run/env"
export POSTHOUSE_URL POSTHOUSE_KEY POSTHOUSE_DOMAIN POSTHOUSE_BIN POSTHOUSE_CONFIG
link=$("$POSTHOUSE_BIN/posthouse" --config "$POSTHOUSE_CONFIG" --json user link "you@$POSTHOUSE_DOMAIN" | sed -n 's/.*"url": *"\([^"]*\)".*/\1/p')
cd "$folder"
read -ra pages <<<"${PAGES-}"
HOME=$dir node --no-warnings lighthouse.mjs "$(command -v chromium)" "$link" "${FORM:-desktop}" "${pages[@]}"
