#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report of make bench: a goal is reached at the goal and missed beside it; the table and the plot hold all figures."""
import contextlib
import io
import json
import os
import sys
import tempfile
import types
import xml.etree.ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ.get("srcdir", "."), "tests/bench"))
import plot  # noqa: E402
import report  # noqa: E402

# name, ours and floor of each round, goal, whether it is an upper limit, want: median ratio, whether it is reached
GOALS = [("at the goal", [50, 60, 40], [100, 100, 100], 0.5, False, 0.5, True),
         ("below the goal", [49, 60, 40], [100, 100, 100], 0.5, False, 0.49, False),
         ("at the limit", [300], [100], 3, True, 3, True),
         ("above the limit", [301], [100], 3, True, 3.01, False),
         ("no goal", [300], [100], None, False, 3, None)]
TABLE = "| at the goal | 50/s | SELECT: 100/s | 0.50 (0.40 to 0.60) | ≥ 0.5 | yes |"


def made():
    r = report.Report(types.SimpleNamespace(seconds=1, rounds=3, quick=False))
    with contextlib.redirect_stdout(io.StringIO()):
        r.begin("Part")
        for name, ours, floor, goal, at_most, _, _ in GOALS:
            r.compare(name, ours, "SELECT", floor, goal=goal, at_most=at_most)
        r.value("memory", 20.4, "MB", goal=20, at_most=True)
    return r


def differences():
    r = made()
    for row, (name, _, _, _, _, ratio, reached) in zip(r.rows, GOALS):
        if (round(row.ratio, 2), row.reached) != (ratio, reached):
            yield f"{name}: got {row.ratio:.2f} {row.reached}, want {ratio} {reached}"
    if r.rows[-1].reached is not False:
        yield "a value above its limit is taken as reached"
    with tempfile.TemporaryDirectory() as folder:
        r.write_markdown(folder + "/table")
        r.write_json(folder + "/figures")
        with open(folder + "/table") as table, open(folder + "/figures") as figures:
            if TABLE not in table.read().splitlines():
                yield f"the table has no line {TABLE}"
            if [row["name"] for row in json.load(figures)["rows"]] != [row.name for row in r.rows]:
                yield "the JSON has other rows"
    lines = [("a < b", {1: 10, 8: 50}, 0, False), ("floor", {1: 12, 8: 51}, 0, True)]
    picture = xml.etree.ElementTree.fromstring(plot.svg("Title", "Caption", lines))
    points = [line.get("points") for line in picture.iter("{http://www.w3.org/2000/svg}polyline")]
    if [len(p.split()) for p in points] != [2, 2]:
        yield f"the plot has the points {points}, want two lines of two"
    if plot.apart([100, 90, 300]) != [106, 90, 300]:
        yield f"labels stand at {plot.apart([100, 90, 300])}"


def main():
    bad = list(differences())
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
