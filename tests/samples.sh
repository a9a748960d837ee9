#!/bin/bash
# SPDX-License-Identifier: MIT
# The programs that read them take the units for systemd, the files for logrotate and the profile for AppArmor.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

for program in systemd-analyze logrotate apparmor_parser; do
	command -v $program >/dev/null || { echo "$program is not installed: skipped" >&2; exit 77; }
done
top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd) built=$(cd "${builddir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
	echo "$1" >&2
	cat "$work/said" >&2
	exit 1
}

# The programs of the units are those of the build folder.
mkdir "$work/units"
for unit in "$top"/packaging/debian/*.{service,socket} "$top"/apache/*.{service,socket}; do
	sed "s|=/usr/s\?bin/|=$built/|; s|=/usr/lib/posthouse/|=$built/|" "$unit" >"$work/units/${unit##*/}"
done
SYSTEMD_UNIT_PATH=$work/units: systemd-analyze verify --man=no "$work"/units/* >"$work/said" 2>&1 || fail 'systemd-analyze does not take a unit'
! grep -F "$work" "$work/said" || fail 'systemd-analyze warns of a unit'

# The logs are there, and belong to whoever runs the test.
mkdir "$work/posthouse"
echo line | tee "$work/posthouse.log" >"$work/posthouse/spool.log"
rotate() { # NAME TEXT
	sed "s|/var/log|$work|; s|create 0640 [a-z-]* adm|create 0640|" <<<"$2" >"$work/$1"
	chmod 0644 "$work/$1"
	logrotate --debug --force --state "$work/state" "$work/$1" >"$work/said" 2>&1 || fail "logrotate does not take $1"
	! grep '^error:' "$work/said" || fail "logrotate complains of $1"
	grep -q 'pkill -HUP' "$work/said" || fail "logrotate does not tell the programs, by $1"
}
rotate package "$(<"$top/packaging/debian/posthouse.logrotate")"
rotate guide "$(sed -n '/^    \/var\/log\/posthouse.log {/,/^    }/s/^    //p' "$top/doc/operation.md")"

apparmor_parser --skip-kernel-load --skip-cache "$top/packaging/apparmor/posthouse" >"$work/said" 2>&1 || fail 'apparmor_parser does not take the profile'
