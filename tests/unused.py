#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each function and variable that a file of the rooms shows is used by another file: of the programs, or of the tests, which try
small parts by themselves. A function that only its own file uses is to be static; one that nobody uses is to go."""
import glob
import os
import shutil
import subprocess
import sys

# connect(2) and write(2) stand in front of the system's (lib/smtp); __poll_chk is the C library's inline poll(2). Every type has its _free, for AUTO.
ALLOWED = {"connect", "write", "__poll_chk"}


def symbols(path):
    """The names that an object file or library defines for others, and those that it wants, for each object."""
    found, defined, wanted = [], set(), set()
    for line in subprocess.run(["nm", "-P", "-g", path], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if line.endswith(":"):
            found.append((defined, wanted))
            defined, wanted = set(), set()
        elif len(words) > 1 and words[1] in "TDBRVC":
            defined.add(words[0])
        elif len(words) > 1 and words[1] == "U":
            wanted.add(words[0])
    return found + [(defined, wanted)]


def main():
    if not shutil.which("nm"):
        print("there is no nm here")
        return 77
    os.chdir(os.environ["builddir"])
    libraries = sorted(glob.glob("lib*.a"))
    programs = sorted(path for room in ("fcgi", "spool", "cli") for path in glob.glob(room + "/posthouse*.o"))
    if not libraries or not programs:
        print("nothing is built here")
        return 1
    tests = sorted(glob.glob("tests/**/*.o", recursive=True))
    objects = [entry for path in libraries + programs + tests for entry in symbols(path)]
    wanted = set().union(*(want for _, want in objects))
    unused = sorted(name for path in libraries for define, _ in symbols(path) for name in define - wanted - ALLOWED if not name.endswith("_free"))
    print("\n".join(f"{name} is used by no other file" for name in unused), end="\n" if unused else "")
    return 1 if unused else 0


sys.exit(main())
