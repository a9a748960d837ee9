#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Holds the sample configurations of apache/ to one behaviour: the same requests through each way of running Posthouse.
set -euo pipefail
export POSTHOUSE_BUILD=${builddir:?}
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
check_needs lighttpd apache2 spawn-fcgi mariadbd curl

dir=$(mktemp -d)
end() {
	local status=0
	"$top/quickstart" stop --dir "$dir/run" >/dev/null || status=$?
	rm -rf "$dir"
	[[ $status == 0 ]] || exit "$status"
}
trap end EXIT

start() { # OPTION...
	"$top/quickstart" start --dir "$dir/run" --no-demo --no-spool --port 0 "$@" >"$dir/log" 2>&1 || {
		cat "$dir/log"
		exit 1
	}
	. "$dir/run/env"
}

# call PATH CURL-OPTION... : with the key, where no header is given for it; sets status and the beginning of the answer,
# which is in $dir/answer as a whole, as its headers are in $dir/headers
call() {
	local key=(-H "Authorization: Bearer $POSTHOUSE_KEY")
	[[ "$*" != *'-H Authorization'* ]] || key=()
	: >"$dir/answer"
	status=$(curl -s -m 600 -D "$dir/headers" -o "$dir/answer" -w '%{http_code}' "${key[@]}" "${@:2}" \
		"$POSTHOUSE_URL$1") || status="curl: $?"
	answer=$(head -c 1000 "$dir/answer")
}

expect() { # NAME STATUS ANSWER-PATTERN PATH CURL-OPTION...
	call "${@:4}"
	check_match "$server: $1" "$status $answer" "$2 $3"
}

header() { sed -n "s/^$1: *//Ip" "$dir/headers" | tr -d '\r'; }

# An email with an html body of so many bytes.
email() { # BYTES
	printf '{"from": "a@%s", "to": "b@example.net", "subject": "s", "html": "' "$POSTHOUSE_DOMAIN"
	head -c "$1" /dev/zero | tr '\0' x
	printf '"}'
}

mib=$((1024 * 1024))

# What is found by a path below; all servers but the first have it already.
in_paths() {
	local address
	call /v1/templates --data-binary '{"id": "in-path", "name": "n", "html": "x"}'
	for address in a+b%c a/b?c a%23b; do
		call /v1/suppressions --data-binary "{\"email\": \"$address@x.example\"}"
		call /v1/events --data-binary "{\"event_name\": \"seen\", \"email\": \"$address@x.example\"}"
	done
}

paths_and_headers() {
	local path email="{\"from\": \"a@$POSTHOUSE_DOMAIN\", \"to\": \"b@example.net\", \"subject\": \"$server\", \"html\": \"x\"}"

	expect 'without a key' 401 '*api_key_missing*' /v1/emails -H 'Authorization:'
	check "$server: challenge" "$(header WWW-Authenticate)" Bearer
	expect 'Authorization' 200 '{"emails":*' /v1/emails
	expect 'X-API-Key' 200 '{"emails":*' /v1/emails -H 'Authorization:' -H "X-API-Key: $POSTHOUSE_KEY"
	expect 'final slash' 200 '{"emails":*' /v1/emails/
	expect 'description of the API' 200 '{*"openapi": "3.1.0",*' /openapi.json -H 'Authorization:'
	expect 'no such route' 404 '{"message":"Not found"}' /v1/nothing
	expect 'a body that is not read' 404 '{"message":"Not found"}' /v1/nothing --data-binary '{}'
	expect 'a body without a key' 401 '*api_key_missing*' /v1/emails -H 'Authorization:' --data-binary "$email"
	expect 'other method' 405 '{"message":*}' /v1/emails -X PUT
	check "$server: Allow" "$(header Allow)" 'POST, GET, HEAD'
	[[ $server == htaccess-* ]] || # which cannot say TraceEnable
		expect 'TRACE' 405 '*' /v1/emails -X TRACE
	[[ $server == htaccess-* ]] ||
		expect 'a method of nobody' 405 '{"message":"Method not allowed"}' /v1/emails -X FOO
	expect 'HEAD' 200 '*' /v1/emails --head
	expect 'Range' 200 '{"id":"in-path",*}' /v1/templates/in-path -H 'Range: bytes=0-3'
	expect 'path, encoded' 200 '{"id":"in-path",*' /v1/templates/in%2Dpath
	expect 'path, encoded twice' 404 '{"message":"Template not found"}' /v1/templates/in%252Dpath
	for path in a%2Bb%25c%40x.example a+b%25c@x.example a/b%3Fc@x.example %61%2523b@X.EXAMPLE; do
		expect "$path" 200 '{"email":"*@x.example",*' "/v1/suppressions/$path"
		expect "events of $path" 200 '{"events":[{*"email":"*@x.example",*' "/v1/automation/contacts/$path/events"
	done
	[[ $server == htaccess-* ]] || # which cannot say AllowEncodedSlashes
		expect 'encoded slash' 200 '{"email":"a/b?c@x.example",*' /v1/suppressions/a%2Fb%3Fc@x.example
	expect 'query, encoded' 400 '{"message":*}' '/v1/emails?cursor=a%2Bb%3D'
	expect 'first of one key' 201 '{"id":*' /v1/emails -H "Idempotency-Key: $server" --data-binary "$email"
	expect 'second of one key' 201 '{"id":*' /v1/emails -H "Idempotency-Key: $server" --data-binary "$email"
	check "$server: replayed" "$(header Idempotent-Replayed)" true
	check "$server: Vary" "$(header Vary)" ''
	expect 'broken JSON' 400 '{"message":*}' /v1/emails --data-binary '{'
	expect 'empty body' 400 '{"message":*}' /v1/emails --data-binary ''
	expect 'POST without a body' 404 '{"message":"Domain not found"}' /v1/domains/x/verify -X POST
	expect 'POST without a body, encoded' 404 '{"message":"Domain not found"}' /v1/domain%73/%78/verify?y=1 -X POST
	check_match "$server: a parameter of a POST without a body" "$(header Ignored-Members)" ''
	expect 'POST without a body or a key' 401 '*api_key_missing*' /v1/domains/x/verify -X POST -H 'Authorization:'
	expect 'POST without a body to nothing' 404 '{"message":"Not found"}' /v1/nothing -X POST
	[[ $server == htaccess-* ]] || # whose other paths are not Posthouse's
		expect 'the path of what is refused' 404 '{"message":"Not found"}' /refused
}

