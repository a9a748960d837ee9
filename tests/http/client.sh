#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The npm clients maildiver and resend send what the service takes: no member of theirs is refused as misspelled. And the
# verifiers of npm take the signatures of webhooks.
# Skipped where there is no npm, or npm cannot get them.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
check_needs node npm lighttpd mariadbd curl

folder=$POSTHOUSE_BUILD/tests/http/client.build
mkdir -p "$folder"
npm_get "$top/tests/http/client" "$folder"
install -m 644 "$top/tests/http/client/send.mjs" "$top/tests/http/client/receive.mjs" "$folder"

dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT
"$top/quickstart" start --dir "$dir/run" --no-demo --no-spool --port 0 --set fetch.allow=127.0.0.0/8 >"$dir/log" 2>&1 || {
	cat "$dir/log"
	exit 1
}
. "$dir/run/env"
export POSTHOUSE_URL POSTHOUSE_KEY POSTHOUSE_DOMAIN
got=$(cd "$folder" && node send.mjs 2>"$dir/errors") || cat "$dir/errors"

while read -r call status ignored; do
	check_match "$call" "$(grep "^$call " <<<"$got" || true)" "$call $status $ignored {*"
done <<'END'
maildiver.html 201 -
maildiver.html-and-text 201 -
maildiver.html-before-react 201 react, markdownFile
maildiver.react 201 -
maildiver.markdown 201 -
resend.emails.send 201 -
resend.emails.get 200 -
resend.emails.list 200 limit
resend.domains.create 200 *
resend.domains.list 200 -
resend.contacts.create 200 *
resend.templates.create 200 *
END
check_match 'its variables' "$(cat "$POSTHOUSE_MAILDIR"/new/* "$POSTHOUSE_MAILDIR"/cur/* 2>/dev/null)" '*Subject: Hello, Ada*'

got=$(cd "$folder" && node receive.mjs 2>"$dir/errors") || cat "$dir/errors"
for verifier in standardwebhooks svix resend; do
	check_match "$verifier, the secret before" "$(grep "^$verifier before" <<<"$got" || true)" '* webhook.test'
	check_match "$verifier, the secret after" "$(grep "^$verifier after" <<<"$got" || true)" '* webhook.test'
	check_match "$verifier, another secret" "$(grep "^$verifier stranger" <<<"$got" || true)" '*[Nn]o matching signature*'
done
check_end
