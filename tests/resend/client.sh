#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The npm package resend against /resend: each of its methods gives what it must, and the answers have the types of the package.
# Skipped where there is no npm, or npm cannot get it.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
check_needs node npm lighttpd mariadbd curl

folder=$POSTHOUSE_BUILD/tests/resend/client.build
mkdir -p "$folder"
npm_get "$top/tests/resend/client" "$folder"
install -m 644 "$top/tests/resend/client/methods.mjs" "$folder"

dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT
"$top/quickstart" start --dir "$dir/run" --no-demo --no-spool --port 0 \
	--set fetch.allow=127.0.0.0/8 --set resend.logs=yes >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
. "$dir/run/env"
export POSTHOUSE_URL POSTHOUSE_KEY POSTHOUSE_DOMAIN POSTHOUSE_BIN POSTHOUSE_CONFIG
cd "$folder"
got=$(node --no-warnings methods.mjs "$top/doc/resend.md" 2>&1) || true
check_match 'the methods' "$got" '141 methods'
# null stands where the service has nothing.
got=$(node node_modules/typescript/bin/tsc --noEmit --strict --strictNullChecks false --skipLibCheck --target es2022 \
	--module nodenext answers.ts 2>&1) || true
check_match 'the types' "$got" ''
check_end
