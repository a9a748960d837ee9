#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the source against .clang-format, where clang-format is installed.
set -eu

cd "${srcdir:-$(dirname "$0")/..}"
command -v clang-format >/dev/null || exit 77
find lib fcgi spool smtpd cli tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run --Werror
