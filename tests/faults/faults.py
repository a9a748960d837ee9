#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves "no loss, no double": load, while everything is killed, stopped, cut off and broken, and then the reckoning.

Each email that was answered 201 must have reached exactly one final state for each recipient, must have been taken by the relay unless it was
refused, and must have been taken twice only where the client had not read the reply to the first final dot. Two webhooks, one of them with
batches, must have been told each recorded event at least once, each time under one webhook-id. With several relays, one for each order, the
first dies and comes back by chance; the others take its mail meanwhile, and all of this holds for them together.
"""

import argparse
import base64
import collections
import http.client
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from receiver import Receiver
from relay import Relay

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", SRC))
POINTS = [
    "journal-data-before", "journal-data-after", "reply", "journal-done-before", "journal-done-after",
    "journal-cut-before", "journal-cut-after", "commit-before", "commit-after", "webhook-batch", "webhook-answer",
    "webhook-recorded",
]
FINAL = {1: "sent", 9: "bounced", 10: "failed"}
HOUR = 3600 * 1000


class Instance:
    """A whole Posthouse with the programs of the test build, started by quickstart."""

    def __init__(self, relays, lease, mode, *more):
        self.top = tempfile.mkdtemp(prefix="posthouse-faults.")
        self.dir = os.path.join(self.top, "run")
        self.bin = os.path.join(self.top, "bin")
        os.mkdir(self.bin)
        for name in ("posthouse.fcgi", "posthouse-spool"):
            os.symlink(os.path.join(BUILD, "tests/faults", name), os.path.join(self.bin, name))
        os.symlink(os.path.join(BUILD, "posthouse"), os.path.join(self.bin, "posthouse"))
        self.options = ["--dir", self.dir, "--port", "0", "--no-demo", "--no-spool"]
        settings = ["smtp.final=no", "smtp.timeout=5", f"spool.lease={lease}", f"service.mode={mode}", "spool.batch=20",
                    "fetch.allow=127.0.0.0/8", *more]
        if len(relays) == 1:
            relays[0].name = f"127.0.0.1:{relays[0].port}"
            settings.append(f"smtp.port={relays[0].port}")
        for order, relay in enumerate(relays if len(relays) > 1 else [], 1):
            relay.name = f"order{order}"
            settings += [f"relay {relay.name}.{key}={value}"
                         for key, value in (("host", "127.0.0.1"), ("port", relay.port), ("tls", "none"), ("order", order))]
        for setting in settings:
            self.options += ["--set", setting]
        self.start()
        self.log = open(os.path.join(self.top, "spools.log"), "a")  # closed with this process
        self.env = dict(os.environ)
        with open(os.path.join(self.dir, "env")) as file:
            for line in file:
                name, _, value = line.strip().removeprefix("export ").partition("=")
                self.env[name] = value.strip("'\"")
        address = self.env["POSTHOUSE_URL"].removeprefix("http://")
        self.host, port = address.split(":")
        self.port = int(port)
        self.domain = self.env["POSTHOUSE_DOMAIN"]

    def start(self):
        """Also brings back what has died."""
        subprocess.run([os.path.join(SRC, "quickstart"), *self.options], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "POSTHOUSE_BUILD": self.bin})

    def stop(self):
        stopped = subprocess.run([os.path.join(SRC, "quickstart"), "stop", "--dir", self.dir], check=False, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.top, ignore_errors=True)
        stopped.check_returncode()  # a sanitizer's report

    def pid(self, name):
        with open(os.path.join(self.dir, "pids", name)) as file:
            return int(file.read().split()[0])

    def workers(self):
        """The FastCGI processes that serve: the pool's children."""
        parents = collections.defaultdict(list)
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parents[int(file.read().rsplit(")", 1)[1].split()[1])].append(int(entry))
            except (OSError, ValueError, IndexError):
                continue
        return [worker for pool in parents[self.pid("server")] for worker in parents[pool]]

    def spool(self, *arguments, fault=None, wait=False, log=subprocess.DEVNULL, disk=None):
        """disk: how many bytes a file may have, as if the disk were full behind them."""
        def fill_disk():
            if disk is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (disk, disk))

        env = {**self.env, **({"POSTHOUSE_FAULT": fault} if fault else {})}
        # A group of its own, so that its jobs can be stopped with it.
        process = subprocess.Popen([os.path.join(self.bin, "posthouse-spool"), *arguments], env=env, stdout=log,
                                   stderr=log, start_new_session=True, preexec_fn=fill_disk)
        if wait:
            process.wait()
        return process

    def end_rest(self, relay):
        """As if the minute were over for which a relay rests."""
        try:
            os.truncate(os.path.join(self.dir, "spool", f"relay.{relay.name}"), 0)
        except FileNotFoundError:
            pass

    def add_webhook(self, receiver, path, batch):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request("POST", "/v1/webhooks", json.dumps({"url": receiver.url(path), "batch": batch}),
                           {"Authorization": "Bearer " + self.env["POSTHOUSE_KEY"]})
        secret = json.load(connection.getresponse())["secret"]
        receiver.keys[path] = base64.b64decode(secret.removeprefix("whsec_"))

    def sql(self, query):
        out = subprocess.run(["mariadb", "--no-defaults", "-S", self.env["DATABASE_SOCKET"], "-u", "root", "-N", "-B",
                              "posthouse", "-e", query], check=True, capture_output=True, text=True).stdout
        return [line.split("\t") for line in out.splitlines()]


