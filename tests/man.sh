#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are well-formed mdoc. That a page refers to one that is not installed is no fault.
set -eu

built=$(cd "${builddir:-.}" && pwd)
cd "${srcdir:-$(dirname "$0")/..}"
command -v mandoc >/dev/null || { echo 'mandoc is not installed: skipped' >&2; exit 77; }
faults=$(mandoc -T lint man/*.[1-9] "$built"/man/*.[1-9] | grep -v 'referenced manual not found') || true
[ -z "$faults" ] || { echo "$faults"; exit 1; }