# Resend's API, also at the root of a host of its own. At another host its paths are unknown: to Posthouse, or to Apache where
# .htaccess names the paths that are Posthouse's, since the rest of that folder is its owner's.
resend() {
	local own=(-H 'Host: resend.localhost') id=01a1f8d1-2ace-718f-96bc-82c241916947 unknown='{"message":"Not found"}'
	[[ $server != htaccess-* ]] || unknown='*<title>404 Not Found</title>*'
	for path in /resend/domains/$id/verify /resend/emails/$id/cancel /resend/templates/$id/publish; do
		expect "POST $path without a body" 404 '{"statusCode":404,"name":"*","message":"*"}' "$path" -X POST
		check_match "$server: type of POST $path" "$(header Content-Type)" 'application/json*'
		expect "POST $path with an empty body" 404 '{"statusCode":404,*' "$path" -d ''
	done
	expect 'a root of its own, POST without a body' 404 '{"statusCode":404,*"Domain not found"}' "/domains/$id/verify" "${own[@]}" -X POST
	expect 'a root of its own' 200 '{"object":"list",*' /domains "${own[@]}"
	expect 'a root of its own, sending' 200 '{"id":"*"}' /emails "${own[@]}" --data-binary \
		"{\"from\": \"a@$POSTHOUSE_DOMAIN\", \"to\": \"b@example.net\", \"subject\": \"$server\", \"html\": \"x\"}"
	expect 'a root of its own, encoded' 404 '{"statusCode":404,*"Suppression not found"}' /suppressions/a%2Bb%25c%40x.org "${own[@]}"
	expect 'a root of its own, unknown' 404 '{"statusCode":404,*endpoint does not exist.*' /v1/emails "${own[@]}"
	expect 'a root of its own, alone' 404 '{"statusCode":404,*' / "${own[@]}"
	expect 'a root of its own, no dashboard' 404 '{"statusCode":404,*' /dashboard/ "${own[@]}"
	expect 'another root' 404 "$unknown" /domains
}

