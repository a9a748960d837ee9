#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are well-formed mdoc. A reference to a page that is not installed is allowed.
# posthouse-api(7) is not made when an operation has no place in it.
set -eu

built=$(cd "${builddir:-.}" && pwd)
cd "${srcdir:-$(dirname "$0")/..}"
page=$(mktemp)
trap 'rm -f "$page"' EXIT
grep -v '^@operation GET /health' man/posthouse-api.7.in >"$page"
if "$built/api/api_doc" manual "$built/api/openapi.json" "$page" >/dev/null 2>&1; then
	echo 'posthouse-api(7) was made without GET /health' >&2
	exit 1
fi
command -v mandoc >/dev/null || { echo 'mandoc is not installed: skipped' >&2; exit 77; }
faults=$(mandoc -T lint man/*.[1-9] "$built"/man/*.[1-9] | grep -v 'referenced manual not found') || true
[ -z "$faults" ] || { echo "$faults"; exit 1; }
