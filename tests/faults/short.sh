#!/bin/sh
# SPDX-License-Identifier: MIT
# The short form of "make faults".
set -eu

exec /usr/bin/python3 "$srcdir/tests/faults/faults.py" --emails 400 --kills 30 --clients 4 --seed 20261120
