# SPDX-License-Identifier: MIT
"""Mailings: sending what waits with a cap beside the same without, and claims while many wait for an opening."""
import subprocess

import part_claims
from instance import Instance, Sink, program
from load import in_turns
from part_drain import Drain

# Messages of which as many wait for an opening as are named last.
PLACE = """\
CREATE DATABASE IF NOT EXISTS {0}; GRANT ALL ON {0}.* TO posthouse@localhost;
CREATE TABLE IF NOT EXISTS {0}.workspace LIKE posthouse.workspace; CREATE TABLE IF NOT EXISTS {0}.outbox LIKE posthouse.outbox;
INSERT INTO {0}.workspace (id, name, created) VALUES (UNHEX(REPEAT('01', 16)), 'tenant', 1);
INSERT INTO {0}.outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at, reason)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), UNHEX(REPEAT('01', 16)), UNHEX(LPAD(HEX(seq), 32, '0')), X'0000', 0, 1,
 IF(seq <= 1000, 1000 + seq, 3500000000000), IF(seq <= 1000, NULL, 'hours: may leave from 2080-11-28T15:06:40.000Z')
FROM {0}.seq_1_to_{1}"""
UNCLAIM = "UPDATE {0}.outbox SET ready_at = 1000 + CONV(HEX(id), 16, 10), owner = NULL, token = NULL WHERE owner IS NOT NULL"


class Mailings(Drain):
    """A drain of mailings of a topic, each to a person of its own."""

    def __init__(self, instance, sink, count):
        super().__init__(instance, sink, count)
        self.topic = instance.call("POST", "/v1/topics", {"name": "Bench"})["id"]

    def fill(self, count=None):
        subprocess.run([*self.fill_command, str(count or self.count), self.topic], check=True)

    def leave(self, cap):
        self.instance.call("PUT", "/v1/sending", {"cap": cap})
        self.fill()
        begin = self.spent()
        return self.spool(), self.count / (self.spent() - begin)


def capped(run):
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no")
        try:
            drain = Mailings(instance, sink, run.messages)
            drain.leave(None)
            plain, own = in_turns(run.rounds, lambda: drain.leave(None), lambda: drain.leave({"mailings": 1000, "days": 365}))
        finally:
            instance.stop()
    finally:
        sink.stop()
    for i, what in enumerate(("", ", a second of the processors")):
        run.report.compare("with a cap" + what, [o[i] for o in own], "without", [p[i] for p in plain], goal=0.7)


def waiting(run):
    many = 20000 if run.quick else 1000000
    instance = Instance()

    def again():
        rates = part_claims.claims(instance, 6, "few", "many")
        for name in ("few", "many"):
            instance.sql(UNCLAIM.format(name))
        return rates
    try:
        instance.give_room()
        for name, count in (("few", 1000), ("many", 1000 + many)):
            instance.sql(PLACE.format(name, count))
        instance.settle()
        few, most = zip(*(again() for _ in range(1 if run.quick else 15)))
    finally:
        instance.stop()
    run.report.compare(f"claims while {many} wait for an opening", most, "none", few, goal=0.9)


def sending(run):
    run.report.begin(f"Mailings: {run.messages} to as many people, 4 jobs")
    capped(run)
    waiting(run)
