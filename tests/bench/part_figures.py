# SPDX-License-Identifier: MIT
"""Figures: what counting costs of an email that is sent, and how long a year by day takes."""
import datetime
import resource
import statistics
import time

from instance import Instance, Sink
from load import in_turns
from part_drain import Drain

# A year of a workspace with 20 more owners in each of its dimensions. Today's rows are striped.
YEAR = """\
USE posthouse;
INSERT IGNORE INTO figure (workspace_id, dimension, owner, name, day, stripe, accepted, sent, delivered, opened)
SELECT w.id, d.dimension, IF(o.seq = 0, d.owner, UNHEX(LPAD(HEX(o.seq), 32, '0'))), d.name, {today} - y.seq, s.seq, 100, 90, 80, 20
FROM workspace w, (SELECT DISTINCT dimension, owner, name FROM figure) d, seq_0_to_20 o, seq_0_to_364 y, seq_0_to_8 s
WHERE IF(y.seq = 0, s.seq > 0, s.seq = 0);
ANALYZE TABLE figure;"""


def processors(instance):
    """The processor time of the database and of all programs that have ended, in s."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return instance.spent()["mariadbd"] + ended.ru_utime + ended.ru_stime


def cost(run, drain):
    """Microseconds of processors to send an email; half of the emails are like tests of broadcasts, which no figure counts."""
    def send(counted):
        drain.fill()
        if not counted:
            drain.instance.sql("UPDATE posthouse.email SET counted_tags = X'00' WHERE sent IS NULL")
        before = processors(drain.instance)
        drain.spool()
        return 1e6 * (processors(drain.instance) - before) / drain.count

    ours, without = in_turns(run.rounds, lambda: send(True), lambda: send(False))
    run.report.compare("an email with figures", ours, "without", without, unit="µs", goal=1.1, at_most=True)


def year(run, instance):
    today = int(time.time()) // 86400
    instance.sql(YEAR.format(today=today))
    first = datetime.date.fromtimestamp((today - 364) * 86400)
    path = f"/v1/stats?group_by=day&from={first}"
    times = []
    for _ in range(10 * run.rounds + 1):
        begin = time.perf_counter()
        days = instance.call("GET", path)["count"]
        times.append(1e3 * (time.perf_counter() - begin))
        if days != 365:
            raise SystemExit(f"bench: {days} days of 365")
    run.report.value("a year by day", statistics.median(times[1:]), "ms", goal=20, at_most=True)


def figures(run):
    run.report.begin("Figures")
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no")
        try:
            instance.give_room()
            cost(run, Drain(instance, sink, run.messages))
            year(run, instance)
        finally:
            instance.stop()
    finally:
        sink.stop()
