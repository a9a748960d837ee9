#!/bin/bash
# SPDX-License-Identifier: MIT
# The sample for nginx brings requests to a pool: path, query, header, body and answer. The database of these settings is
# away, so the pool answers what needs none, and refuses the rest with a body of its own. It serves the dashboard, too.
set -euo pipefail

for program in nginx spawn-fcgi curl; do
	command -v $program >/dev/null || { echo "$program is not installed: skipped" >&2; exit 77; }
done
top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd) built=$(cd "${builddir:-.}" && pwd)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
chmod 0755 "$work"
fail() {
	echo "$1" >&2
	cat "$work"/*.log >&2
	exit 1
}

mkdir -m 0700 "$work/spool"
echo 'a secret of the tests, long enough to be one' >"$work/secret"
printf '[service]\nsecret_file = %s/secret\n[spool]\ndir = %s/spool\n[database]\nsocket = /nowhere/s\n' "$work" "$work" >"$work/conf"
chmod 0600 "$work/secret" "$work/conf"
POSTHOUSE_CONFIG=$work/conf spawn-fcgi -n -s "$work/pool" -M 0666 -- "$built/posthouse.fcgi" --workers 2 2>"$work/pool.log" &

"$top/dashboard/place" "$top/dashboard/dist" "$work/dashboard"
sed "s|@socket@|$work/pool|; s|@dashboard@|$work/dashboard|; s|@host@|post.example.org|" "$top/apache/nginx.conf" >"$work/sample.conf"
cat >"$work/nginx.conf" <<END
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events {}
http {
	access_log off;
	client_body_temp_path $work/body;
	fastcgi_temp_path $work/fastcgi;
	proxy_temp_path $work/proxy;
	uwsgi_temp_path $work/uwsgi;
	scgi_temp_path $work/scgi;
	server {
		listen unix:$work/http;
		include $work/sample.conf;
	}
	server {
		listen unix:$work/http;
		server_name resend.example.org;
		include $top/apache/resend-nginx.conf;
		include $work/sample.conf;
	}
}
END
nginx -p "$work" -e "$work/nginx.log" -c "$work/nginx.conf" 2>>"$work/nginx.log" &

ask() {
	curl -sS --unix-socket "$work/http" -o "$work/body.out" -w '%{http_code}' "$@" 2>>"$work/curl.log" || true
}
for _ in $(seq 600); do
	[[ $(ask http://x/openapi.json) == 200 ]] && break
	sleep 0.1
done
cmp "$work/body.out" "$built/api/openapi.json" || fail 'openapi.json is not ours'
! grep -F '[warn]' "$work/nginx.log" || fail 'nginx warns of a sample'

# expect STATUS TEXT ARGUMENTS: the answer of curl with these arguments has the status and the text
expect() {
	local status=$1 text=$2 got
	shift 2
	got=$(ask "$@")
	[[ $got == "$status" ]] && grep -q "$text" "$work/body.out" || fail "$*: got $got $(head -c 300 "$work/body.out"), want $status $text"
}
expect 404 '"message"' http://x/v1/nothing
expect 405 '"message"' -X PATCH http://x/openapi.json
expect 401 '"message"' http://x/v1/emails
expect 401 '"statusCode":401' -X POST http://x/resend/domains/x/verify
expect 401 '"statusCode":401' http://resend.example.org/domains
expect 401 '"statusCode":401' -X POST http://resend.example.org/emails/x/cancel
expect 401 '"statusCode":401' http://resend.example.org/suppressions/a%2Fb%3Fc@x.org
expect 404 '"statusCode":404' http://resend.example.org/v1/emails
expect 503 '"message"' -H 'Authorization: Bearer ph_0123456789012345678901234567890123456789012' http://x/v1/emails
head -c 200000 /dev/zero | tr '\0' a >"$work/large"
expect 401 '"message"' --data-binary "@$work/large" http://x/v1/emails

# The dashboard: a page of any name, its files, compressed, and the frame of emails; each with a policy of its own.
expect 200 '<div id="root">' http://x/dashboard/
expect 200 '<div id="root">' http://x/dashboard/emails/a@b
scripts=$(grep -o '/dashboard/assets/[0-9]*/[^"]*\.js' "$work/dashboard/index.html")
[[ $scripts ]] || fail 'the page names no script'
for path in $scripts; do
	expect 200 . -H 'Accept-Encoding: gzip' "http://x$path"
	[[ $(head -c 2 "$work/body.out" | od -An -tx1) == ' 1f 8b' ]] || fail 'a script is not compressed'
done
expect 404 . http://x/dashboard/assets/none.js
for path in /dashboard /dashboard/ /dashboard/domains "$path" /dashboard/frame/plain.html; do
	for host in post.example.org POST.example.org:443 192.0.2.1 '[2001:db8::1]:80' a.localhost; do
		expect 200 . -H "Host: $host" "http://x$path"
	done
	expect 404 '"message"' -H 'Host: links.example.org' "http://x$path"
done
# policy PATH TEXT: the answer has this in its Content-Security-Policy
policy() {
	curl -sS --unix-socket "$work/http" -o /dev/null -D - "http://x$1" | grep -qi "^content-security-policy: .*$2" || fail "$1: no policy with $2"
}
policy /dashboard/domains "default-src 'self'"
policy /dashboard/frame/plain.html "default-src 'none'"
