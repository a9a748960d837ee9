#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that posthouse-smtpd(8) has each reply that the code of the SMTP door writes, and no other. A reply is a string that begins with
three digits; the manual may leave out the sentence, where that is another each time."""
import glob
import os
import re
import sys

ROOT = os.environ.get("srcdir", ".")
MANUAL = "man/posthouse-smtpd.8"
SOURCES = ["lib/intake/*.c", "lib/received/*.c", "smtpd/*.c"]
REPLY = re.compile(r"[2-5]\d\d( \d\.\d\.\d+)?( .*)?")
CODE = re.compile(r"[2-5]\d\d( \d\.\d\.\d+)?")
# One or more strings, between which there may be a word such as G_GSIZE_FORMAT, which is the rest of a %.
STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:[A-Z0-9_]+\s*)?"(?:[^"\\\n]|\\.)*")*')


def replies_of(text):
    """The replies in a source, each with % for what is put in."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for match in STRINGS.finditer(text):
        literal = re.sub(r'"\s*"', "", match[0])
        literal = re.sub(r'%"\s*[A-Z0-9_]+\s*"', "%", literal)[1:-1].removesuffix(r"\r\n").rstrip(" ")
        literal = re.sub(r"%[-.*0-9]*[a-z]*", "%", literal)
        if REPLY.fullmatch(literal):
            yield literal


def listed_in(text):
    """The replies in the manual."""
    section = text.partition(".Ss Replies\n")[2].partition("\n.Sh ")[0]
    return [entry for line in section.splitlines() if line.startswith(".It ") for entry in re.findall(r'"([^"]*)"', line)]


def fits(reply, entry):
    """Whether an entry of the manual is for a reply."""
    if CODE.fullmatch(entry) or CODE.fullmatch(reply):
        return CODE.match(entry)[0] == CODE.match(reply)[0]
    return re.fullmatch(".+".join(map(re.escape, reply.split("%"))), entry) is not None


def faults(replies, entries):
    for reply in sorted(replies):
        if not any(fits(reply, entry) for entry in entries):
            yield f"{MANUAL} does not have the reply {reply!r}"
    for entry in entries:
        if not any(fits(reply, entry) for reply in replies):
            yield f"{MANUAL} has {entry!r}, which no code writes"
        if entries.count(entry) > 1:
            yield f"{MANUAL} has {entry!r} twice"


def check_itself():
    source = 'x("550 5.1.1 No"); y("452 4.2.2 At most %" G_GSIZE_FORMAT " bytes"); z("250 2.0.0 as "\n "%s\\r\\n"); /* "500 Comment" */ {"554 5.6.0"}'
    found = set(replies_of(source))
    assert found == {"550 5.1.1 No", "452 4.2.2 At most % bytes", "250 2.0.0 as %", "554 5.6.0"}, found
    good = ["550 5.1.1 No", "452 4.2.2 At most N bytes", "250 2.0.0 as ID", "554 5.6.0"]
    assert not list(faults(found, good))
    assert list(faults(found, good[1:])) and list(faults(found, good + ["550 5.1.1 Other"])) and list(faults(found, good + good[:1]))


def main():
    check_itself()
    replies = set()
    for pattern in SOURCES:
        for path in glob.glob(os.path.join(ROOT, pattern)):
            with open(path) as file:
                replies.update(replies_of(file.read()))
    with open(os.path.join(ROOT, MANUAL)) as file:
        entries = listed_in(file.read())
    wrong = list(faults(replies, entries))
    if len(replies) < 40:
        wrong.append(f"there are only {len(replies)} replies in the code")
    for fault in wrong:
        print(fault)
    sys.exit(1 if wrong else 0)


main()
