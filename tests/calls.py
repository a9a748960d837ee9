#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls go down only: no object of a room uses one of a room that tests/rooms does not list for it, also where no header says so, and no files
use one another in a circle."""
import collections
import glob
import graphlib
import os
import re
import shutil
import subprocess
import sys

# lib/smtp puts them in front of the system's for libesmtp alone; others that call them mean the system's.
SYSTEM = {"connect", "poll", "__poll_chk", "write"}


def room_of(unit):
    parts = unit.split("/")
    return "/".join(parts[:2]) if parts[0] == "lib" else parts[0]


def allowed_rooms(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.startswith("room\t")]
    return {row[1]: set(row[2:]) for row in rows}


def symbols():
    """The file that defines each symbol for others, the symbols that are functions, and those that each file wants."""
    defined, functions, wanted = {}, set(), collections.defaultdict(set)
    objects = [path for room in ("lib", "fcgi", "spool", "smtpd", "cli") for path in glob.glob(room + "/**/*.o", recursive=True)
               if os.path.basename(path).startswith(("lib", "posthouse"))]
    unit = None
    for line in subprocess.run(["nm", "-P", "-g", "-A", *objects], capture_output=True, text=True, check=True).stdout.splitlines():
        path, rest = line.split(": ", 1)
        unit = re.sub(r"/(?:lib\w+_a|posthouse\w*)-(\w+)\.o$", r"/\1", path)
        name, kind = rest.split()[:2]
        if kind in "TDBRVC":
            defined[name] = unit
            if kind == "T":
                functions.add(name)
        elif kind == "U" and name not in SYSTEM:
            wanted[unit].add(name)
    return defined, functions, wanted


def main():
    if not shutil.which("nm"):
        print("there is no nm here")
        return 77
    allowed = allowed_rooms(os.path.join(os.environ["srcdir"], "tests/rooms"))
    os.chdir(os.environ["builddir"])
    defined, functions, wanted = symbols()
    if len(wanted) < 2:
        print("nothing is built here")
        return 1

    def used(unit, names):
        return {defined[name] for name in names if name in defined} - {unit}

    uses = {unit: used(unit, names) for unit, names in wanted.items()}
    faults = sorted(f"{unit} calls {other}, which {room_of(unit)} may not" for unit, others in uses.items() for other in others
                    if room_of(other) != room_of(unit) and room_of(other) not in allowed.get(room_of(unit), ()))
    try:
        graphlib.TopologicalSorter({unit: used(unit, names & functions) for unit, names in wanted.items()}).prepare()
    except graphlib.CycleError as circle:
        faults.append("a circle of calls: " + " <- ".join(circle.args[1]))
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit(main())
