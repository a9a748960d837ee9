#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An instance of quickstart through its life: made, shown, started again, changed, half killed, stopped.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
check_needs lighttpd mariadbd curl

# A path with spaces, and longer than a socket's may be.
base=$(mktemp -d)
other=$base/$(printf 'ö%.0s' {1..50}) # fewer letters than such a path may have, and more bytes
run="$base/an instance/with a path that is longer than the path of a socket can ever be, whatever the system it is on"
end() {
	quick stop --dir "$run"
	quick stop --dir "$other"
	rm -rf "$base"
}
trap end EXIT

# Sets status and said, with what it prints to either side.
quick() {
	status=0
	said=$("$top/quickstart" "$@" 2>&1) || status=$?
}

start() { # NAME OPTION...
	quick --dir "$run" "${@:2}"
	check "$1: status" "$status ${said: -300}" "0 ${said: -300}"
	. "$run/env"
}

http() { curl -s -m 120 -o /dev/null -w '%{http_code}' "$@" || true; }

# The living children of a process; fails where there are none.
children() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v parent="$1" '{ pid = $1; sub(/.*\) /, "") } $2 == parent && $1 != "Z" { print pid; n++ } END { exit !n }'
}

processes() { (cd "$run/pids" && grep -H . ./*); }

made() {
	start 'made' --port 0
	check 'demo: message' "$(grep -c 'Subject: Welcome, Ada' <<<"$said")" 1
	check 'demo: variable in the body' "$(grep -c '<h1>Welcome, Ada</h1>' <<<"$said")" 1
	check 'demo: attachment' "$(grep -c 'filename="note.txt"' <<<"$said")" 1
	check 'demo: event' "$(grep -c '"status": "delivered"' <<<"$said")" 2
	check 'env: mode' "$(stat -c %a "$run/env")" 600
	check 'env: variables' "$(sed 's/=.*//' "$run/env" | tr '\n' ' ')" \
		'POSTHOUSE_URL POSTHOUSE_KEY POSTHOUSE_CONFIG POSTHOUSE_DOMAIN POSTHOUSE_MAILDIR POSTHOUSE_BIN POSTHOUSE_SMTP '
	check_match 'env: SMTP' "$(greeting)" '220 * ESMTP Posthouse*'
	check 'env: URL and key' "$(http -H "Authorization: Bearer $POSTHOUSE_KEY" "$POSTHOUSE_URL/v1/emails")" 200
	check 'env: maildir' "$(find "$POSTHOUSE_MAILDIR/new" -type f | wc -l)" 1
	check 'env: programs' "$(cd "$POSTHOUSE_BIN" && ls posthouse posthouse-spool posthouse.fcgi | wc -l)" 3
	check 'settings: mode' "$(stat -c %a "$POSTHOUSE_CONFIG")" 600
}

# What the demo says to try next can be pasted.
pasted() {
	local commands
	commands=$(sed -n '/^To try next:/,/^It ends with/s/^  //p' <<<"$said")
	check 'to try next: status' "$(bash -e -o pipefail -c "cd /; $commands" >"$base/pasted" 2>&1; echo $?)" 0
	check 'to try next: answers' "$(grep -o '"count":1\|"id":' "$base/pasted" | sort -u | tr '\n' ' ')" '"count":1 "id": '
}

again() {
	local before
	before=$(processes)
	start 'again'
	check 'again: the same processes' "$(processes)" "$before"
	check 'again: the same email' "$(find "$POSTHOUSE_MAILDIR/new" -type f -exec grep -l '^Subject: Welcome' {} + | wc -l)" 1
}

# What the SMTP door says first.
greeting() {
	local line
	exec 4<>"/dev/tcp/${POSTHOUSE_SMTP/:/\/}" && read -r line <&4 && echo "$line"
	exec 4>&-
}

half_killed() {
	local name url=$POSTHOUSE_URL leader
	leader=$(cut -d' ' -f1 "$run/pids/spool")
	kill -KILL "$(children "$leader")"
	check_until 240 children "$leader" >/dev/null || check_failed 'spool, killed' 'not started again' 'another process'
	for name in database catcher server spool smtpd; do
		kill -KILL "$(cut -d' ' -f1 "$run/pids/$name")"
	done
	start 'brought back' --no-demo
	check 'brought back: address' "$POSTHOUSE_URL" "$url"
	check 'brought back: answers' "$(http "$POSTHOUSE_URL/health")" 200
	check 'brought back: processes' "$(processes | wc -l)" 5
	check_match 'brought back: SMTP' "$(greeting)" '220 * ESMTP Posthouse*'
}

changed() {
	local before
	before=$(processes)
	start 'changed' --no-demo --set service.mode=spool --set smtp.port=2525 --set spool.jobs=1
	check 'changed: settings' "$(grep -E '^(mode|port|jobs) ' "$POSTHOUSE_CONFIG" | tr '\n' ' ')" \
		'port = 2525 mode = spool jobs = 1 '
	check 'changed: processes' "$(processes | grep -E 'server|spool')" \
		"$(processes | grep -E 'server|spool' | grep -vxF "$before")"
	start 'remembered' --no-demo --set smtp.port=
	check 'remembered: settings' "$(grep -cE '^(mode = spool|jobs = 1|port = 2525)$' "$POSTHOUSE_CONFIG")" 2
	start 'without spool' --no-demo --no-spool
	check 'without spool: processes' "$(processes | grep -c spool)" 0
	start 'without SMTP' --no-demo --no-smtp
	check 'without SMTP: processes' "$(processes | grep -c smtpd)" 0
	check 'without SMTP: env' "$(grep -c POSTHOUSE_SMTP "$run/env")" 0
}

# A relay and paces of one's own, beside what the sample has; without them mail goes into the mail folder again.
with_a_relay() {
	start 'with a relay' --no-demo --set 'relay own.host=127.0.0.1' --set "relay own.port=$(<"$run/catcher.port")" \
		--set 'relay own.tls=none' --set 'pace example.net.rate=20/s' --set 'pace example.net.au.rate=30/m' \
		--set 'pace default.connections=7' --set 'source 192.0.2.1.helo=out.example.org' --set 'source 192.0.2.1.warmup=50 100'
	check 'with a relay: its keys' "$(section 'relay own')" "host = 127.0.0.1 port = $(<"$run/catcher.port") tls = none "
	check 'with a relay: a pace' "$(section 'pace example.net')" 'rate = 20/s '
	check 'with a relay: a longer name' "$(section 'pace example.net.au')" 'rate = 30/m '
	check 'with a relay: the default pace' "$(section 'pace default')" 'connections = 7 '
	check_match 'with a relay: a source' "$(section 'source 192.0.2.1')" '*helo = out.example.org *'
	check 'with a relay: nothing for [smtp]' "$(section smtp)" ''
	check_match 'with a relay: its state' "$(admin spool status)" '*"relay":"own"*'
	check 'with a relay: a message' "$(http "$POSTHOUSE_URL/v1/emails" -H "Authorization: Bearer $POSTHOUSE_KEY" \
		-d '{"from": "a@'"$POSTHOUSE_DOMAIN"'", "to": "b@example.net", "subject": "By relay", "html": "<p>Hello</p>"}')" 201
	check_until 240 grep -qr '^Subject: By relay' "$POSTHOUSE_MAILDIR/new" || check_failed 'by the relay' 'no message' 'a message'
	check_match 'with a relay: its event' "$(admin email list --to b@example.net)" '*"sent"*'
	quick --dir "$run" --no-demo --set 'relay own.prot=25'
	check_match 'with a relay: unknown key' "$status $said" '70 *\[relay own\] prot*'
	quick --dir "$run" --no-demo --set 'pace example.net.rate=fast'
	check_match 'with a relay: wrong value' "$status $said" '70 *\[pace example.net\] rate*'
	quick --dir "$run" --set 'relay Own.host=a'
	check 'with a relay: wrong name' "$status $said" '64 quickstart: --set takes SECTION.KEY=VALUE, not relay Own.host=a.'
	start 'without the relay' --no-demo --set 'relay own.host=' --set 'relay own.port=' --set 'relay own.tls=' \
		--set 'pace example.net.rate=' --set 'pace example.net.au.rate=' --set 'pace default.connections=' \
		--set 'source 192.0.2.1.helo=' --set 'source 192.0.2.1.warmup='
	check 'without the relay: none' "$(grep -cE '^\[(relay|pace|source) ' "$POSTHOUSE_CONFIG")" 0
	check_match 'without the relay: [smtp]' "$(section smtp)" '*host = 127.0.0.1 *'
}

admin() { POSTHOUSE_CONFIG=$POSTHOUSE_CONFIG "$POSTHOUSE_BIN/posthouse" --json "$@"; }

section() { # NAME: its lines in the settings, in order
	awk -v name="[$1]" '/^\[/ { here = $0 == name; next } here && /^[a-z]/' "$POSTHOUSE_CONFIG" | LC_ALL=C sort | tr '\n' ' '
}

# name, what is wrong with the command, what the one sentence says
refused() {
	local port=${POSTHOUSE_URL##*:}
	quick --dir "$run" --no-demo --set smtp.prot=25
	check_match 'unknown setting' "$status ${said##*$'\n'}" '70 quickstart: posthouse schema migrate failed.*'
	check_match 'unknown setting, its line' "$said" '*posthouse.conf:*\[smtp\] prot*'
	start 'without it' --no-demo
	quick --dir "$other" --no-demo --port "$port"
	check 'port taken' "$status $said" \
		"69 quickstart: Port $port is taken by another program; choose one with --port N."
	quick --prot 1
	check 'unknown option' "$status $said" '64 quickstart: --prot is no option; ./quickstart --help lists them.'
	quick --dir "$run" --port 70000
	check 'port out of range' "$status $said" '64 quickstart: --port takes a number from 0 to 65535, not 70000.'
	quick --dir "$run" --set smtp=1
	check 'no setting' "$status $said" '64 quickstart: --set takes SECTION.KEY=VALUE, not smtp=1.'
	POSTHOUSE_BUILD=$base/none quick --dir "$run"
	check 'no build' "$status $said" "66 quickstart: POSTHOUSE_BUILD names no folder: $base/none"
}

# Nothing is left but files; and a number that another process has by now is left alone.
stopped() {
	local pids pid line
	pids=$(cut -d' ' -f1 "$run"/pids/*)
	quick --dir "$run" stop
	check 'stop' "$status $said" "0 Nothing runs in $run any more."
	for pid in $pids; do
		check "process $pid" "$(check_alive "$pid")" ''
	done
	check 'port' "$(http "$POSTHOUSE_URL/health")" 000
	sleep 1000 &
	pid=$!
	printf '%s %s 1\n' "$pid" "$(cat /proc/sys/kernel/random/boot_id)" >"$run/pids/database"
	quick stop --dir "$run"
	check 'a recycled number' "$status $(kill "$pid" && echo alive)" '0 alive'
	for line in 'a.c:1:2: runtime error: null pointer passed' '==7==ERROR: AddressSanitizer: heap-use-after-free' 'WARNING: ThreadSanitizer: data race'; do
		echo "$line" >>"$run/log/pool.log"
		quick stop --dir "$run"
		check_match 'a report of a sanitizer' "$status $said" "70 *$line*quickstart: A sanitizer reports the faults above, in $run/log."
		: >"$run/log/pool.log"
	done
	start 'after stop' --no-demo
	check 'after stop: kept' "$(find "$POSTHOUSE_MAILDIR/new" -type f -exec grep -l '^Subject: Welcome' {} + | wc -l)" 1
}

# A larger limit of requests holds for the web server, too. The body is NULs alone, which are no JSON.
large() {
	local name
	for name in lighttpd apache; do
		start "large, $name" --no-demo --server "$name" --set limits.request_bytes=150000000
		check "large, $name" "$(head -c 150000000 /dev/zero | http --data-binary @- "$POSTHOUSE_URL/v1/audiences" -H "Authorization: Bearer $POSTHOUSE_KEY")" 400
		check "too large, $name" "$(head -c 150000001 /dev/zero | curl -s -m 120 --data-binary @- "$POSTHOUSE_URL/v1/audiences" -H "Authorization: Bearer $POSTHOUSE_KEY")" \
			'{"message":"The request body is larger than 150000000 bytes"}'
	done
}

# The first email leaves although nobody runs the spool.
by_hand() {
	quick --dir "$other" --port 0 --no-spool --set service.mode=spool
	check_match 'spool mode without spool' "$status $said" '0 *Subject: Welcome, Ada*"status": "delivered"*'
	quick stop --dir "$other"
}

made
pasted
again
half_killed
changed
with_a_relay
refused
stopped
large
by_hand
check_end
