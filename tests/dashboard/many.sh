#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Opens each page of an instance that has very many rows, and prints what it took; for make bench BENCH=pages.
# Usage: many.sh fill | many.sh walk MADE TIMES LIST TASK; the instance is in the environment.
set -euo pipefail
top=$(cd "${srcdir:?}" && pwd)
. "$top/tests/support/check.sh"
. "$top/tests/support/npm.sh"
. "$top/tests/dashboard/packages.sh"
check_needs node npm chromium >&2

packages_get >&2
cp "$top"/tests/dashboard/{many.mjs,fill.mjs} "$folder"
cd "$folder"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
HOME=$home node --no-warnings many.mjs "$(command -v chromium)" "$@"
