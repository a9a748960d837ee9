#!/bin/sh
# SPDX-License-Identifier: MIT
# The short form of "make faults" with two relays, the second for the mail that the first does not take.
set -eu

exec /usr/bin/python3 "$srcdir/tests/faults/faults.py" --relays 2 --emails 300 --kills 20 --clients 4 --seed 20261122
