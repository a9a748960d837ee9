# SPDX-License-Identifier: MIT
# The first email: sent, waited for and shown as it arrived.

demo() {
	local id message
	id=$(demo_send)
	say "The first email is $id. Waiting for it to arrive."
	message=$(demo_wait "$id")
	say '' "It arrived as $message:" ''
	sed 's/\r$//; s/^/    /' "$message"
	say '' "What happened to it, from GET /v1/emails/$id:" ''
	demo_events "$id"
}

call() { # PATH CURL-OPTION... : prints the answer
	curl -s -S -m 60 -H "Authorization: Bearer $(<"$dir/key")" "${@:2}" "$(server_url)$1"
}

# The idempotency key makes a second run show the same email, not send another.
demo_send() {
	local attachment answer
	attachment=$(printf 'Kept by the mail catcher, attachment and all.\n' | base64 -w 0)
	answer=$(call /v1/emails -H 'Idempotency-Key: quickstart' --data-binary @- <<-END
		{
			"from": "Posthouse <hello@$domain>",
			"to": "Ada Lovelace <ada@example.net>",
			"template_id": "welcome",
			"variables": {"name": "Ada"},
			"attachments": [{"filename": "note.txt", "content_type": "text/plain", "content": "$attachment"}]
		}
	END
	) || die 69 'The service does not answer.'
	sed -n 's/^{"id": *"\([0-9a-f-]*\)"}$/\1/p' <<<"$answer" | grep . ||
		die 70 "The first email was not accepted: $answer"
}

demo_wait() {
	local tries message
	for ((tries = 0; tries < 600; tries++)); do
		message=$(grep -rl -m 1 "^Message-ID: <$1@" "$dir/maildir/new" "$dir/maildir/cur" 2>/dev/null | head -n 1) || true
		[[ ! $message ]] || { echo "$message"; return; }
		((tries)) || demo_spool
		sleep 0.1
	done
	die 75 "The email did not arrive within a minute; $dir/log/ and GET /v1/emails/$1 may tell why."
}

# With --no-spool nobody else sends what mode = spool leaves to posthouse-spool.
demo_spool() {
	[[ $spool == yes ]] ||
		POSTHOUSE_CONFIG=$dir/posthouse.conf "$build/posthouse-spool" --once >>"$dir/log/posthouse.log" 2>&1 || true
}

demo_events() {
	call "/v1/emails/$1" | /usr/bin/python3 -c '
import json, sys
email = json.load(sys.stdin)
print(json.dumps({key: email[key] for key in ("last_event", "recipient_statuses")}, indent=2))' | sed 's/^/    /'
}

demo_next() {
	local env
	printf -v env '. %q' "$dir/env"
	cat <<-END

		To try next:

		  $env; curl -s -H "Authorization: Bearer \$POSTHOUSE_KEY" "\$POSTHOUSE_URL/v1/emails"
		  $env; curl -s -H "Authorization: Bearer \$POSTHOUSE_KEY" "\$POSTHOUSE_URL/v1/emails" \\
		    -d '{"from": "hello@$domain", "to": "grace@example.net", "subject": "Hello", "html": "<p>Hello!</p>"}'
		  $env; "\$POSTHOUSE_BIN/posthouse" --config "\$POSTHOUSE_CONFIG" spool status
	END
}

# The address of the dashboard, with a link that signs in where one can be had.
dashboard_say() {
	local link
	link=$(POSTHOUSE_CONFIG=$dir/posthouse.conf "$build/posthouse" user link "you@$domain" 2>/dev/null | grep -o 'http[^ ]*signin#[^ ]*') ||
		link=$(server_url)/dashboard/
	say '' 'The dashboard, signed in (good once, for 15 minutes):' '' "  $link"
}
