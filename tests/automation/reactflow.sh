#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A design that React Flow's own library has written may be active, and runs: npm gets the library, once for a build
# folder. Skipped where there is no npm, or npm cannot get it.
set -euo pipefail
src=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=${builddir:-$PWD}
source "$src/tests/support/check.sh"
source "$src/tests/support/npm.sh"
check_needs node npm

here=$src/tests/automation/reactflow
folder=$build/tests/automation/reactflow.build
mkdir -p "$folder"
npm_get "$here" "$folder"
install -m 644 "$here/export.mjs" "$folder"

design=$folder/design.json
node "$folder/export.mjs" >"$design"
unset POSTHOUSE_CONFIG
# The fields that other editors leave out are here: they are those of React Flow.
check_match 'what is written' "$(<"$design")" \
	'*"measured":{"width":150*"selected":true*"sourceHandle":"timeout"*"markerEnd":*"viewport":{*'
check_match 'the check' "$("$build/posthouse" --json workflow check "$design")" \
	'{"valid":true,"nodes":8,"edges":10,*"faults":\[],"warnings":\[]}'
check_match 'the run' "$("$build/posthouse" --json workflow simulate "$design" --contact '{"plan": "pro"}' \
	--event order.placed@2026-11-20 --event order.paid@2026-11-21)" \
	'{"started":1,"completed":1,"failed":0,*"step_id":"plan",*"branch":"yes",*"step_id":"mark",*"action":"COMPLETED",*'
check_end
