#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No function or variable of the rooms is there for nothing: each that another file could use is used by another file of the
programs. What only its own file uses is to be static; what only tests use is to go."""
import glob
import os
import shutil
import subprocess
import sys

# Tests set and read what these do; programs have no reason to.
FOR_TESTS = set()


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
    objects = [entry for path in libraries + programs for entry in symbols(path)]
    wanted = set().union(*(want for _, want in objects))
    unused = sorted(name for path in libraries for define, _ in symbols(path) for name in define - wanted - FOR_TESTS)
    print("\n".join(f"{name} is used by no other file of the programs" for name in unused), end="\n" if unused else "")
    return 1 if unused else 0


sys.exit(main())
