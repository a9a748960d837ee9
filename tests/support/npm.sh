# SPDX-License-Identifier: MIT
# For tests that need packages of npm; sourced after check.sh.

# What npm says when it is the network's fault, not ours; a proxy that looks into TLS is one.
npm_unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET|code E[45][0-9][0-9]'
npm_unreachable+='|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)_'

# npm_modern FOLDER: puts node 20 and npm 10 of FOLDER first, where the system's are older, as those of Debian 12 are. npm 9
# fails where a package overrides another one by a third; many clients need node 20. Ends the test with 77 where npm cannot
# get them.
npm_modern() {
	[[ $(node --version) == v1[0-9].* || $(npm --version) == [1-9].* ]] || return 0
	mkdir -p "$1"
	[[ -e $1/node_modules/.bin/npm ]] || npm_run "$1" install --prefix . node@20 npm@10
	export PATH=$1/node_modules/.bin:$PATH
}

# npm_run FOLDER ARGUMENT...: runs npm in FOLDER. Ends the test with 77 where the network fails.
npm_run() {
	(cd "$1" && npm "${@:2}" --no-audit --no-fund --cache "$1/cache" --fetch-retries 1 --fetch-timeout 60000 >npm.log 2>&1) &&
		return
	cat "$1/npm.log"
	grep -qE "$npm_unreachable" "$1/npm.log" || exit 1
	echo "npm cannot get the packages: skipped"
	exit 77
}

# npm_get SOURCE FOLDER: installs in FOLDER the packages that SOURCE's lock file names, once for a build folder. Ends the
# test with 77 where npm cannot get them.
npm_get() {
	install -m 644 "$1"/package.json "$1"/package-lock.json "$2"
	cmp -s "$1/package-lock.json" "$2/installed.json" && return
	npm_run "$2" ci --ignore-scripts
	rm -rf "$2/cache"
	install -m 644 "$1/package-lock.json" "$2/installed.json"
}
