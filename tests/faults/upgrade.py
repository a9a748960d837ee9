#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""posthouse schema migrate on large tables, while the statements of an older program go on: how long does one of them wait?

A database gets the steps of schema/ up to a number, and rows. Then requests come at a steady rate, each by its own connection, with the statements
of that schema, since the older program goes on meanwhile. The migration may be killed at random, and is run again. At last the schema is that of a
new database, and nothing is missing. The steps of --finish follow: the older program's statements of this file do without the keys that these take away.
One connection asks for nothing: a machine that stalls lets it wait, too.
"""

import argparse
import collections
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SRC = os.path.abspath(os.environ.get("srcdir", os.path.join(os.path.dirname(__file__), "..", "..")))
BUILD = os.path.abspath(os.environ.get("builddir", SRC))
FILES = {int(os.path.basename(path)[:4]): path for path in sorted(glob.glob(os.path.join(SRC, "schema", "[0-9]*.sql")))}
RATE = 10  # requests a second of each kind
LIMIT = 1.0  # seconds that a request may wait

# Numbers become ids in their order. @n is the number of rows.
ID = "UNHEX(CONCAT(LPAD(HEX({0}), 16, '0'), LEFT(MD5({0}), 16)))"
FILL = """\
SET @n = {rows}, @w = REPEAT('w', 16), @a = REPEAT('a', 16), @b = REPEAT('b', 16), unique_checks = 0, foreign_key_checks = 0;
INSERT INTO workspace (id, name, created) VALUES (@w, 'upgrade', 1);
INSERT INTO audience (id, workspace_id, name, created, updated) VALUES (@a, @w, 'A', 1, 1), (@b, @w, 'B', 1, 1);
INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject, tags, created)
  SELECT {id}, @w, REPEAT('d', 16), 1, CONCAT('Me <me@x', seq MOD 100, '.example>'), CONCAT('u', seq, '@example.net'), 'Hello',
  '{{"kind":"news"}}', seq FROM seq_1_to_{rows};
INSERT INTO recipient (email_id, number, workspace_id, kind, address, status, status_at)
  SELECT {id}, 0, @w, 0, CONCAT('u', seq, '@example.net'), 1, seq FROM seq_1_to_{rows};
INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp) SELECT {id}, {id}, @w, 0, 1, seq FROM seq_1_to_{rows};
INSERT INTO contact (audience_id, address, id, workspace_id, email, first_name, is_subscribed, created, updated)
  SELECT @a, CONCAT('u', LPAD(seq, 8, '0'), '@example.net'), {id}, @w, CONCAT('u', LPAD(seq, 8, '0'), '@example.net'), 'First', 1, 1, 1
  FROM seq_1_to_{rows};
INSERT INTO contact (audience_id, address, id, workspace_id, email, first_name, is_subscribed, created, updated)
  SELECT @b, CONCAT('u', LPAD(seq * 10, 8, '0'), '@example.net'), {later}, @w, CONCAT('u', LPAD(seq * 10, 8, '0'), '@example.net'), 'Second', 1, 1, 2
  FROM seq_1_to_{tenth};
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, created, updated, entered)
  SELECT {id}, @w, CONCAT('u', LPAD(seq, 8, '0'), '@example.net'), CONCAT('u', LPAD(seq, 8, '0'), '@example.net'), '{{}}', 1, 1, 'order', 1, 1, 1, 0
  FROM seq_1_to_{rows};
INSERT INTO automation_event (id, workspace_id, contact_id, name, timestamp, properties, created)
  SELECT {id}, @w, {id}, 'order', seq, '{{}}', seq FROM seq_1_to_{rows};
INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email, version, status, step_id, step_count, step_time, created, updated)
  SELECT {id}, @w, REPEAT('f', 16), {id}, {id}, CONCAT('u', LPAD(seq, 8, '0'), '@example.net'), 1, 3, 's', 1, 1, 1, 1 FROM seq_1_to_{rows};
INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id, contact_id, step_id, depth)
  SELECT {id}, @w, REPEAT('f', 16), {id}, {id}, 's', 0 FROM seq_1_to_{rows};
INSERT INTO suppression (id, workspace_id, address, hash, reason, scope, created)
  SELECT {id}, @w, CONCAT('u', LPAD(seq * 100, 8, '0'), '@example.net'), NULL, 3, 2, 1 FROM seq_1_to_{hundredth};
INSERT INTO idempotency (workspace_id, name, request, answer, created) SELECT @w, MD5(seq), REPEAT('r', 32), '{{}}', seq FROM seq_1_to_{rows}
"""

# The statements of a request, by its kind. {n}: a new number; {old}: that of a row.
NOTHING = "nothing"
REQUESTS = {
    NOTHING: "DO 0",
    "send": "BEGIN; INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject, created) VALUES ({id}, {w}, {w}, 1, 'a@x.example',"
            " 'b@example.net', 'New', {n}); INSERT INTO recipient (email_id, number, workspace_id, kind, address) VALUES ({id}, 0, {w}, 0, 'b@example.net');"
            " INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at) VALUES ({id}, {w}, {id}, '00', 0, {n}, {n});"
            " INSERT INTO idempotency (workspace_id, name, request, answer, created) VALUES ({w}, 'n{n}', REPEAT('r', 32), '{{}}', {n}); COMMIT",
    "deliver": "BEGIN; INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp) VALUES ({oldid}, {id}, {w}, 0, 1, {n});"
               " UPDATE recipient SET status = 1, status_at = {n} WHERE email_id = {oldid} AND number = 0;"
               " UPDATE email SET sent = {n} WHERE id = {oldid} AND workspace_id = {w}; COMMIT",
    "read": "SELECT e.subject, r.status, v.timestamp FROM email e JOIN recipient r ON r.email_id = e.id JOIN event v ON v.email_id = e.id WHERE e.id = {oldid}"
            " AND e.workspace_id = {w}",
    "change a contact": "UPDATE contact SET is_subscribed = 1 - is_subscribed, updated = {n} WHERE audience_id = REPEAT('a', 16) AND address = '{address}'",
    "list contacts": "SELECT address, first_name FROM contact WHERE audience_id = REPEAT('a', 16) AND address > '{address}' ORDER BY address LIMIT 20",
    "event": "BEGIN; UPDATE person SET event_count = event_count + 1, last_seen = {n} WHERE id = {oldid}; INSERT INTO automation_event"
             " (id, workspace_id, contact_id, name, timestamp, properties, created) VALUES ({id}, {w}, {oldid}, 'order', {n}, '{{}}', {n}); COMMIT",
}

SHAPE = """\
SET group_concat_max_len = 10000000;
SELECT table_name, ordinal_position, column_name, column_type, is_nullable, column_default, collation_name FROM information_schema.columns
  WHERE table_schema = DATABASE() ORDER BY 1, 3;
