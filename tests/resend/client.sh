#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Clients of npm against /resend: resend of three ages, resend-cli, resend-mcp, and the adapters of frameworks. Each method, command,
# tool and option of theirs gives what it must, the answers have the types of the package, and doc/resend.md has the table of them.
# Skipped where there is no npm, or npm cannot get the packages.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
check_needs node npm lighttpd mariadbd curl python3

folder=$POSTHOUSE_BUILD/tests/resend/client.build
mkdir -p "$folder"
npm_modern "$folder.npm"
npm_config_legacy_peer_deps=true npm_get "$top/tests/resend/client" "$folder" # frameworks are peers, and not needed
install -m 644 "$top"/tests/resend/client/*.mjs "$folder"
rm -f "$folder"/*.runs "$folder"/*.requests

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
export POSTHOUSE_URL POSTHOUSE_CONFIG POSTHOUSE_BIN RESEND_BASE_URL=$POSTHOUSE_URL/resend
cd "$folder"

# A program in a workspace of its own, beside the others.
program() { # NAME KEY DOMAIN ARGUMENT...
	local name=$1 key=$2 domain=$3
	shift 3
	POSTHOUSE_KEY=$key POSTHOUSE_DOMAIN=$domain CLIENT_REQUESTS=$folder/$name.requests CLIENT_RUNS=$folder/$name.runs \
		node --no-warnings --import ./record.mjs "$name.mjs" "$@" >"$dir/$name.out" 2>&1
}

posthouse() { "$POSTHOUSE_BIN/posthouse" "$@" --workspace "$name"; }

# A mail with an attachment, that came to the domain of a workspace: its id and that of the attachment.
receive() { # DOMAIN KEY
	posthouse domain receiving "$1" on --override >/dev/null
	POSTHOUSE_RECEIVED=$(printf '%s\r\n' 'From: ann@example.net' "To: desk@$1" 'Subject: Hello' 'Message-ID: <1@example.net>' \
		'MIME-Version: 1.0' 'Content-Type: multipart/mixed; boundary=b' '' --b 'Content-Type: text/plain' '' 'Hello!' --b \
		'Content-Type: application/pdf' 'Content-Disposition: attachment; filename=a.pdf' '' 'hello' --b-- |
		"$POSTHOUSE_BIN/posthouse" --json receive --recipient "desk@$1" --sender ann@example.net | grep -oE '[0-9a-f-]{36}')
	POSTHOUSE_RECEIVED_FILE=$(curl -sS "$POSTHOUSE_URL/v1/received/$POSTHOUSE_RECEIVED" -H "Authorization: Bearer $2" |
		sed -E 's/.*"attachments":\[\{"id":"([0-9a-f-]{36})".*/\1/')
	export POSTHOUSE_RECEIVED POSTHOUSE_RECEIVED_FILE
}

jobs=()
program methods "$POSTHOUSE_KEY" "$POSTHOUSE_DOMAIN" "$top/doc/resend.md" & jobs+=($!)
for name in older cli mcp adapters; do
	"$POSTHOUSE_BIN/posthouse" workspace create "$name" >/dev/null
	posthouse user add "you@$name.example" >/dev/null
	posthouse domain add "$name.example" >/dev/null
	posthouse domain trust "$name.example" >/dev/null
	key=$(posthouse key create --user "you@$name.example" | grep -o 'ph_[A-Za-z0-9_-]*')
	receive "$name.example" "$key"
	program "$name" "$key" "$name.example" & jobs+=($!)
done
names=(methods older cli mcp adapters)
for i in "${!jobs[@]}"; do
	wait "${jobs[i]}" || check_failed "${names[i]} ends" "$(<"$dir/${names[i]}.out")" 'no fault'
done
check_match 'the methods' "$(<"$dir/methods.out")" '141 methods'
# null stands where the service has nothing.
got=$(node node_modules/typescript/bin/tsc --noEmit --strict --strictNullChecks false --skipLibCheck --target es2022 \
	--module nodenext --typeRoots none answers.ts 2>&1) || true
check_match 'the types' "$got" ''
got=$(python3 "$top/tests/resend/matrix.py" "$top/doc/resend.md" ./*.runs 2>&1) || check_failed 'the table of clients' "$got" 'as the runs made it'
check_end
