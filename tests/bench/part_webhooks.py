# SPDX-License-Identifier: MIT
"""Deliveries to one receiver on loopback; beside one that is dead; while many wait; what a webhook costs those who send."""
import subprocess

from instance import Instance, Sink, program
from load import in_turns
from part_drain import Drain, timed

# More events that wait for the webhook that exists, in front of those that it has.
UNTOLD = ("SET @w = (SELECT id FROM posthouse.webhook LIMIT 1), @s = (SELECT id FROM posthouse.workspace LIMIT 1),"
          " @t = UNIX_TIMESTAMP() * 1000 - 120000;"
          "INSERT INTO posthouse.webhook_event (id, workspace_id, created, type, data)"
          " SELECT CONCAT(UNHEX(LPAD(HEX(@t), 12, '0')), UNHEX(CONCAT('7', LPAD(HEX(seq), 15, '0'))), LEFT(@w, 2)), @s, @t, 13, '{}'"
          " FROM posthouse.seq_1_to_%d;"
          "INSERT INTO posthouse.webhook_delivery (webhook_id, id, workspace_id, event_id, type, created, status, attempts,"
          " next_attempt) SELECT @w, CONCAT(LEFT(id, 14), RIGHT(@w, 2)), @s, id, 13, @t, 1, 0, @t FROM posthouse.webhook_event"
          " WHERE created = @t")


class Telling:
    def __init__(self, instance, port, count):
        self.instance, self.port, self.count = instance, port, count

    def fill(self, port, count):
        subprocess.run([program("tests/bench/webhooks"), "fill", self.instance.env["POSTHOUSE_CONFIG"], port, str(count)], check=True)

    def empty(self):
        for table in ("webhook", "webhook_event", "webhook_delivery", "webhook_attempt"):
            self.instance.sql(f"TRUNCATE posthouse.{table}")

    def told(self):
        return int(self.instance.sql("SELECT COUNT(*) FROM posthouse.webhook_delivery WHERE status = 2")[0])

    def spool(self, *options):
        return timed([program("posthouse-spool"), "--jobs", "4", *options], self.instance.env)

    def floor(self):
        out = subprocess.run([program("tests/bench/webhooks"), "floor", self.port, str(self.count)], check=True,
                             capture_output=True, text=True).stdout
        return float(out)

    def rate(self, dead=0):
        """Events told in a second, beside so many that wait for a dead receiver."""
        self.empty()
        if dead:
            self.fill("1", dead)
        self.fill(self.port, self.count)
        seconds = self.spool("--once")
        if self.told() != self.count:
            raise SystemExit(f"bench: {self.told()} of {self.count} events were told")
        return self.count / seconds

    def for_a_while(self):
        before = self.told()
        self.spool("--for", "4")
        return (self.told() - before) / 4


def webhooks(run):
    report, count = run.report, run.messages
    report.begin(f"Webhooks, {count} events to one receiver, 4 jobs")
    receiver = subprocess.Popen([program("tests/bench/webhooks"), "receive"], stdout=subprocess.PIPE, text=True)
    try:
        instance = Instance("fetch.allow=127.0.0.0/8")
        try:
            rates(run, Telling(instance, receiver.stdout.readline().strip(), count))
        finally:
            instance.stop()
    finally:
        receiver.kill()
        receiver.wait()
    recording(run)


def rates(run, t):
    dead, waiting = (1000, 20000) if run.quick else (100000, 1000000)
    least, ours, beside = in_turns(run.rounds, t.floor, t.rate, lambda: t.rate(dead))
    run.report.compare("events told", ours, "curl, 4 connections", least, goal=0.5, note="5,000/s will do, too")
    run.report.compare(f"beside a dead receiver for which {dead} wait", beside, "alone", ours, goal=0.95)
    t.empty()
    t.fill(t.port, 10 * t.count)
    few = t.for_a_while()
    t.empty()
    t.fill(t.port, 0)
    t.instance.sql(UNTOLD % waiting)
    run.report.compare(f"events told while {waiting} wait", [t.for_a_while()], f"{10 * t.count}", [few], goal=0.9)


def recording(run):
    """Sends messages, whose events are recorded for one webhook or for none. Its receiver is dead, so it rests, and nothing is told."""
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no", "fetch.allow=127.0.0.0/8")
        try:
            telling, drain = Telling(instance, "1", run.messages), Drain(instance, sink, run.messages)

            def sent(*urls):
                telling.empty()
                for url in urls:
                    instance.cli("webhook", "add", url)
                drain.fill()
                instance.settle()
                rate = drain.spool()
                events = int(instance.sql("SELECT COUNT(*) FROM posthouse.webhook_delivery")[0])
                if events < run.messages * len(urls):
                    raise SystemExit(f"bench: {events} deliveries of {run.messages} messages were recorded")
                return rate
            beside, alone = in_turns(run.rounds, lambda: sent("http://127.0.0.1:1/"), sent)
        finally:
            instance.stop()
    finally:
        sink.stop()
    run.report.compare("messages sent, a webhook for each event", beside, "no webhook", alone, goal=0.87, note="so that one costs 1.15 at most")
