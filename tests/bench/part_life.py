# SPDX-License-Identifier: MIT
"""The whole life of emails: accepted, sent to a sink, reported as delivered, opened once each; processor time of all programs."""
import concurrent.futures
import email.policy
import http.client
import json
import os
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

from instance import BUILD, Instance
from load import html_of, in_turns

REPORT = """\
From: MAILER-DAEMON@example.net
To: {0}
Subject: Delivery report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: text/plain

It was delivered.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; {1}
Action: delivered
Status: 2.0.0
--b--
"""
ONCE = 4  # clients


class Keeper:
    """A relay that keeps each message: [(return path, recipient, bytes), ...]."""

    def __init__(self):
        self.messages = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            # Replies go out at once, as those of a mail server do: else each message waits 40 ms for an ACK.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            connection.sendall(b"220 keeper\r\n")
            for line in lines:
                word = line[:4].upper()
                if word == b"EHLO":
                    connection.sendall(b"250-keeper\r\n250 PIPELINING\r\n")
                elif word == b"DATA":
                    connection.sendall(b"354 go on\r\n")
                    self.messages.append((sender, recipient, b"".join(iter(lines.readline, b".\r\n"))))
                    connection.sendall(b"250 2.0.0 ok\r\n")
                elif word == b"QUIT":
                    return connection.sendall(b"221 bye\r\n")
                else:
                    if word == b"MAIL":
                        sender = address(line)
                    elif word == b"RCPT":
                        recipient = address(line)
                    connection.sendall(b"250 ok\r\n")

    def stop(self):
        self.listener.close()


def address(line):
    return line.split(b"<")[1].split(b">")[0].decode()


def pixel(message):
    """The path of the pixel of a message."""
    html = email.message_from_bytes(message, policy=email.policy.default).get_body(("html",)).get_content()
    return urllib.parse.urlsplit(re.search(r'<img[^>]* src="([^"]+)"', html).group(1)).path


def ask(instance, requests):
    """Sends requests, each (method, path, body), over some connections."""
    port = urllib.parse.urlsplit(instance.url).port

    def some(own):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for method, path, body in own:
            connection.request(method, path, body, {**instance.auth, "User-Agent": "Mozilla/5.0 Firefox/128.0"})
            answer = connection.getresponse()
            if answer.status >= 400:
                raise SystemExit(f"bench: {path}: {answer.status} {answer.read()}")
            answer.read()
    with concurrent.futures.ThreadPoolExecutor(ONCE) as pool:
        list(pool.map(some, [requests[i::ONCE] for i in range(ONCE)]))


class Side:
    """An instance of a version, with its relay."""

    def __init__(self, build):
        self.build, self.keeper, self.given, self.looked = build, Keeper(), 0, 0.0
        # The relay only takes messages: reports tell that they were delivered.
        self.instance = Instance(f"smtp.port={self.keeper.port}", "smtp.final=no", build=build)
        self.instance.give_room()
        domain = self.instance.env["POSTHOUSE_DOMAIN"]
        id = next(d["id"] for d in self.instance.call("GET", "/v1/domains")["domains"] if d["name"] == domain)
        self.instance.call("PATCH", f"/v1/domains/{id}", {"open_tracking_enabled": True})
        self.html = html_of(5000)

    def stop(self):
        self.instance.stop()
        self.keeper.stop()

    def spent(self):
        """The processor time of all its programs, without that of looking how far they are."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(self.instance.spent().values()) + children.ru_utime + children.ru_stime - self.looked

    def work(self, *command):
        subprocess.run([os.path.join(self.build, command[0]), *command[1:]], check=True, env=self.instance.env,
                       stdout=subprocess.DEVNULL)

    def accept(self, count):
        first, self.given = self.given, self.given + count
        ask(self.instance, [("POST", "/v1/emails", json.dumps({
            "from": self.instance.sender, "to": f"user{n}@example.net", "subject": "A bench", "html": self.html}))
                            for n in range(first, self.given)])

    def deliver(self):
        with tempfile.TemporaryDirectory(prefix="posthouse-maildir.") as maildir:
            for folder in "new", "cur", "tmp":
                os.mkdir(os.path.join(maildir, folder))
            for n, (sender, recipient, _) in enumerate(self.keeper.messages):
                with open(os.path.join(maildir, "new", str(n)), "w") as file:
                    file.write(REPORT.format(sender, recipient))
            self.work("posthouse", "report", "--maildir", maildir)

    def open(self):
        ask(self.instance, [("GET", pixel(message), None) for *_, message in self.keeper.messages])

    def wait(self, status):
        """Waits until so many are stored: opens are stored behind their answers."""
        counted = f"SELECT COUNT(DISTINCT email_id) FROM posthouse.event WHERE status = {status}"
        for _ in range(60):
            time.sleep(0.5)
            before = self.spent()
            number = int(self.instance.sql(counted)[0])
            self.looked += self.spent() - before
            if number >= self.given:
                return
        raise SystemExit("bench: not all emails came so far")

    def life(self, count):
        """Microseconds of processor time for each email: {step: µs}."""
        self.keeper.messages.clear()
        took, last = {}, self.spent()
        for name, *steps in (("accepted", lambda: self.accept(count)),
                             ("sent", lambda: self.work("posthouse-spool", "--once", "--jobs", "2")),
                             ("delivered", self.deliver, lambda: self.wait(DELIVERED)),
                             ("opened", self.open, lambda: self.wait(OPENED)),
                             ("written to the disk", self.instance.settle)):
            for step in steps:
                step()
            now = self.spent()
            took[name], last = 1e6 * (now - last) / count, now
        return took


DELIVERED, OPENED = 2, 5  # see lib/store/email/event.h


def life(run):
    count = 50 if run.quick else run.messages
    run.report.begin(f"The whole life of {count} emails of 5 KB")
    sides = []
    try:
        for build in [BUILD] + ([run.before] if run.before else []):
            sides.append(Side(build))
            sides[-1].life(50)
        rounds = in_turns(run.rounds, *(lambda side=side: side.life(count) for side in sides))
    finally:
        for side in sides:
            side.stop()
    for name in rounds[0][0]:
        tell(run, name, [[each[name] for each in side] for side in rounds])
    tell(run, "all", [[sum(each.values()) for each in side] for side in rounds], goal=0.6)


def tell(run, name, sides, goal=None):
    """The processor time of a step beside that of the version before."""
    if len(sides) > 1:
        run.report.compare(f"processor time of an email, {name}", sides[0], "the version before", sides[1], unit="µs",
                           goal=goal, at_most=True)
    else:
        run.report.value(f"processor time of an email, {name}", sorted(sides[0])[len(sides[0]) // 2], "µs")