# The dashboard's files, and its pages, which no file is called by; each with a policy that lets nothing else in.
dashboard() {
	local path policy="default-src 'self'; *frame-ancestors 'none'*"
	for path in /dashboard /dashboard/ '/dashboard/people/ada@example.com?x=y'; do
		expect "page $path" 200 '<!doctype html>*' "$path" -H 'Authorization:'
		check_match "$server: policy of $path" "$(header Content-Security-Policy)" "$policy"
		check_match "$server: type of $path" "$(header Content-Type)" 'text/html*'
		check "$server: caching of $path" "$(header Cache-Control)" no-cache
	done
	path=$(sed -n 's/.*src="\([^"]*\)".*/\1/p' "$dir/answer")
	expect 'script' 200 '*' "$path" -H 'Authorization:'
	check_match "$server: type of scripts" "$(header Content-Type)" 'text/javascript*'
	check_match "$server: caching of scripts" "$(header Cache-Control)" '*immutable'
	expect 'frame' 200 '<!doctype html>*' /dashboard/frame/plain.html -H 'Authorization:'
	check_match "$server: policy of frames" "$(header Content-Security-Policy)" "default-src 'none'; *frame-ancestors 'self'"
	expect 'no such file' 404 '*' /dashboard/assets/none.js -H 'Authorization:'
	# A tracking host has none of it; .htaccess cannot know the host of the dashboard.
	[[ $server == htaccess-* ]] ||
		for path in /dashboard /dashboard/ /dashboard/people "$path" /dashboard/frame/plain.html; do
			expect "$path under a tracking host" 404 '*' "$path" -H 'Host: links.example.com'
			expect "$path under an address" 200 '*' "$path" -H 'Host: 192.0.2.1:80'
		done
}

# What is large goes in and comes out whole.
large_bodies() {
	local how id
	email $((40 * mib)) >"$dir/large"
	for how in 'Content-Type: application/json' 'Transfer-Encoding: chunked'; do
		expect "40 MiB of html, $how" 201 '{"id":"*"}' /v1/emails -H "$how" --data-binary "@$dir/large"
	done
	id=${answer#*:\"}
	call "/v1/emails/${id%\"*}"
	check "$server: 40 MiB of html, as kept" "$status $(tr -cd x <"$dir/answer" | head -c $((40 * mib)) | wc -c)" \
		"200 $((40 * mib))"
}

# Over a limit the answer is 413, ours as long as the server passes the request on; never another.
limits() {
	local how size whose
	start --server "$server" --set limits.request_bytes=$mib
	for how in 'Content-Type: application/json' 'Transfer-Encoding: chunked' 'Expect:'; do
		truncate -s $mib "$dir/body"
		expect "at the limit, $how" 400 '{"message":*}' /v1/emails -H "$how" --data-binary "@$dir/body"
		for size in $((mib + 1)) $((40 * mib)); do
			truncate -s "$size" "$dir/body"
			expect "$size bytes, $how" 413 '{"message":*}' /v1/emails -H "$how" --data-binary "@$dir/body"
		done
		truncate -s $((140 * mib)) "$dir/body"
		[[ $how == Transfer* ]] && whose='*' || whose='*<title>413 *' # the server's, if the size is announced
		[[ $server != lighttpd || $how == Transfer* ]] || whose='{"message":"The request body is too large"}'
		expect "over the server's limit, $how" 413 "$whose" /v1/emails -H "$how" --data-binary "@$dir/body"
		expect "afterwards, $how" 200 '{"status":"ok"}' /health
	done
}

# A start brings back whichever of them has died.
brought_back() {
	local pid
	for pid in "$dir"/run/pids/{server,pool}; do
		[[ -e $pid ]] || continue
		kill -KILL "$(cut -d' ' -f1 "$pid")"
		start --server "$server"
		check "$server: ${pid##*/}, killed and started again" "$(check_alive "$(cut -d' ' -f1 "$pid")")" alive
		expect "${pid##*/}, killed and started again" 200 '{"status":"ok"}' /health
	done
}

# The line of the sample crontab, run as cron would: it delivers what waits.
crontab_line() {
	local line pid
	line=$(. "$top/quickstart.d/servers.sh" && sample crontab config="$POSTHOUSE_CONFIG" \
		spool="$POSTHOUSE_BIN/posthouse-spool" | sed -n 's/^\* \* \* \* \* //p')
	env -i PATH=/usr/bin:/bin sh -c "exec env $line" &
	pid=$!
	check_until 240 delivered || check_failed 'crontab' 'nothing was delivered' 'an email'
	kill "$pid" || true
	status=0
	wait "$pid" || status=$?
	check 'crontab: status' "$status" 0
}

delivered() { [[ $(ls "$POSTHOUSE_MAILDIR/new" | wc -l) -gt 0 ]]; }

for server in lighttpd apache apache-proxy htaccess-fcgi htaccess-cgi; do
	start --server "$server" --set service.mode=spool --set limits.request_bytes=
	in_paths
	paths_and_headers
	resend
	dashboard
	large_bodies
	limits
	brought_back
done
crontab_line
check_end
