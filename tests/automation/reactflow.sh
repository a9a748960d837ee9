#!/usr/bin/env bash
# A design that React Flow's own library has written may be active, and runs: npm gets the library, once for a build
# folder. Skipped where there is no npm, or npm cannot get it.
set -euo pipefail
src=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=${builddir:-$PWD}
source "$src/tests/support/check.sh"
check_needs node npm

here=$src/tests/automation/reactflow
folder=$build/tests/automation/reactflow.build
mkdir -p "$folder"
install -m 644 "$here"/{export.mjs,package.json,package-lock.json} "$folder"

# What npm says when it is the network's fault, not ours; a proxy that looks into TLS is one.
unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET|code E[45][0-9][0-9]'
unreachable+='|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)_'

get_library() {
	(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --cache "$folder/cache" --fetch-retries 1 \
		--fetch-timeout 60000 >npm.log 2>&1)
}

if ! cmp -s "$here/package-lock.json" "$folder/installed.json"; then
	if ! get_library; then
		cat "$folder/npm.log"
		grep -qE "$unreachable" "$folder/npm.log" || exit 1
		echo 'npm cannot get React Flow: skipped'
		exit 77
	fi
	rm -rf "$folder/cache"
	install -m 644 "$here/package-lock.json" "$folder/installed.json"
fi

design=$folder/design.json
node "$folder/export.mjs" >"$design"
unset POSTHOUSE_CONFIG
# What other editors leave out is there: it is React Flow's.
check_match 'what is written' "$(<"$design")" \
	'*"measured":{"width":150*"selected":true*"sourceHandle":"timeout"*"markerEnd":*"viewport":{*'
check_match 'the check' "$("$build/posthouse" --json workflow check "$design")" \
	'{"valid":true,"nodes":8,"edges":10,*"faults":\[]}'
check_match 'the run' "$("$build/posthouse" --json workflow simulate "$design" --contact '{"plan": "pro"}' \
	--event order.placed@2026-11-20 --event order.paid@2026-11-21)" \
	'{"started":1,"completed":1,"failed":0,*"step":"plan",*"branch":"yes",*"step":"mark",*"action":"COMPLETED",*'
check_end
