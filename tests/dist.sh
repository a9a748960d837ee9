#!/bin/sh
# SPDX-License-Identifier: MIT
# Each file of the repository is in the tarball.
set -eu

top=$(cd "$srcdir" && pwd)
git -c safe.directory="$top" -C "$top" rev-parse >/dev/null 2>&1 || { echo "there is no repository here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C "$builddir" dist-files | sed "s|^$top/||; s|^\(\.\./\)*||" >"$work/named"
git -c safe.directory="$top" -C "$top" ls-files | grep -vE '(^|/)\.git(ignore|attributes)$' >"$work/files"
awk 'NR == FNR { named[$0]; next }
	{ for (path = $0; path != "" && !(path in named); sub(/\/?[^\/]*$/, "", path)); if (path == "") { print "not in the tarball: " $0; lost = 1 } }
	END { exit lost }' "$work/named" "$work/files"
