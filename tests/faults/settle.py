#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills a database server whose disk is busy: it shows rows that are not on its disk yet, and has lost them when it starts again. Nobody may be
told that such rows are stored, and no journal may be removed because of them.
"""

import http.client
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import faults
from relay import Relay

HOLD = os.path.join(faults.BUILD, "tests/faults/hold.so")
wrong = []


def expect(what, got, want):
    print(f"{'ok   ' if got == want else 'FAULT'} {what}: {got}", flush=True)
    if got != want:
        wrong.append(what)


def wait(what, ready, seconds=60):
    end = time.time() + seconds
    while not (found := ready()):
        if time.time() > end:
            raise TimeoutError(what)
        time.sleep(0.02)
    return found


class Database:
    """The instance's server, and a file that keeps it from writing to its disk."""

    def __init__(self, instance):
        self.instance = instance
        self.hold = os.path.join(instance.top, "hold")
        pid = instance.pid("database")
        with open(f"/proc/{pid}/cmdline") as file:
            self.command = file.read().split("\0")[:-1]
        self.folder = os.readlink(f"/proc/{pid}/cwd")
        instance.sql("CREATE DATABASE IF NOT EXISTS test; CREATE TABLE test.busy (id INT) ENGINE=InnoDB")
        os.kill(pid, signal.SIGTERM)
        wait("the end of the database server", lambda: not os.path.exists(f"/proc/{pid}"))
        self.start()

    def is_ready(self):
        try:
            return self.instance.sql("SELECT 1")
        except subprocess.CalledProcessError:
            return False

    def start(self):
        env = {**os.environ, "LD_PRELOAD": HOLD, "POSTHOUSE_HOLD": self.hold}
        self.process = subprocess.Popen(self.command, cwd=self.folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait("the database server", self.is_ready)

    def busy(self):
        """From now on no COMMIT reaches the disk: behind one that waits, the others are not even written."""
        with open(self.hold, "w"):
            pass
        self.leader = threading.Thread(target=self.commit, daemon=True)
        self.leader.start()
        wait("a COMMIT that waits for the disk", lambda: self.commits(True))

    def commit(self):
        try:
            self.instance.sql("INSERT INTO test.busy VALUES (1)")
        except subprocess.CalledProcessError:
            pass  # it was killed

    def idle(self):
        os.unlink(self.hold)
        self.leader.join()

    def lose(self):
        """Kills it while its disk is busy, and starts it again."""
        self.process.kill()
        self.process.wait()
        self.idle()
        self.start()

    def commits(self, by_test=False):
        """How many COMMITs wait for the disk, besides those that count figures."""
        return int(self.instance.sql("SELECT COUNT(*) FROM information_schema.processlist WHERE command = '%s'"
                                     " AND state IN ('Commit', 'Updating status') AND info NOT LIKE '%%metric%%'"
                                     % ("Query" if by_test else "Execute"))[0][0])

    def count(self, table):
        return int(self.instance.sql(f"SELECT COUNT(*) FROM {table}")[0][0])


class Post(threading.Thread):
    """A request to send an email; its status is 0 where the connection broke."""

    def __init__(self, instance, key):
        super().__init__(daemon=True)
        self.instance, self.key, self.status, self.id = instance, key, None, None
        self.start()

    def run(self):
        body = {"from": f"me@{self.instance.domain}", "to": ["user@example.net"], "subject": self.key, "html": "<p>Hi"}
        try:
            connection = http.client.HTTPConnection(self.instance.host, self.instance.port, timeout=120)
            connection.request("POST", "/v1/emails", json.dumps(body), {
                "Authorization": "Bearer " + self.instance.env["POSTHOUSE_KEY"], "Idempotency-Key": self.key})
            answer = connection.getresponse()
            self.id = json.loads(answer.read()).get("id")
            self.status = answer.status
        except (OSError, ValueError, http.client.HTTPException):
            self.status = 0


def rows_shown(database, emails):
    return lambda: database.count("email") > emails


def answered_or_waiting(database, post):
    return lambda: post.status is not None or database.commits() > 1


def repeat(instance, database, subject):
    """A request whose COMMIT waits for the disk, and another with the same Idempotency-Key. Returns both.

    A process that writes its figures just now waits for the disk before it takes a request. Then the disk is let go, and two others are made.
    """
    for attempt in range(20):
        key = f"{subject} {attempt}"
        # A process that has answered nothing for a while has figures to write first.
        for _ in range(4):
            for post in [Post(instance, f"{key} {number}") for number in range(16)]:
                post.join()
        emails = database.count("email")
        database.busy()
        posts = [Post(instance, key)]
        try:
            wait("rows that are not on the disk", rows_shown(database, emails), 5)
            posts.append(Post(instance, key))
            wait("the second request", answered_or_waiting(database, posts[1]), 5)
            return posts
        except TimeoutError as slow:
            print(f"once more: {slow}", flush=True)
            database.idle()
            for post in posts:
                post.join()
    raise TimeoutError("two requests that wait for the disk")


def repeated_requests(instance, database):
    first, second = repeat(instance, database, "kept")
    database.idle()
    first.join()
    second.join()
    expect("requests that the disk keeps", (first.status, second.status), (201, 201))
    expect("both answer the same email", first.id == second.id, True)
    first, second = repeat(instance, database, "lost")
    database.lose()
    first.join()
    second.join()
    expect("emails of the lost request", database.instance.sql(f"SELECT COUNT(*) FROM email WHERE subject = '{first.key}'"), [["0"]])
    expect("it is answered 201", 201 in (first.status, second.status), False)


def main():
    tempfile.tempdir = "/var/tmp"  # on a disk: in memory, a database server keeps its log without fsync
    relay = Relay(1)
    instance = faults.Instance([relay], 10, "spool")
    instance.env["DATABASE_SOCKET"] = os.path.join(instance.dir, "database.socket")
    try:
        database = Database(instance)
        try:
            repeated_requests(instance, database)
        finally:
            if os.path.exists(database.hold):
                database.idle()
            database.process.terminate()
            database.process.wait()
    finally:
        instance.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