class Load:
    """Clients that post emails, each until it is answered; a retry has the same Idempotency-Key."""

    def __init__(self, instance, seed, total, clients):
        self.instance, self.total = instance, total
        self.accepted = {}  # id → recipients
        self.repeats = 0
        self.lock = threading.Lock()
        self.next = 0
        self.threads = [threading.Thread(target=self.run, args=(seed * 1000 + i,), daemon=True) for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, seed):
        chance = random.Random(seed)
        connection = None
        while True:
            with self.lock:
                if self.next >= self.total:
                    return
                self.next += 1
                number = self.next
            recipients = [f"user{number}.{i}@example.net" for i in range(chance.choice([1, 1, 1, 1, 3]))]
            if chance.random() < 0.05:
                recipients.append(f"gone{number}@example.net")
            body = json.dumps({"from": f"faults@{self.instance.domain}", "to": recipients, "subject": f"Email {number}",
                               "html": f"<p>Email {number}</p>" * chance.randrange(1, 50)})
            while True:
                try:
                    connection = connection or http.client.HTTPConnection(self.instance.host, self.instance.port, timeout=60)
                    connection.request("POST", "/v1/emails", body, {
                        "Authorization": "Bearer " + self.instance.env["POSTHOUSE_KEY"], "Idempotency-Key": f"key-{number}"})
                    answer = connection.getresponse()
                    text = answer.read()
                    if answer.status == 201:
                        break
                    assert answer.status in (409, 500, 502, 503, 504), f"{answer.status} {text}"
                except (OSError, http.client.HTTPException):
                    connection = None
                self.repeats += 1
                time.sleep(0.05)
            with self.lock:
                self.accepted[json.loads(text)["id"]] = recipients

    def done(self):
        return not any(thread.is_alive() for thread in self.threads)

    def progress(self):
        """The part of the strikes that may have happened by now: they need not end before the load does."""
        return math.inf