SELECT table_name, index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics WHERE table_schema = DATABASE() ORDER BY 1, 2, 3"""


class Database:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="posthouse-upgrade.")
        self.socket = os.path.join(self.dir, "s")
        user = "root" if os.getuid() == 0 else __import__("pwd").getpwuid(os.getuid()).pw_name
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={self.dir}/data", f"--user={user}",
                        "--auth-root-authentication-method=normal", "--skip-test-db"], check=True, capture_output=True)
        self.process = subprocess.Popen(
            ["mariadbd", "--no-defaults", f"--user={user}", f"--datadir={self.dir}/data", f"--socket={self.socket}", "--skip-networking",
             f"--log-error={self.dir}/err.log", "--innodb-buffer-pool-size=1G", "--innodb-log-file-size=1G", "--performance-schema=0"])
        while True:
            try:
                self.sql("SELECT 1", "mysql")
                return
            except subprocess.CalledProcessError:
                time.sleep(0.1)

    def sql(self, text, name="posthouse"):
        return subprocess.run(["mariadb", "--no-defaults", "-S", self.socket, "-u", "root", "-N", "-B", name], check=True, input=text,
                              capture_output=True, text=True).stdout

    def number(self, query):
        return int(self.sql(query))

    def config(self, name):
        path = os.path.join(self.dir, name + ".conf")
        with open(os.path.join(self.dir, "secret"), "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write("0123456789abcdef0123456789abcdef\n")
        os.makedirs(os.path.join(self.dir, "spool"), 0o700, exist_ok=True)
        with open(path, "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(f"[database]\nsocket={self.socket}\nuser=root\nname={name}\n[service]\nsecret_file={self.dir}/secret\n"
                       f"[spool]\ndir={self.dir}/spool\n")
        return path

    def make(self, name, last):
        """A database with the steps of schema/ up to a number."""
        self.sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb4", "mysql")
        self.sql("CREATE TABLE schema_version (version INT NOT NULL, name VARCHAR(100) NOT NULL, applied BIGINT NOT NULL, PRIMARY KEY (version))"
                 " ENGINE=InnoDB", name)
        for number, path in FILES.items():
            if number <= last:
                with open(path) as file:
                    self.sql(file.read(), name)
                self.sql(f"INSERT INTO schema_version VALUES ({number}, 'before', 0)", name)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


class Client(threading.Thread):
    """Requests of one kind, by a connection of their own."""

    def __init__(self, database, kind, number, rows):
        super().__init__(daemon=True)
        self.kind, self.number, self.rows, self.ending = kind, number, rows, threading.Event()
        self.times, self.failures = [], []
        self.session = subprocess.Popen(["mariadb", "--no-defaults", "-S", database.socket, "-u", "root", "-N", "-B", "-n", "--force", "posthouse"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", bufsize=1)
        self.ask("SET tx_isolation = 'READ-COMMITTED', innodb_lock_wait_timeout = 5, lock_wait_timeout = 30")

    def ask(self, text):
        self.session.stdin.write(text + "; SELECT 'the end';\n")
        self.session.stdin.flush()
        for line in self.session.stdout:
            if line.startswith("ERROR"):
                self.failures.append(line.strip())
            if line == "the end\n":
                return

    def run(self):
        count = 0
        while not self.ending.wait(1 / RATE):
            count += 1
            old, new = random.randint(1, self.rows), 10**9 * self.number + count
            text = REQUESTS[self.kind].format(id=ID.format(new), oldid=ID.format(old), n=new, w="REPEAT('w', 16)", address=f"u{old:08}@example.net")
            begin = time.monotonic()
            self.ask(text)
            self.times.append((begin, time.monotonic() - begin))

    def end(self):
        self.ending.set()
        self.join()
        self.session.stdin.close()
        self.session.wait()


def migrate(config, kills, *options):
    """Yields the time and name of each step that has ended. Kills the program so often, at random."""
    while True:
        process = subprocess.Popen([os.path.join(BUILD, "posthouse"), "--config", config, "schema", "migrate", *options], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        killer = threading.Timer(random.uniform(0.1, 20), process.kill)
        if kills > 0:
            killer.start()
        for line in process.stdout:
            yield time.monotonic(), line.strip()
        killer.cancel()
        status = process.wait()
        if status == 0:
            return
        if status != -9:
            sys.exit(f"upgrade: the migration ended with {status}")
        kills -= 1
        print("killed", flush=True)


def report(clients, steps, begin):
    waits = sorted((wait, at, client.kind) for client in clients for at, wait in client.times)
    print(f"{'step':28} {'s':>7} {'longest wait':>13}")
    for end, name in steps:
        during = [entry for entry in waits if entry[1] < end and entry[1] + entry[0] > begin]
        if end - begin > 0.2 or (during and during[-1][0] > 0.2):
            longest = during[-1] if during else (0, 0, "-")
            print(f"{name:28} {end - begin:7.1f} {1000 * longest[0]:10.0f} ms  {longest[2]}")
        begin = end
    for client in clients:
        own = sorted(wait for _, wait in client.times)
        print(f"{client.kind:28} {len(own)} requests, median {1000 * own[len(own) // 2]:.1f} ms, longest {1000 * own[-1]:.0f} ms,"
              f" {len(client.failures)} failed")
    return waits[-1]


def is_stall(clients, wait, at):
    """Whether who asked for nothing waited at least half as long at the same time."""
    nothing = next(client for client in clients if client.kind == NOTHING)
    return any(begin < at + wait and begin + own > at and own > wait / 2 for begin, own in nothing.times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000000, help="of each large table")
    parser.add_argument("--from", dest="base", type=int, default=106, help="the number of the last step that the database has")
    parser.add_argument("--kills", type=int, default=0)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all that runs is stopped
    rows, faults = arguments.rows, []
    database = Database()
    try:
        database.make("posthouse", arguments.base)
        begin = time.monotonic()
        database.sql(FILL.format(rows=rows, tenth=rows // 10, hundredth=rows // 100, id=ID.format("seq"), later=ID.format(f"seq + {2 * rows}")))
        print(f"{rows} rows in each of the large tables, after {time.monotonic() - begin:.0f} s", flush=True)
        clients = [Client(database, kind, number, rows) for number, kind in enumerate(REQUESTS, 1)]
        for client in clients:
            client.start()
        time.sleep(5)
        begin = time.monotonic()
        steps = list(migrate(database.config("posthouse"), arguments.kills))
        steps += migrate(database.config("posthouse"), arguments.kills, "--finish")
        took = time.monotonic() - begin
        time.sleep(2)
        for client in clients:
            client.end()
        longest, at, _ = report(clients, steps, begin)
        stall = is_stall(clients, longest, at)
        print(f"the migration took {took:.1f} s; the longest wait was {1000 * longest:.0f} ms{', as the machine stalled' if stall else ''}")
        if longest > LIMIT and not stall:
            faults.append(f"a request waited {longest:.1f} s")
        faults += [f"{client.kind}: {failure}" for client in clients for failure in client.failures[:3]]
        faults += reckon(database, clients, rows)
    finally:
        database.stop()
    print("ok" if not faults else f"{len(faults)} faults")
    for fault in faults:
        print("FAULT", fault)
    return 1 if faults else 0


def reckon(database, clients, rows):
    """The schema is that of a new database, and each row is there."""
    database.sql("CREATE DATABASE fresh CHARACTER SET utf8mb4", "mysql")
    list(migrate(database.config("fresh"), 0))
    faults = []
    columns = lambda name: {re.sub(r"^(\S+)\t\d+\t", r"\1\t", line) for line in database.sql(SHAPE, name).splitlines()}
    for line in sorted(columns("posthouse") ^ columns("fresh")):
        faults.append(f"schema: {line}")
    sent = len(next(client for client in clients if client.kind == "send").times)
    for what, query, want in (("emails", "SELECT COUNT(*) FROM email", rows + sent),
                              ("contacts", "SELECT COUNT(*) FROM contact", rows + rows // 10),
                              ("people", "SELECT COUNT(*) FROM person", rows),
                              ("contacts that are not joined", "SELECT COUNT(*) FROM contact WHERE email <> ''", 0),
                              ("people without a name", "SELECT COUNT(*) FROM person WHERE first_name IS NULL", 0),
                              ("emails without their workflow", f"SELECT COUNT(*) FROM email WHERE workflow_id IS NULL AND created <= {rows}", 0),
                              ("choices", "SELECT COUNT(*) FROM choice", rows // 100)):
        got = database.number(query)
        print(f"{what:30} {got}")
        if got != want:
            faults.append(f"{what}: got {got}, want {want}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
