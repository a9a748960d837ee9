#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The requests of Resend's clients for other languages than JavaScript, as tests/resend/clients has them: each is answered as its
# client needs it. The lines for the matrix of doc/resend.md are left in tests/resend/recorded.calls of the build folder.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
check_needs lighttpd mariadbd curl python3

dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT
"$top/quickstart" start --dir "$dir/run" --no-demo --no-spool --port 0 \
	--set fetch.allow=127.0.0.0/8 --set resend.logs=yes --set service.tracking_host=links.example.net >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
. "$dir/run/env"
export POSTHOUSE_URL POSTHOUSE_BIN POSTHOUSE_CONFIG
got=$(python3 -B "$top/tests/resend/clients/replay.py" "$POSTHOUSE_BUILD/tests/resend/recorded.calls" \
	"$top"/tests/resend/clients/*.jsonl 2>&1) || check_failed 'the clients' "$got" 'no fault'
check_match 'calls' "$got" '*calls of ?* clients, 0 faults'
# The program that makes the table of clients, where it is there.
matrix=$top/tests/resend/matrix.py
if [[ -f $matrix ]]; then
	got=$(python3 -B "$matrix" "$top/doc/resend.md" "$POSTHOUSE_BUILD/tests/resend/recorded.calls" 2>&1) ||
		check_failed 'the table of clients' "$got" 'as the requests made it'
fi
check_end
