#!/bin/sh
# SPDX-License-Identifier: MIT
# The short form of "make hostile": those who use an installation, and those who get its mail.
set -eu

exec /usr/bin/python3 "$srcdir/tests/hostile/hostile.py" --short --only tenant --only recipient