class Chaos:
    """What goes wrong, by chance, until the load is done."""

    def __init__(self, instance, relays, receiver, seed, lease):
        self.instance, self.relays, self.receiver, self.lease = instance, relays, receiver, lease
        self.random = random.Random(seed)
        self.spools = []
        self.counts = collections.Counter()

    def kill(self, pid, number=signal.SIGKILL, group=False):
        try:
            (os.killpg if group else os.kill)(pid, number)
        except ProcessLookupError:
            return False
        return True

    def keep_spools(self):
        for process in [p for p in self.spools if p.poll() is not None]:
            self.spools.remove(process)
            self.counts["kills"] += process.returncode in (-signal.SIGKILL, 70)
        while len(self.spools) < 3:
            fault = None
            if self.random.random() < 0.7:
                fault = f"{self.random.choice(POINTS)}:{self.random.randrange(1, 12)}"
            self.spools.append(self.instance.spool("--for", str(self.random.randrange(2, 8)), "--jobs", "2", fault=fault, log=self.instance.log))

    def second_took(self):
        """Whether the second relay, if there is one, has taken a message, so that something is shown about both."""
        return len(self.relays) == 1 or bool(self.relays[1].dots)

    def raise_relay(self, relay):
        """The first stays away until the second has taken a message."""
        if relay is not self.relays[0] or self.second_took():
            relay.up()

    def toggle_relay(self):
        """Mostly the first: it dies, or is back, while the other strikes go on."""
        relay = self.relays[0] if self.random.random() < 0.8 else self.random.choice(self.relays)
        if relay.server:
            self.counts["relay outages"] += 1
            relay.down()
        else:
            self.raise_relay(relay)

    def strike(self):
        what = self.random.random()
        if len(self.relays) > 1 and self.random.random() < 0.2:
            self.toggle_relay()
        elif what < 0.45:
            workers = self.instance.workers()
            if workers:
                self.counts["kills"] += self.kill(self.random.choice(workers))
        elif what < 0.75:
            # The whole group: parent and jobs, each in the middle of whatever it does.
            self.counts["kills"] += 3 * self.kill(self.random.choice(self.spools).pid, group=True)
        elif what < 0.80:
            self.counts["database kills"] += 1
            self.kill(self.instance.pid("database"))
            # Now and then it is away for longer than a lease.
            time.sleep(self.lease * 1.2 if self.random.random() < 0.05 else self.random.random())
            self.instance.start()
        elif what < 0.88:
            self.counts["relay outages"] += 1
            relay = self.random.choice(self.relays)
            relay.down()
            time.sleep(self.random.random())
            self.raise_relay(relay)
        elif what < 0.90:
            # Its journal holds a few records, and then no more.
            self.counts["full disks"] += 1
            self.spools.append(self.instance.spool("--for", "3", disk=self.random.randrange(0, 4096), log=self.instance.log))
        elif what < 0.94:
            process = self.random.choice(self.spools)
            self.counts["stops"] += self.kill(process.pid, signal.SIGSTOP, group=True)
            threading.Timer(self.lease * 1.5, self.kill, (process.pid, signal.SIGCONT, True)).start()
        else:
            # A clock that is wrong by an hour.
            now = int(time.time() * 1000) + self.random.choice([-HOUR, HOUR])
            self.counts["clock jumps"] += 1
            self.spools.append(self.instance.spool("--for", "2", "--now", str(now), log=self.instance.log))

    def run(self, load, kills):
        for server in (*self.relays, self.receiver):
            server.trouble = 0.01
        if len(self.relays) > 1:
            # Mail waits for it then, so the second one has some to take.
            self.counts["relay outages"] += 1
            self.relays[0].down()
        while not (done := load.done()) or self.counts["kills"] < kills or not self.second_took():
            self.keep_spools()
            if len(self.relays) > 1 and self.random.random() < 0.2:
                self.instance.end_rest(self.random.choice(self.relays))
            if done or self.counts["strikes"] <= kills * load.progress():
                self.counts["strikes"] += 1
                self.strike()
            time.sleep(self.random.random() * 0.1)
        for server in (*self.relays, self.receiver):
            server.trouble = 0
        for relay in self.relays:
            relay.up()
        for process in self.spools:
            self.kill(process.pid, signal.SIGCONT, group=True)
            self.kill(process.pid, signal.SIGTERM, group=True)
            process.wait()


def drain(instance):
    """Runs spools at later and later times, until nothing is left to leave."""
    now = int(time.time() * 1000)
    for ahead in [0, 0.1, 0.3, 0.6, 1, 1.5, 2, 3, 5, 8, 12, 16, 20, 24, 30, 36, 40, 44, 47]:
        for _ in range(3):
            instance.spool("--once", "--jobs", "2", "--now", str(now + int(ahead * HOUR) + 60000), wait=True, log=instance.log)
        left = [int(n) for n in instance.sql("SELECT (SELECT COUNT(*) FROM outbox),"
                                             " (SELECT COUNT(*) FROM webhook_delivery WHERE status = 1)")[0]]
        if not any(left):
            break
    return left


def tell(instance, relays, email):
    """Prints everything that is known of an email."""
    key = email.replace("-", "")
    print(f"--- {email}")
    for table, column in (("email", "id"), ("recipient", "email_id"), ("event", "email_id"), ("outbox", "email_id")):
        rows = instance.sql(f"SELECT * FROM {table} WHERE {column} = 0x{key}")
        print(f"{table}: {len(rows)} rows")
        for row in rows:
            print("   ", *row)
    for answer in instance.sql(f"SELECT name, answer, created FROM idempotency WHERE answer LIKE '%{email}%'"):
        print("idempotency:", *answer)
    for relay in relays:
        for dot in relay.dots:
            if dot.envelope_id == email:
                print(f"{relay.name}: {dot.recipients} at {dot.time:.3f}, accepted {dot.accepted}, acknowledged {dot.acknowledged}")
    for folder in (os.path.join(instance.dir, "spool"), os.path.join(instance.dir, "log"), instance.top):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                content = file.read()
            if name.endswith(".journal"):
                print(f"journal {name}: {len(content)} bytes, {'names' if bytes.fromhex(key) in content else 'does not name'} it")
                continue
            for line in content.decode("utf-8", "replace").splitlines():
                if email in line or key in line.lower():
                    print(f"{name}: {line}")


