#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills the spool where it looks at people's choices, and around it, while people leave; then looks that nobody got a mailing after
leaving, everybody else got one, and nobody two.
"""

import json
import os
import random
import sys
import urllib.request

import faults
from relay import Relay, count_left

POINTS = ["consent-asked", "commit-before", "commit-after", "journal-data-before", "journal-done-after"]
TIMES = (1, 2, 3)
PEOPLE = 150


class House:
    """An instance, its topic, and who has left."""

    def __init__(self, relay):
        self.relay = relay
        self.instance = faults.Instance([relay], 10, "spool")
        self.instance.env["DATABASE_SOCKET"] = os.path.join(self.instance.dir, "database.socket")
        self.left = {}  # address: how many mailings it had when it left
        self.doubtful = 0  # so many of them had one whose reply a spool that died had not read
        self.topic = self.call("POST", "/v1/topics", {"name": "News"})["id"]
        for i in range(PEOPLE):
            self.call("POST", "/v1/people", {"email": address(i)})
            email = {"from": f"me@{self.instance.domain}", "to": address(i), "subject": "S", "html": "<p>{{unsubscribe_url}}</p>"}
            self.call("POST", "/v1/emails", email if i % 2 else {**email, "topic_id": self.topic})

    def call(self, method, path, body):
        request = urllib.request.Request(self.instance.env["POSTHOUSE_URL"] + path, json.dumps(body).encode(),
                                         {"Authorization": "Bearer " + self.instance.env["POSTHOUSE_KEY"]}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def dots(self, person):
        return sorted((dot for dot in self.relay.dots if dot.accepted and person in dot.recipients), key=lambda dot: dot.time)

    def got(self, person):
        return count_left(self.dots(person))

    def leave(self, i):
        """No spool runs now, so what left before is known."""
        if address(i) in self.left:
            return
        self.left[address(i)] = self.got(address(i))
        self.doubtful += any(not dot.acknowledged for dot in self.dots(address(i)))
        if i % 2:
            self.call("POST", "/v1/suppressions", {"email": address(i), "reason": "unsubscribed"})
        else:
            self.call("PATCH", "/v1/people/" + address(i), {"topics": {self.topic: False}})

    def spool(self, point=None):
        """True when it came to its end, and was not killed."""
        return self.instance.spool("--once", "--jobs", "1", fault=point, wait=True).returncode == 0

    def count(self, what):
        return int(self.instance.sql(f"SELECT COUNT(*) FROM {what}")[0][0])

    def faults(self):
        for i in range(PEOPLE):
            person, got = address(i), self.got(address(i))
            if got != self.left.get(person, 1):
                yield f"{person} got {got} mailings, {f'{self.left[person]} before leaving' if person in self.left else 'and never left'}"
        suppressed = self.count("event WHERE status = 8")
        stopped = sum(had == 0 for had in self.left.values())
        if not stopped <= suppressed <= stopped + self.doubtful:
            yield f"{suppressed} events say suppressed, of {stopped} who left before their turn"


def address(i):
    return f"p{i}@example.net"


def main():
    chance = random.Random(18)
    house = House(Relay(1))
    killed, wrong = 0, []
    try:
        runs = [f"{point}:{n}" for n in TIMES for point in POINTS]
        for run in runs:
            for i in chance.sample(range(PEOPLE), 4):
                house.leave(i)
            killed += not house.spool(run)
        end = faults.time.time() + 120
        while faults.time.time() < end and house.count("outbox"):
            house.spool()
            faults.time.sleep(0.5)
        wrong = list(house.faults())
        for fault in wrong:
            print("FAULT", fault)
        print(f"killed {killed} of {len(runs)}; {len(house.left)} of {PEOPLE} left, {sum(house.left.values())} of them after their mailing")
        if killed < len(runs) // 2:
            wrong.append("killed")
            print("FAULT too few were killed")
    finally:
        house.instance.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
