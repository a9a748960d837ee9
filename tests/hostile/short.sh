#!/bin/sh
# SPDX-License-Identifier: MIT
# The short form of "make hostile".
set -eu

exec /usr/bin/python3 "$srcdir/tests/hostile/hostile.py" --short
