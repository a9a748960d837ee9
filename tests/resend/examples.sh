#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The examples of the guides: in each language one email is sent, and one webhook verified. And the commands by which contacts and
# suppressions are brought along. A language that is not installed is left out, and the test then counts as skipped.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
check_needs lighttpd mariadbd curl python3 openssl jq
examples=$top/doc/examples

dir=$(mktemp -d)
receiver=
end() {
	local status=0
	[[ -z $receiver ]] || kill "$receiver" 2>/dev/null || true
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
export RESEND_BASE_URL=$POSTHOUSE_URL/resend RESEND_API_KEY=$POSTHOUSE_KEY POSTHOUSE_CONFIG

# Keeps the headers and the body of one request in files, and answers as Mailgun does.
python3 - "$dir" <<'END' &
import http.server, json, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open(sys.argv[1] + "/body", "wb") as file:
            file.write(self.rfile.read(int(self.headers["content-length"])))
        with open(sys.argv[1] + "/headers", "w") as file:
            print(*(self.headers["webhook-" + name] for name in ("id", "timestamp", "signature")), sep="\n", file=file)
        self.send_response(204)
        self.end_headers()
    def do_GET(self):
        name = self.path.split("?")[0].split("/")[-1]
        items = [{"address": name + "@example.net"}]
        if name == "pages":
            items = [{"address": "ada@example.net", "name": "Ada", "subscribed": True},
                     {"address": "bob@example.net", "name": 'Bob "B" C', "subscribed": False},
                     {"address": "eve@example.net", "name": "", "subscribed": True}]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"items": items}).encode())
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + "/port.new", "w") as file:
    print(server.server_port, file=file)
os.rename(sys.argv[1] + "/port.new", sys.argv[1] + "/port")
server.serve_forever()
END
receiver=$!
check_until 240 test -s "$dir/port"

# Now: it takes a while, and what was signed before grows too old to be verified.
! command -v go >/dev/null || GOCACHE=$dir/go GO111MODULE=off go build -o "$dir/example" "$examples/example.go"

call() { # PATH BODY
	curl -sS "$POSTHOUSE_URL/v1$1" -H "Authorization: Bearer $POSTHOUSE_KEY" -d "$2"
}

member() { # NAME : of the object on standard input
	python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}

hook=$(call /webhooks "{\"url\":\"http://127.0.0.1:$(<"$dir/port")/hook\"}")
WEBHOOK_SECRET=$(member secret <<<"$hook")
export WEBHOOK_SECRET
call "/webhooks/$(member id <<<"$hook")/test" '{}' >/dev/null
check_until 240 test -s "$dir/headers"
mapfile -t headers <"$dir/headers"

example() { # LANGUAGE COMMAND...
	local name=$1 got
	shift
	got=$("$@" send "Me <me@$POSTHOUSE_DOMAIN>" you@example.net 2>&1) || true
	check_match "$name sends" "$got" '{"id":"????????-????-????-????-????????????"}'
	check_match "$name, the email" "$(cat "$POSTHOUSE_MAILDIR"/new/* "$POSTHOUSE_MAILDIR"/cur/* 2>/dev/null)" "*From $name*"
	got=$("$@" send me@example.org you@example.net 2>&1) && check_failed "$name, another domain" "$got" 'a failure'
	got=$("$@" verify "${headers[@]}" <"$dir/body" 2>&1) || true
	check "$name verifies" "$got" verified
	got=$({ cat "$dir/body"; echo; } | "$@" verify "${headers[@]}" 2>&1) && check_failed "$name, another body" "$got" 'a failure'
	got=$("$@" verify "${headers[0]}" 1700000000 "${headers[2]}" <"$dir/body" 2>&1) && check_failed "$name, another time" "$got" 'a failure'
	check_match "$name, an old one" "$got" '*too old*'
}

missing=()
example curl bash "$examples/example.sh"
example Python python3 "$examples/example.py"
if command -v node >/dev/null; then example Node node "$examples/example.mjs"; else missing+=(node); fi
if command -v php >/dev/null; then example PHP php "$examples/example.php"; else missing+=(php); fi
if command -v go >/dev/null; then
	example Go "$dir/example"
else
	missing+=(go)
fi

# The commands of the guides that bring contacts and suppressions along. Posthouse stands for Resend and Maildiver here, the receiver
# for Mailgun.
block() { # GUIDE SECTION
	awk -v "want=## $2" '/^## / { is = $0 == want } is && /^    / { print substr($0, 5) }' "$top/doc/from-$1.md"
}

bring() { # GUIDE SECTION AUDIENCE
	(cd "$dir" && PATH=$POSTHOUSE_BIN:$PATH bash -euo pipefail -c "$(block "$1" "$2" | sed "s|https://api.resend.com|$RESEND_BASE_URL|
		s|https://api.maildiver.com|$POSTHOUSE_URL|; s|https://api.mailgun.net|http://127.0.0.1:$(<"$dir/port")|; s|News|$3|")")
}

ask() { # PATH
	curl -sS "$POSTHOUSE_URL$1" -H "Authorization: Bearer $POSTHOUSE_KEY"
}

contacts() { # AUDIENCE : email, first name and subscription of each
	ask "/v1/audiences/$1/contacts" | jq -r '.contacts | sort_by(.email)[] | [.email, .first_name, .is_subscribed] | join(" ")'
}

id_of() { # AUDIENCE
	ask /v1/audiences | jq -r --arg name "$1" '.audiences[] | select(.name == $name) | .id'
}

"$POSTHOUSE_BIN/posthouse" audience create Origin >/dev/null
printf '%s\n' email,first_name,is_subscribed ada@example.net,Ada,true 'bob@example.net,"Bob ""B"" C",false' eve@example.net,,true >"$dir/origin.csv"
"$POSTHOUSE_BIN/posthouse" contact import Origin "$dir/origin.csv" >/dev/null
export AUDIENCE RESEND_KEY=$POSTHOUSE_KEY MAILDIVER_KEY=$POSTHOUSE_KEY MAILGUN_KEY=key
AUDIENCE=$(id_of Origin)
for guide in resend maildiver mailgun; do
	bring $guide Contacts "From $guide" >"$dir/log" 2>&1 || check_failed "contacts from $guide" "$(<"$dir/log")" 'an import'
	check "contacts from $guide" "$(contacts "$(id_of "From $guide")")" "$(contacts "$AUDIENCE")"
done

bring mailgun Suppressions - >/dev/null
check 'suppressions from mailgun' "$(ask /v1/suppressions | jq -r '.suppressions | sort_by(.email)[] | [.email, .reason, .scope] | join(" ")')" \
	$'bounces@example.net bounced all\ncomplaints@example.net complained all\nunsubscribes@example.net unsubscribed automation'
ask /resend/suppressions | jq -r '.data[].email' >"$dir/before"
bring resend Suppressions - >/dev/null
check 'suppressions from resend' "$(<"$dir/suppressions.csv")" $'email,origin
"complaints@example.net","complaint"\n"bounces@example.net","bounce"'

[[ $failures -gt 0 || ${#missing[@]} -eq 0 ]] || { echo "there is no ${missing[*]} here"; exit 77; }
check_end
