#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of clients in doc/resend.md, made of the runs of the tests.

matrix.py [--write] DOCUMENT FILE...

A line of a file is a call of a client: client, version, call and status, with tabs between. A status is ok, "not served" (answered
501), or "failed: " and why. Fails on a call that failed, and on a row of the document that the files make otherwise; with --write, it
writes these rows. A row of a client that is in none of the files stays as it is: its test was not run here.
"""
import re
import sys

BEGIN, END = "<!-- clients: made by tests/resend/matrix.py -->", "<!-- clients: end -->"
HEAD = ["| client | version | run | not served |", "|---|---|---|---|"]
NAMED = 4  # so many calls are named, more are counted


def read(files):
    """The calls and their statuses of each client and version."""
    runs = {}
    for name in files:
        with open(name, encoding="utf-8") as file:
            for line in file:
                client, version, call, status = line.rstrip("\n").split("\t")
                runs.setdefault((client, version), {})[call] = status
    return runs


def parts(call):
    """Its words; what it is made with belongs to the last one."""
    name, *options = re.split("(?= with )", call, maxsplit=1)
    words = re.findall(r"[^. ]+[. ]?", name)
    return words[:-1] + [words[-1] + "".join(options)]


def shortened(calls, every, place=0):
    """Names of calls; those that begin alike are one name where nothing else of the client begins so."""
    names = []
    groups = {}
    for call in calls:
        groups.setdefault("".join(parts(call)[:place + 1]), []).append(call)
    for prefix, members in groups.items():
        if len(members) == 1:
            names += [f"`{members[0]}`"]
        elif members == [call for call in every if call.startswith(prefix)] and prefix[-1] in ". ":
            names += [f"`{prefix}*` ({len(members)})"]
        else:
            names += shortened(members, every, place + 1)
    return names


def row(client, version, calls):
    every = sorted(calls)
    unserved = [call for call in every if calls[call] == "not served"]
    run = ", ".join(f"`{call}`" for call in every) if len(every) <= NAMED else f"{len(every)} calls"
    return f"| {client} | {version} | {run} | {', '.join(shortened(unserved, every)) or '–'} |"


def key(line):
    client, version = [cell.strip() for cell in line.split("|")[1:3]]
    return client.lower(), [int(number) for number in re.findall(r"\d+", version)], version


def rows_of(text):
    inside = text[text.index(BEGIN) + len(BEGIN):text.index(END)]
    return [line for line in inside.splitlines() if line.startswith("| ") and line not in HEAD]


def main():
    words = sys.argv[1:]
    writes = words[0] == "--write"
    document, files = words[writes], words[writes + 1:]
    runs = read(files)
    with open(document, encoding="utf-8") as file:
        text = file.read()
    failed = [f"{client} {version}: {call}: {status}" for (client, version), calls in runs.items()
              for call, status in calls.items() if status not in ("ok", "not served")]
    clients = {client for client, _ in runs}
    others = [line for line in rows_of(text) if line.split("|")[1].strip() not in clients]
    want = sorted([row(*run, calls) for run, calls in runs.items()] + others, key=key)
    if writes:
        table = "\n".join([BEGIN, "", *HEAD, *want, "", END])
        text = text[:text.index(BEGIN)] + table + text[text.index(END) + len(END):]
        with open(document, "w", encoding="utf-8") as file:
            file.write(text)
    got = rows_of(text)
    differs = [f"{document} has no: {line}" for line in want if line not in got]
    differs += [f"{document} has, and no run: {line}" for line in got if line not in want]
    print("\n".join(failed + differs) or f"{sum(map(len, runs.values()))} calls of {len(runs)} clients")
    sys.exit(1 if failed or differs else 0)


main()
