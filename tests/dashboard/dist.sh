#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# dashboard/dist is what the sources and the documents of its help give, byte for byte. Skipped where there is no npm, or npm cannot get the packages.
set -euo pipefail
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
. "$top/tests/dashboard/packages.sh"
check_needs node npm

packages_get
rm -rf "$folder"/{src,public,help,dist}
cp -R "$top"/dashboard/{src,public,help,index.html,licenses.ts,tsconfig.json,vite.config.ts} "$folder"
chmod -R u+w "$folder"/{src,public,help}
cd "$folder"
POSTHOUSE_TOP=$top OPENAPI=$builddir/api/openapi.json npm run --silent all >build.log 2>&1 || {
	cat build.log
	exit 1
}
got=$(diff -rq "$top/dashboard/dist" dist 2>&1) || true
check 'dashboard/dist; make dashboard builds it anew' "$got" ''
check_end
