#!/bin/sh
# SPDX-License-Identifier: MIT
# Each file of the repository is in the tarball.
set -eu

top=$(cd "$srcdir" && pwd -P)
# A tarball that lies in the repository of somebody else has no files of its own there.
[ "$(git -c safe.directory="$top" -C "$top" rev-parse --show-toplevel 2>/dev/null)" = "$top" ] || { echo "there is no repository here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Some names begin with the path from the build folder to the sources.
make -s -C "$builddir" dist-files >"$work/distributed"
way=$(sed -n 's|/configure\.ac$||p' "$work/distributed")
sed "s|^${way:-.}/||" "$work/distributed" >"$work/named"
grep -qx Makefile.am "$work/named" || { echo "make dist-files does not name Makefile.am"; exit 1; }
git -c safe.directory="$top" -C "$top" ls-files | grep -vE '(^|/)\.git(ignore|attributes)$' >"$work/files"
awk 'NR == FNR { named[$0]; next }
	{ for (path = $0; path != "" && !(path in named); sub(/\/?[^\/]*$/, "", path)); if (path == "") { print "not in the tarball: " $0; lost = 1 } }
	END { exit lost }' "$work/named" "$work/files"
