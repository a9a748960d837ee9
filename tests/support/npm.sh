# SPDX-License-Identifier: MIT
# For tests that need packages of npm; sourced after check.sh.

# What npm says when it is the network's fault, not ours; a proxy that looks into TLS is one.
npm_unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET|code E[45][0-9][0-9]'
npm_unreachable+='|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)_'

# npm 9, which Debian 12 has, fails where a package overrides another one by a third. A newer one is a package of npm, too.
npm_new=10.9.4

# npm_get SOURCE FOLDER: installs in FOLDER the packages that SOURCE's lock file names, once for a build folder. Ends the
# test with 77 where npm cannot get them.
npm_get() {
	install -m 644 "$1"/package.json "$1"/package-lock.json "$2"
	local npm=(npm)
	cmp -s "$1/package-lock.json" "$2/installed.json" && return
	[[ $(npm --version) != [1-9].* ]] || npm=(npm exec --yes --cache "$2/cache" --package "npm@$npm_new" -- npm)
	if ! (cd "$2" && "${npm[@]}" ci --ignore-scripts --no-audit --no-fund --cache "$2/cache" --fetch-retries 1 \
		--fetch-timeout 60000 >npm.log 2>&1); then
		cat "$2/npm.log"
		grep -qE "$npm_unreachable" "$2/npm.log" || exit 1
		echo "npm cannot get the packages of $1: skipped"
		exit 77
	fi
	rm -rf "$2/cache"
	install -m 644 "$1/package-lock.json" "$2/installed.json"
}
