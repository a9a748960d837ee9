#!/bin/sh
# SPDX-License-Identifier: MIT
# The short form of "make hostile": the servers that an installation talks to.
set -eu

exec /usr/bin/python3 "$srcdir/tests/hostile/hostile.py" --short --only relay --only names --only web
