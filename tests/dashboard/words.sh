#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each word of the dashboard stands on some page, and both languages are written alike. Skipped where there is no npm, or
# npm cannot get the packages.
set -euo pipefail
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
. "$top/tests/dashboard/packages.sh"
check_needs node npm

packages_get
install -m 644 "$top/tests/dashboard/words.mjs" "$folder"
cd "$folder"
got=$(node words.mjs "$top/dashboard/src" 2>&1) || true
[[ $got =~ ^[0-9]+' words'$ ]] || printf '%s\n' "$got"
check_match 'the words' "$got" '[1-9]* words'
check_end
