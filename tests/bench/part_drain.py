# SPDX-License-Identifier: MIT
"""Sending what waits, beside a loop that signs and sends, and beside Postfix."""
import os
import statistics
import subprocess
import tempfile
import time

from instance import Instance, Postfix, Sink, program
from load import in_turns


def timed(command, env=None):
    begin = time.perf_counter()
    subprocess.run(command, check=True, env=env)
    return time.perf_counter() - begin


def run_measured(command, env):
    """How long it takes, in s, and the peak memory of it and of each of its children, in KiB."""
    begin = time.perf_counter()
    _, status, usage = os.wait4(subprocess.Popen(command, env=env).pid, 0)
    if status:
        raise SystemExit(f"bench: {command[0]} failed")
    return time.perf_counter() - begin, usage.ru_maxrss


class Drain:
    def __init__(self, instance, sink, count):
        self.instance, self.sink, self.count = instance, sink, count
        self.fill_command = [program("tests/bench/fill"), instance.env["POSTHOUSE_CONFIG"], "", instance.sender]
        self.peak = 0

    def fill(self, count=None):
        """Emails stored in a second by one process."""
        count = count or self.count
        return count / timed([*self.fill_command, str(count)])

    def floor(self):
        out = subprocess.run([program("tests/bench/floor_smtp"), str(self.sink.port), "4", str(self.count)], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        return self.count / float(out)

    def spent(self):
        """The processor time of what the instance runs and of our children that have ended, in s."""
        return sum(self.instance.spent().values()) + sum(os.times()[2:4])

    def spool(self):
        """Messages sent in a second; all that wait are sent."""
        seconds, self.peak = run_measured([program("posthouse-spool"), "--once", "--jobs", "4"], self.instance.env)
        left = int(self.instance.sql("SELECT COUNT(*) FROM posthouse.outbox")[0])
        if left:
            raise SystemExit(f"bench: {left} messages are left")
        return self.count / seconds


def take(postfix, count):
    begin = time.perf_counter()
    subprocess.run(["/usr/sbin/smtp-source", "-s", "4", "-l", "5000", "-m", str(count), "-f", "bench@posthouse.example",
                    "-t", "user@example.net", f"127.0.0.1:{postfix.port}"], check=True)
    while postfix.waiting():
        time.sleep(0.02)
    return count / (time.perf_counter() - begin)


def drain(run):
    report, count = run.report, run.messages
    report.begin(f"Sending {count} messages of 5 KB, signed twice, 4 jobs")
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no")
        try:
            rates(run, Drain(instance, sink, count))
        finally:
            instance.stop()
    finally:
        sink.stop()


def rates(run, d):
    report, few = run.report, d.count // 10
    d.fill(few)
    run_measured([program("posthouse-spool"), "--once", "--jobs", "4"], d.instance.env)
    d.fill(few)
    _, small = run_measured([program("posthouse-spool"), "--once", "--jobs", "4"], d.instance.env)
    postfix = Postfix(d.sink.port) if os.getuid() == 0 and os.path.exists("/usr/share/postfix/master.cf.dist") else None
    try:
        others = [lambda: take(postfix, d.count)] if postfix else []
        filled, floor, ours, *theirs = in_turns(run.rounds, d.fill, d.floor, d.spool, *others)
    finally:
        if postfix:
            postfix.stop()
    report.value("core_submit, one process", statistics.median(filled), "/s")
    rate = report.compare("posthouse-spool", ours, "signing and SMTP", floor, goal=0.80)
    if postfix:
        report.compare("posthouse-spool", ours, "Postfix, unsigned", theirs[0], goal=3.5)
    else:
        report.left_out("Postfix", "it needs root and the package postfix")
    report.compare(f"peak memory of a worker, {d.count} messages", [d.peak / 1024], f"{few} messages", [small / 1024], unit="MB")
    journal(report, d.count, rate)


def journal(report, count, rate):
    """What the journal of a message costs of what the processors do for it."""
    with tempfile.TemporaryDirectory(prefix="posthouse-journal.") as folder:
        out = subprocess.run([program("tests/bench/journal"), folder, str(count)], check=True, capture_output=True,
                             text=True).stdout
    cores = min(4, len(os.sched_getaffinity(0)))
    report.compare("the journal of a message", [float(out)], "the time of a message", [1e6 * cores / rate], unit="µs", goal=0.03,
                   at_most=True)