def reckon(instance, relays, load):
    """Holds what was answered, what the database says and what the relays have seen against each other."""
    faults = []
    taken = collections.defaultdict(list)  # (email, recipient) → dots
    for dot in sorted((dot for relay in relays for dot in relay.dots), key=lambda dot: dot.time):
        for recipient in dot.recipients:
            if dot.accepted:
                taken[dot.envelope_id, recipient].append(dot)
    final = collections.defaultdict(list)
    named = {}  # (email, recipient) → the relay of the final event
    query = ("SELECT LOWER(CONCAT_WS('-', SUBSTR(h, 1, 8), SUBSTR(h, 9, 4), SUBSTR(h, 13, 4), SUBSTR(h, 17, 4), SUBSTR(h, 21))),"
             " address, status, relay FROM (SELECT HEX(r.email_id) h, r.address, e.status, e.relay FROM recipient r JOIN event e"
             " ON e.email_id = r.email_id AND e.recipient = r.number WHERE e.status IN (1, 9, 10)) x")
    for email, address, status, relay in instance.sql(query):
        final[email, address].append(FINAL[int(status)])
        named[email, address] = relay
    result = collections.Counter(emails=len(load.accepted))
    result.shown = set()
    for email, recipients in load.accepted.items():
        for recipient in recipients:
            states, dots = final[email, recipient], taken[email, recipient]
            result["recipients"] += 1
            if len(states) != 1:
                faults.append(f"{email} {recipient}: final states {states}")
                result["lost" if not states else "doubled"] += 1
                result.shown.add(email)
            elif states == ["sent"] and not dots:
                faults.append(f"{email} {recipient}: sent, but the relay has not seen it")
                result["lost"] += 1
                result.shown.add(email)
            elif states == ["sent"] and named[email, recipient] not in {dot.relay.name for dot in dots}:
                faults.append(f"{email} {recipient}: sent by {named[email, recipient]}, says its event, which has not seen it")
            elif states == ["bounced"] and not recipient.startswith("gone"):
                faults.append(f"{email} {recipient}: bounced for nothing")
            elif states == ["failed"]:
                faults.append(f"{email} {recipient}: given up")
            if len(dots) > 1:
                uncertain = all(not dot.acknowledged for dot in dots[:-1])
                result["uncertain" if uncertain else "doubled"] += 1
                if not uncertain:
                    result.shown.add(email)
                    faults.append(f"{email} {recipient}: taken {len(dots)} times, though the reply had been read")
    for email, recipient, status in instance.sql("SELECT LOWER(HEX(email_id)), number, COALESCE(status, 'none') FROM recipient"
                                                 " WHERE COALESCE(status, 0) NOT IN (1, 9, 10)"):
        faults.append(f"{email} {recipient}: its last event is not a final one, but {status}")
    known = {email for email in load.accepted}
    stray = {email for email, _ in taken} - known
    if stray:
        faults.append(f"{len(stray)} emails were sent that nobody was told of")
    for relay in relays:
        result["taken", relay.name] = sum(dot.accepted for dot in relay.dots)
        if not result["taken", relay.name]:
            faults.append(f"{relay.name} took nothing: nothing is shown about it")
    return result, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--emails", type=int, default=100000)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--relays", type=int, default=1, help="how many, each for the mail that those before it do not take")
    parser.add_argument("--mode", choices=["sync", "spool"], default="sync")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", action="store_true", help="leave the instance as it is at the end")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    lease = 10
    relays, receiver = [Relay(arguments.seed + number) for number in range(arguments.relays)], Receiver(arguments.seed)
    instance = Instance(relays, lease, arguments.mode, "log.level=info")
    instance.env["DATABASE_SOCKET"] = os.path.join(instance.dir, "database.socket")
    faults = ["it did not come to the end"]
    try:
        instance.add_webhook(receiver, "/one", False)
        instance.add_webhook(receiver, "/batch", True)
        load = Load(instance, arguments.seed, arguments.emails, arguments.clients)
        chaos = Chaos(instance, relays, receiver, arguments.seed, lease)
        chaos.run(load, arguments.kills)
        instance.start()
        copies, deliveries = drain(instance)
        result, faults = reckon(instance, relays, load)
        told, more = receiver.reckon(instance)
        faults += more
        if copies:
            faults.insert(0, f"{copies} copies are left in the outbox")
        if deliveries:
            faults.insert(0, f"{deliveries} deliveries to webhooks are left")
        for name in ("kills", "database kills", "relay outages", "stops", "full disks", "clock jumps"):
            print(f"{name:16} {chaos.counts[name]}")
        print(f"{'repeats':16} {load.repeats}")
        for name in ("emails", "recipients", "lost", "doubled", "uncertain"):
            print(f"{name:16} {result[name]}")
        for relay in relays:
            print(f"{relay.name:16} {result['taken', relay.name]}")
        for name in ("events", "untold", "again"):
            print(f"{name:16} {told[name]}")
        for fault in faults[:20]:
            print(f"FAULT {fault}")
        for email in sorted(result.shown)[:5]:
            tell(instance, relays, email)
    finally:
        if arguments.keep:
            print(f"kept {instance.top}")
        else:
            instance.stop()
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
