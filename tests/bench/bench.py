#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the service beside floors that are measured in the same run: the least that such a thing can cost on this machine.

The figures of a busy machine are noisy; the ratios are what counts. doc/performance.md tells how each is made.
"""

import argparse
import os
import signal
import sys

import part_automation
import part_broadcasts
import part_claims
import part_contacts
import part_drain
import part_figures
import part_http
import part_import
import part_journeys
import part_life
import part_pace
import part_pages
import part_reports
import part_search
import part_segments
import part_sending
import part_smtpd
import part_stored
import part_streams
import part_webhooks
import plot
import report

PARTS = {
    "http": lambda run: part_http.requests(run, "lighttpd"),
    "cost": part_http.cost,
    "fastify": part_http.fastify,
    "concurrency": part_http.concurrency,
    "latency": part_http.latency,
    "memory": part_http.memory,
    "proxy": lambda run: part_http.requests(run, "apache-proxy"),
    "fcgid": lambda run: part_http.requests(run, "apache"),
    "stored": part_stored.stored,
    "drain": part_drain.drain,
    "life": part_life.life,
    "pace": part_pace.pace,
    "streams": part_streams.streams,
    "claim": part_claims.claim,
    "turns": part_claims.turns,
    "contacts": part_contacts.contacts,
    "import": part_import.imports,
    "reports": part_reports.reports,
    "search": part_search.search,
    "segments": part_segments.segments,
    "sending": part_sending.sending,
    "automation": part_automation.automation,
    "journeys": part_journeys.journeys,
    "broadcasts": part_broadcasts.broadcasts,
    "figures": part_figures.figures,
    "webhooks": part_webhooks.webhooks,
    "smtpd": part_smtpd.smtpd,
    "pages": part_pages.pages,
}


class Run:
    """What the parts share: the options, the report, and one instance for all parts that send requests."""

    def __init__(self, arguments):
        self.seconds, self.rounds, self.messages = arguments.seconds, arguments.rounds, arguments.messages
        self.quick, self.before = arguments.quick, arguments.before
        self.report = report.Report(arguments)
        self.shared = None

    def house(self):
        if not self.shared:
            self.shared = part_http.House(readers=100 if self.quick else 2000)
        return self.shared

    def leave(self):
        if self.shared:
            self.shared.stop()
            self.shared = None


def part(name):
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"there is no part {name}")
    return name


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", type=part, metavar="part",
                        help=f"which to measure: {', '.join(PARTS)}; all, if none is named")
    parser.add_argument("--seconds", type=int, default=3, help="how long to load each operation in each round")
    parser.add_argument("--rounds", type=int, default=5, help="how often; the medians count")
    parser.add_argument("--messages", type=int, default=10000, help="how many to drain in each round")
    parser.add_argument("--quick", action="store_true", help="one round of a second on small sizes: a trial in 3 minutes")
    parser.add_argument("--before", metavar="BUILD", help="the build folder of an earlier version, to measure beside it")
    parser.add_argument("--json", metavar="FILE", help="write all figures there, too")
    parser.add_argument("--markdown", metavar="FILE", help="write a table for doc/performance.md there, too")
    parser.add_argument("--svg", metavar="FILE", help="plot the part concurrency there")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.rounds, arguments.messages = 1, 1, 500
    return arguments


def write(arguments, r):
    if arguments.json:
        r.write_json(arguments.json)
    if arguments.markdown:
        r.write_markdown(arguments.markdown)
    if arguments.svg and r.series:
        # Reads in one color, writes in the other; floors dashed.
        lines = [(name, rates, i // 2, i % 2 == 1) for i, (name, rates) in enumerate(r.series.items())]
        with open(arguments.svg, "w") as file:
            file.write(plot.svg("Requests a second over the number of connections", r.told(), lines))


def main():
    arguments = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that runs is stopped
    run = Run(arguments)
    print(run.report.told())
    wanted = arguments.parts or PARTS
    try:
        for name in filter(wanted.__contains__, PARTS):
            PARTS[name](run)
    finally:
        run.leave()
        write(arguments, run.report)


if __name__ == "__main__":
    main()
