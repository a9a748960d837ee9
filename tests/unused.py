#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each function and variable that a file of the rooms shows is used by a program: by another file of the rooms, or by its own file where
tests try a small part by itself. One that tests alone use is to go, or stands below with its reason; so does one that nobody uses. One that
only its own file uses is to be static."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

# Names that only tests use, and why.
FOR_TESTS = {
    "automation_node_type_name": "the manual page is held against the names, of which the table is the only list",
    "db_is_dead": "tests of lost connections see it from outside in no other way",
}
# connect(2) and write(2) stand in front of the system's (lib/smtp); __poll_chk is the C library's inline poll(2). Every type has its _free, for AUTO.
ALLOWED = {"connect", "write", "__poll_chk"}


def symbols(paths):
    """The names that each object in these files defines for others, and those that it wants."""
    found, defined, wanted = [], set(), set()
    for line in subprocess.run(["nm", "-P", "-g", *paths], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if line.endswith(":"):
            found.append((defined, wanted))
            defined, wanted = set(), set()
        elif len(words) > 1 and words[1] in "TDBRVC":
            defined.add(words[0])
        elif len(words) > 1 and words[1] == "U":
            wanted.add(words[0])
    return found + [(defined, wanted)]


def count_words(source):
    """How often each word stands in the sources of the programs, without comments and texts; a function's own head is one."""
    count = collections.Counter()
    for path in (path for room in ("lib", "fcgi", "spool", "smtpd", "cli") for path in glob.glob(f"{source}/{room}/**/*.c", recursive=True)):
        with open(path, encoding="utf-8") as file:
            count.update(re.findall(r"\w+", re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', " ", file.read(), flags=re.S)))
    return count


def main():
    if not shutil.which("nm"):
        print("there is no nm here")
        return 77
    source = os.path.abspath(os.environ["srcdir"])
    os.chdir(os.environ["builddir"])
    libraries = sorted(glob.glob("lib*.a"))
    programs = sorted(path for room in ("fcgi", "spool", "smtpd", "cli") for path in glob.glob(room + "/**/posthouse*.o", recursive=True))
    if not libraries or not programs:
        print("nothing is built here")
        return 1
    tests = sorted(glob.glob("tests/**/*.o", recursive=True))
    wanted = set().union(*(want for _, want in symbols(libraries + programs)))
    tested = set().union(*(want for _, want in symbols(tests or programs)))
    shown = {name for define, _ in symbols(libraries) for name in define if not name.endswith("_free")} - wanted - ALLOWED
    mentions = count_words(source)
    faults = [f"{name} is used by no program, but by tests" for name in sorted(shown & tested - set(FOR_TESTS)) if mentions[name] < 2]
    faults += [f"{name} is used by no other file" for name in sorted(shown - tested)]
    faults += [f"{name} is used by a program, or by nobody: tests/unused.py needs no reason for it" for name in sorted(set(FOR_TESTS) - (shown & tested))
               if tests]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit(main())
