# SPDX-License-Identifier: MIT
"""Claims of the outbox: while little and much waits, of one workspace and of many."""
import os
import subprocess

from instance import Instance, program

# A database with the tables of which claims read and write.
PLACE = """\
CREATE DATABASE IF NOT EXISTS {0}; GRANT ALL ON {0}.* TO posthouse@localhost;
CREATE TABLE IF NOT EXISTS {0}.workspace LIKE posthouse.workspace; CREATE TABLE IF NOT EXISTS {0}.outbox LIKE posthouse.outbox;
TRUNCATE {0}.workspace; TRUNCATE {0}.outbox;
INSERT INTO {0}.workspace (id, name, created) SELECT UNHEX(LPAD(HEX(seq), 32, '0')), CONCAT('tenant ', seq), 1
FROM {0}.seq_1_to_{1};
INSERT INTO {0}.outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(LPAD(HEX(1 + seq % {1}), 32, '0')), UNHEX(LPAD(HEX(seq), 32, '0')), X'0000', 0, 1, 1000 + seq
FROM {0}.seq_1_to_{2};"""


def claims(instance, batches, *names):
    """Claims of 100 rows in a second, in each of these databases of the instance; they take turns, batch by batch."""
    with open(instance.env["POSTHOUSE_CONFIG"]) as file:
        settings = file.read()
    paths = [os.path.join(instance.dir, name + ".conf") for name in names]
    for name, path in zip(names, paths):
        with open(path, "w") as file:
            file.write(settings.replace("[database]\n", f"[database]\nname = {name}\n", 1))
        os.chmod(path, 0o600)
    out = subprocess.run([program("tests/bench/claim"), str(batches), *paths], check=True, capture_output=True, text=True).stdout
    return [float(rate) for rate in out.split()]


UNCLAIM = ("UPDATE %s.outbox SET ready_at = 1000 + CONV(HEX(id), 16, 10), owner = NULL, token = NULL"
           " WHERE ready_at > 2000000000000")


def fill(instance, places):
    for place in places:
        instance.sql(PLACE.format(*place))
    instance.settle()


def claim(run):
    """How long a claim of 100 rows takes while so many wait."""
    places = [("few", 1, 1000), ("many", 1, 20000 if run.quick else 1000000)]
    run.report.begin("Claims of 100 rows")
    instance = Instance()

    def again():
        rates = claims(instance, 6, "few", "many")
        for name, *_ in places:
            instance.sql(UNCLAIM % name)
        return rates
    try:
        instance.give_room()
        fill(instance, places)
        few, many = zip(*(again() for _ in range(1 if run.quick else 15)))
    finally:
        instance.stop()
    run.report.compare(f"claims while {places[1][2]} wait", many, "1000", few, goal=0.9)


def turns(run):
    """How long a claim of 100 rows takes while mail of so many workspaces waits."""
    size, rows, batches = (50, 4000, 20) if run.quick else (1000, 100000, 400)
    places = [("one", 1, rows), ("many", size, rows)]
    run.report.begin("Claims in turns of workspaces")
    instance = Instance()

    def again():
        fill(instance, places)
        return claims(instance, batches, "one", "many")
    try:
        instance.give_room()
        one, many = zip(*(again() for _ in range(run.rounds)))
    finally:
        instance.stop()
    run.report.compare(f"claims while mail of {size} workspaces waits", many, "1", one, goal=0.9)
