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


# So many executions that stand at a request, which is due.
ASKING = """\
USE posthouse;
TRUNCATE execution; TRUNCATE execution_step; TRUNCATE step_request; TRUNCATE person;
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, created, updated)
SELECT UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, CONCAT(seq, '@example.com'), CONCAT(seq, '@example.com'), '{}', 1, 1, 'order', 1, 1, 1
FROM seq_1_to_%d JOIN workflow WHERE name = 'Ask';
INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email, version, status, step_id, step_count, step_time,
  depth, created, updated)
SELECT p.id, p.workspace_id, w.id, p.id, p.id, p.email, 1, 1, 'r', 2, 1, 0, 1, 1 FROM person p JOIN workflow w WHERE w.name = 'Ask';
INSERT INTO step_request (execution_id, workspace_id, sequence, host, method, url, headers, body, timeout, most, attempts, due_at, token)
SELECT id, workspace_id, 2, '127.0.0.1:%s', 'POST', 'http://127.0.0.1:%s/', '[]', '{"type": "workflow.request"}', 10, 5, 0, 1, 0
FROM execution"""


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

    def asking(self):
        """A workflow whose executions stand at requests to the receiver."""
        design = {"nodes": [{"id": "t", "type": "trigger", "data": {"eventName": "ask"}},
                            {"id": "r", "type": "request", "data": {"url": f"http://127.0.0.1:{self.port}/"}}],
                  "edges": [{"source": "t", "target": "r"}]}
        self.instance.call("POST", "/v1/workflows", {"name": "Ask", "design": design, "status": "active"})

    def asked(self):
        """Requests of steps in a second, with the moves of their executions."""
        self.empty()
        self.instance.sql(ASKING % (self.count, self.port, self.port))
        seconds = self.spool("--once")
        over = int(self.instance.sql("SELECT COUNT(*) FROM posthouse.execution WHERE status = 3")[0])
        if over != self.count:
            raise SystemExit(f"bench: {over} of {self.count} executions have had their answer")
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
    t.asking()
    least, ours, asked, beside = in_turns(run.rounds, t.floor, t.rate, t.asked, lambda: t.rate(dead))
    run.report.compare("events told", ours, "curl, 4 connections", least, goal=0.5, note="5,000/s will do, too")
    run.report.compare("requests of workflows", asked, "events told", ours, goal=0.5)
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
