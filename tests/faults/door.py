#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills posthouse-smtpd at each of its crash points, while clients repeat what was not answered 250. Each message that they send leaves once;
a spool that is killed may send again the message whose reply it had not read. Each mail that comes in is stored once, and a webhook is told of
it under one id, whenever its sender is killed.
"""

import base64
import collections
import json
import os
import signal
import smtplib
import socket
import subprocess
import sys
import time
import urllib.request

import faults
from receiver import Receiver
from relay import Relay, count_left

POINTS = ["door-taken", "commit-before", "commit-after", "received-noted", "received-told", "door-stored"]
WEBHOOK_POINTS = ["webhook-answer", "webhook-recorded", "webhook-batch"]
TIMES = (1, 2) if "--long" not in sys.argv else range(1, 13)
DEATHS = 3  # for each time
MESSAGES = 4  # for each kill, in each direction


class Told(Receiver):
    """Notes the ids of the mail of which it is told, with the ids under which it is told."""

    def __init__(self):
        super().__init__(1)
        self.mail = collections.defaultdict(set)

    def note(self, path, headers, body):
        event = json.loads(body)
        if event["type"] == "email.received":
            self.mail[event["data"]["id"]].add(headers["webhook-id"])


def call(instance, method, path, body=None):
    request = urllib.request.Request(instance.env["POSTHOUSE_URL"] + path, json.dumps(body).encode() if body else None,
                                     {"Authorization": "Bearer " + instance.env["POSTHOUSE_KEY"]}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Door:
    """A door that is killed at a point; its first process lives, and starts others."""

    def __init__(self, instance, point):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = instance.log
        self.env = {**instance.env, "POSTHOUSE_FAULT": point}
        self.broken = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([os.path.join(faults.BUILD, "tests/faults/posthouse-smtpd"), "--listen", f"127.0.0.1:{self.port}"],
                                        env=self.env, stderr=self.log)

    def send(self, sender, recipient, message, login=None):
        """One attempt. Returns whether it was taken for good."""
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=60) as client:
                if login:
                    client.login("posthouse", login)
                client.sendmail(sender, [recipient], message)
            return True
        except smtplib.SMTPServerDisconnected:
            self.broken += 1
        except smtplib.SMTPResponseException as refusal:
            if refusal.smtp_code >= 500:
                raise
        except OSError:  # it does not listen yet, or not any more
            if self.process.poll() is not None:
                self.start()
        time.sleep(0.02)
        return False

    def insist(self, *arguments, **more):
        """Repeats a message until it is taken. After some deaths the door lives, since each new process would die at its first."""
        while not self.send(*arguments, **more):
            if self.broken == DEATHS and "POSTHOUSE_FAULT" in self.env:
                self.stop()
                del self.env["POSTHOUSE_FAULT"]
                self.start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def message(sender, recipient, name):
    return f"From: {sender}\r\nTo: {recipient}\r\nSubject: {name}\r\nMessage-ID: <{name}@client.example>\r\n\r\nHello\r\n"


def load(instance, point, name):
    """Sends and delivers messages to a door that is killed at a point. Returns how many sessions were broken."""
    door = Door(instance, point)
    me, out, own = f"me@{instance.domain}", "ann@example.net", f"info@{instance.domain}"
    for number in range(MESSAGES):
        door.insist(me, out, message(me, out, f"sent-{name}-{number}"), login=instance.env["POSTHOUSE_KEY"])
        door.insist("joe@example.net", own, message("joe@example.net", own, f"came-{name}-{number}"))
    door.stop()
    return door.broken


def left(relay):
    """How often each message left."""
    dots = collections.defaultdict(list)
    for dot in sorted(relay.dots, key=lambda dot: dot.time):
        dots[dot.envelope_id].append(dot)
    return [count_left(of_one) for of_one in dots.values()]


def main():
    relay, told = Relay(1), Told()
    instance = faults.Instance([relay], 10, "spool", "smtpd.incoming=yes")
    instance.env["DATABASE_SOCKET"] = os.path.join(instance.dir, "database.socket")
    wrong = []

    def expect(what, got, want):
        print(f"{'ok   ' if got == want else 'FAULT'} {what}: {got}", flush=True)
        if got != want:
            wrong.append(what)

    try:
        call(instance, "PATCH", "/v1/domains/" + call(instance, "GET", "/v1/domains")["domains"][0]["id"], {"receiving": True})
        told.keys["/in"] = base64.b64decode(call(instance, "POST", "/v1/webhooks", {
            "url": told.url("/in"), "events": ["email.received"]})["secret"].removeprefix("whsec_"))
        killed = collections.Counter()
        runs = [(point, n) for point in POINTS for n in TIMES]
        for point, n in runs:
            killed[point] += load(instance, f"{point}:{n}", f"{point}-{n}")
        for point in POINTS:
            expect(f"sessions that {point} has broken", killed[point] > 0, True)
        count = len(runs) * MESSAGES
        expect("emails", instance.sql("SELECT COUNT(*), COUNT(DISTINCT subject) FROM email"), [[str(count), str(count)]])
        expect("mail that came in", instance.sql("SELECT COUNT(*) FROM received"), [[str(count)]])
        deaths = sum(instance.spool("--once", "--jobs", "1", fault=f"{point}:{n}", wait=True).returncode != 0
                     for point in WEBHOOK_POINTS for n in (3, 1))
        expect("spools that were killed", deaths > 0, True)
        copies, deliveries = faults.drain(instance)
        expect("what is left", (copies, deliveries), (0, 0))
        times = left(relay)
        expect("messages that left once", (len(times), set(times)), (count, {1}))
        expect("mail that the webhook was told of, each under one id", (len(told.mail), {len(ids) for ids in told.mail.values()}), (count, {1}))
    finally:
        instance.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
