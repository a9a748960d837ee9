#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each struct, enum, variable and function that a header of a room shows begins with the room's name, and a function is found by its
name: few names stand for more than one."""
import collections
import glob
import os
import re
import sys

ROOMS = [line.split("	")[1].strip() for line in open(os.path.join(os.environ.get("srcdir", "."), "tests/rooms")) if line.startswith("room	")]
# The error domain of the whole project, the cleanup macros, and connect(2), which lib/smtp puts in front of the system's.
ALLOWED = {"ph_error", "ph_error_quark", "DEFINE_AUTO", "connect"}
# Of all functions, those that share their name with another; the entry points of programs count, too.
SHARED = 0.08


def plain(text):
    """Without comments, strings and the insides of braces."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.M)
    while re.search(r"\{[^{}]*\}", text):
        text = re.sub(r"\{[^{}]*\}", "<>", text)
    return text


def shown(text):
    yield from re.findall(r"^(?:struct|enum)\s+(\w+)\s*<>", text, flags=re.M)
    yield from re.findall(r"^(?!typedef|static|return)[A-Za-z_][\w \t*]*?[\s*](\w+)\s*\([^;]*\)[^;()]*;", text, flags=re.M)
    for names in re.findall(r"^extern [^;(]*;", text, flags=re.M):
        yield from re.findall(r"(\w+)(?:\[\w*\])?\s*[,;]", names)


def functions():
    """The names of all functions that are defined, and how often each is."""
    names = collections.Counter()
    for path in glob.glob("**/*.c", recursive=True):
        if path.startswith(("lib/", "fcgi/", "cli/", "spool/", "smtpd/", "tests/")):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
            names.update(re.findall(r"^(?!Test|[A-Z_]+\()(\w+)\([^;{}]*\)\n\{", text, flags=re.M))
    return names


def main():
    os.chdir(os.environ.get("srcdir", "."))
    bad = []
    for room in ROOMS:
        prefix = os.path.basename(room)
        for header in sorted(glob.glob(room + "/**/*.h", recursive=True)):
            with open(header) as file:
                names = set(shown(plain(file.read())))
            bad += [f"{header}: {name} does not begin with {prefix}" for name in sorted(names)
                    if name not in ALLOWED and name != prefix and not name.startswith(prefix + "_")]
    names = functions()
    shared = {name: count for name, count in names.items() if count > 1}
    if sum(shared.values()) > SHARED * sum(names.values()):
        often = sorted(shared, key=shared.get, reverse=True)[:20]
        bad.append("too many functions share their name with another: " + ", ".join(f"{name} ({shared[name]})" for name in often))
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
