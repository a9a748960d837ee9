# SPDX-License-Identifier: MIT
"""Broadcasts: the start, the bytes of a recipient, and sending beside single emails."""
import statistics
import subprocess
import time

from instance import Instance, Sink, program
from part_drain import Drain

FILL = """\
USE posthouse;
SET @w = (SELECT id FROM workspace LIMIT 1), @a = UNHEX('{audience}');
INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen, last_event, event_count, entered,
  seen, created, updated, agreed)
SELECT UNHEX(CONCAT(LPAD(HEX(1790000000000 + seq), 12, '0'), '7', SUBSTR(MD5(seq), 1, 3), '8', SUBSTR(MD5(seq), 4, 15))), @w,
  CONCAT('p', seq, '@example.org'), CONCAT('p', seq, '@example.org'), '{{"plan":"pro"}}', 1, 1, '', 0, 0, 1, 1, 1, 1
FROM seq_{first}_to_{last};
INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed, created, updated)
SELECT @a, CONCAT('p', seq, '@example.org'), UNHEX(MD5(seq)), @w, '', 1, 1, 1 FROM seq_{first}_to_{last};
UPDATE audience_counter SET contacts = {last} - {first} + 1 WHERE audience_id = @a AND stripe = 0;
ANALYZE TABLE person, contact;"""


def send(instance, audience, **plan):
    html = "<p>" + "An email of five kilobytes. " * 180 + '<a href="{{unsubscribe_url}}">no more</a></p>'
    broadcast = instance.call("POST", "/v1/broadcasts", {"from": instance.sender, "subject": "A bench", "html": html,
                                                         "audiences": [audience]})["id"]
    instance.call("POST", f"/v1/broadcasts/{broadcast}/send", plan)
    return broadcast


def fill(instance, first, last):
    audience = instance.cli("audience", "create", f"Bench {first}")["id"]
    instance.sql(FILL.format(audience=audience.replace("-", ""), first=first, last=last))
    return audience


def is_started(instance):
    return instance.sql("SELECT is_complete FROM posthouse.broadcast ORDER BY id DESC LIMIT 1") == ["1"]


def start(run, instance, audience, size):
    """Makes the rows of all recipients, none of which is due before tomorrow."""
    broadcast = send(instance, audience, local_time=time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 13 * 3600)),
                     time_zone="Etc/GMT+12")
    begin = time.perf_counter()
    spool = subprocess.Popen([program("posthouse-spool"), "--for", "3600", "--jobs", "1"], env=instance.env)
    while not is_started(instance):
        time.sleep(0.2)
    run.report.value(f"start of {size} recipients", time.perf_counter() - begin, "s", goal=60, at_most=True)
    spool.terminate()
    spool.wait()
    counts = instance.call("GET", f"/v1/broadcasts/{broadcast}")["counts"]
    if counts["recipients"] != size:
        raise SystemExit(f"bench: {counts} of {size}")
    instance.sql("ANALYZE TABLE posthouse.broadcast_recipient")
    data, index = map(int, instance.sql("SELECT data_length, index_length FROM information_schema.tables"
                                        " WHERE table_schema = 'posthouse' AND table_name = 'broadcast_recipient'"))
    run.report.value(f"a recipient, of {size}", (data + index) / size, "bytes", goal=200, at_most=True)
    instance.call("POST", f"/v1/broadcasts/{broadcast}/cancel")


def sent_in(instance, audience, count):
    """Messages in a second, from the time when all recipients have their rows, and the seconds until then."""
    send(instance, audience)
    begin = time.perf_counter()
    spool = subprocess.Popen([program("posthouse-spool"), "--once", "--jobs", "4"], env=instance.env)
    while not is_started(instance):
        time.sleep(0.02)
    started = time.perf_counter()
    if spool.wait() != 0:
        raise SystemExit("bench: posthouse-spool failed")
    seconds = time.perf_counter() - started
    status = instance.call("GET", "/v1/broadcasts")["broadcasts"][0]
    if (status["status"], status["counts"]["sent"]) != ("sent", count):
        raise SystemExit(f"bench: {status['status']} {status['counts']}")
    return count / seconds, started - begin


def broadcasts(run):
    size = 20000 if run.quick else 1000000
    run.report.begin("Broadcasts")
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no")
        try:
            instance.give_room(2048)
            start(run, instance, fill(instance, 1, size), size)
            audience = fill(instance, size + 1, size + run.messages)
            drain = Drain(instance, sink, run.messages)
            single, ours, starts = [], [], []
            for _ in range(run.rounds):
                drain.fill()
                single.append(drain.spool())
                rate, until_started = sent_in(instance, audience, run.messages)
                ours.append(rate)
                starts.append(until_started)
            run.report.value(f"start of {run.messages} recipients among {size} people", statistics.median(starts), "s")
            run.report.compare("messages of a broadcast", ours, "single emails", single, goal=0.9)
        finally:
            instance.stop()
    finally:
        sink.stop()
