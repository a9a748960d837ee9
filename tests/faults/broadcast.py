#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves that a broadcast reaches each person at most once: it starts and leaves while spools and database are killed, people leave and join,
and it is paused and goes on. With smtp.uncertain = hold nobody gets it twice; each who was due got it, or is held because its relay's reply
was lost; nobody else got it.
"""

import argparse
import collections
import json
import os
import random
import sys
import time
import types
import urllib.error
import urllib.request

import faults
from relay import Relay

# Of many domains, since one that defers is asked more slowly (doc/relays.md), and a relay that goes away answers 421.
ADDRESS = "CONCAT('p', seq, '@d', seq % 100, '.example.net')"
FILL = f"""SET @w = (SELECT id FROM workspace LIMIT 1), @a = UNHEX('{{audience}}');
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, entered, seen, created, updated, agreed)
 SELECT UNHEX(CONCAT('0190', LPAD(HEX(seq), 8, '0'), '7000', '8000', LPAD(HEX(seq), 12, '0'))), @w, {ADDRESS},
 {ADDRESS}, '{{{{}}}}', 1, 1, '', 0, 0, 1, 1, 1, 1 FROM seq_{{first}}_to_{{last}};
INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed, created, updated)
 SELECT @a, {ADDRESS}, UNHEX(MD5(seq)), @w, '', 1, 1, 1 FROM seq_{{first}}_to_{{last}};"""
PAUSE = 0.05  # of the moments at which it is looked at


def address_of(i):
    """As ADDRESS."""
    return f"p{i}@d{i % 100}.example.net"


class House:
    """An instance with a broadcast; also what Chaos asks about the load."""

    def __init__(self, relay, people, seed):
        self.people, self.relay, self.random = people, relay, random.Random(seed)
        self.instance = faults.Instance([relay], 10, "spool", "smtp.uncertain=hold")
        self.instance.env["DATABASE_SOCKET"] = os.path.join(self.instance.dir, "database.socket")
        self.audience = self.call("POST", "/v1/audiences", {"name": "All"})["id"]
        self.fill(1, people)
        html = "<p>Hello</p><a href='{{unsubscribe_url}}'>no more</a>"
        self.path = "/v1/broadcasts/" + self.call("POST", "/v1/broadcasts", {
            "from": f"me@{self.instance.domain}", "subject": "S", "html": html, "audiences": [self.audience]})["id"]
        self.left = set()  # before it started: they are not due
        for i in self.random.sample(range(1, people + 1), 20):
            self.leave(i)
            self.left.add(i)
        self.late = set()  # they left meanwhile
        self.is_paused = False
        self.call("POST", self.path + "/send", {})

    def fill(self, first, last):
        self.instance.sql(FILL.format(audience=self.audience.replace("-", ""), first=first, last=last))

    def leave(self, i):
        self.call("POST", "/v1/suppressions", {"email": address_of(i), "reason": "unsubscribed"})

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.instance.env["POSTHOUSE_URL"] + path, None if body is None else json.dumps(body).encode(),
                                         {"Authorization": "Bearer " + self.instance.env["POSTHOUSE_KEY"]}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def change(self, state):
        """Pauses or resumes it. It may be in that state already."""
        try:
            self.call("POST", f"{self.path}/{state}")
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise

    def done(self):
        """Whether it has all left; sometimes pauses it for a moment, and lets somebody leave."""
        self.instance.end_rest(self.relay)  # else most of the time would pass in rests of a minute
        try:
            if self.random.random() < PAUSE:
                self.is_paused = True  # and stays so until a request to resume is answered
                self.change("pause")
            if self.is_paused:
                self.change("resume")
                self.is_paused = False
            if self.random.random() < PAUSE:
                i = self.random.randrange(1, self.people + 1)
                self.late.add(i)
                self.leave(i)
            rows = self.instance.sql("SELECT b.is_complete, (SELECT COUNT(*) FROM broadcast_recipient WHERE queue IS NOT NULL) FROM broadcast b")
            return rows[0] == ["1", "0"]
        except (OSError, faults.http.client.HTTPException, urllib.error.HTTPError, faults.subprocess.CalledProcessError):
            return False  # the database is away

    def progress(self):
        """The part of the people whose messages have a final state: the strikes are spread over the whole of it."""
        try:
            counts = self.call("GET", self.path)["counts"]
        except (OSError, faults.http.client.HTTPException):
            return 0
        return 1 - counts["pending"] / counts["recipients"] if counts["recipients"] else 0

    def finish(self):
        """Runs spools at later and later times, until only what is held is left."""
        for _ in range(3):
            try:
                self.change("resume")
            except urllib.error.HTTPError:
                pass  # a connection of before the last kill
        now = int(time.time() * 1000)
        for hours in [0, 0.1, 0.3, 0.6, 1, 2, 3, 5, 8, 12, 16, 20, 24, 32, 40, 47]:
            self.instance.spool("--once", "--now", str(now + int(hours * faults.HOUR) + 60000), wait=True, log=sys.stderr)
            if self.instance.sql("SELECT COUNT(*) FROM outbox WHERE ready_at IS NOT NULL") == [["0"]]:
                return

    def reckon(self, relay):
        got = collections.Counter(r for dot in relay.dots if dot.accepted for r in dot.recipients)
        held = {address for address, in self.instance.sql(
            "SELECT r.address FROM outbox o JOIN recipient r ON r.email_id = o.email_id AND r.number = CONV(HEX(o.recipients), 16, 10)")}
        counts = self.call("GET", self.path)["counts"]
        for i in range(1, self.people + 101):
            address = address_of(i)
            if got[address] > 1:
                yield f"{address} got it {got[address]} times"
            if got[address] and (i in self.left or i > self.people):
                yield f"{address} got it, and was not due"
            if not got[address] and address not in held and i <= self.people and i not in self.left | self.late:
                yield f"{address} did not get it"
        # Somebody may leave before the start has looked at them.
        most = len(self.left | self.late)
        if counts["recipients"] + counts["excluded"] != self.people or not len(self.left) <= counts["excluded"] <= most:
            yield f"the start made {counts}"
        if counts["pending"] != len(held):
            yield f"{len(held)} are held, and it counts {counts}"
        print(f"people {self.people}, got {len(got)}, held {len(held)}, left {len(self.left)} and {len(self.late)}: {counts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    relay = Relay(arguments.seed)
    house = House(relay, arguments.people, arguments.seed)
    try:
        chaos = faults.Chaos(house.instance, [relay], types.SimpleNamespace(trouble=0), arguments.seed, 10)
        chaos.run(house, arguments.kills)
        house.instance.start()
        house.fill(arguments.people + 1, arguments.people + 100)  # they join later
        house.finish()
        wrong = list(house.reckon(relay))
        for name in ("kills", "database kills", "relay outages", "stops", "full disks", "clock jumps"):
            print(f"{name:16} {chaos.counts[name]}")
        for fault in wrong[:20]:
            print(f"FAULT {fault}")
    finally:
        house.instance.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
