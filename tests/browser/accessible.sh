#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pages that strangers and recipients see, in a real browser. Skipped where there is no chromium, or npm cannot get axe-core.
set -euo pipefail
top=$(cd "${srcdir:?}" && pwd)
export srcdir=$top builddir=${builddir:?}
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
check_needs npm chromium lighttpd mariadbd python3

folder=$builddir/tests/browser/axe.build
mkdir -p "$folder"
npm_get "$top/tests/browser" "$folder"
exec python3 -B "$top/tests/browser/accessible.py" "$folder/node_modules/axe-core/axe.min.js"
