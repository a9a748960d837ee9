#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where the language of templates is that of Handlebars, npm's handlebars makes the same of thousands of random templates, and
# of those in handlebars/cases.json. POSTHOUSE_SEED and POSTHOUSE_TEMPLATES choose others, and how many.
# Skipped where there is no npm, or npm cannot get it.
set -euo pipefail
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
check_needs node npm

folder=${builddir:?}/tests/lib/handlebars.build
mkdir -p "$folder"
npm_get "$top/tests/lib/handlebars" "$folder"
install -m 644 "$top/tests/lib/handlebars/judge.mjs" "$top/tests/lib/handlebars/cases.json" "$folder"

node "$folder/judge.mjs" write "${POSTHOUSE_SEED:-20261122}" "${POSTHOUSE_TEMPLATES:-5000}" >"$folder/cases"
"$builddir/tests/lib/fill_templates" <"$folder/cases" >"$folder/filled"
node "$folder/judge.mjs" judge "$folder/cases" <"$folder/filled"
