# SPDX-License-Identifier: MIT
"""Sending while one destination defers all its mail: the rate to the others beside that without it, and how often it is asked."""
import asyncio
import itertools
import os
import subprocess
import threading
import time

from instance import Instance, program
from load import in_turns

JOBS = 4
EVERY = 5  # one message of so many goes to the destination that defers
SLOW = "slow.example"
LADDER = [60, 30, 15, 8, 4, 2, 1]  # attempts a minute after so many deferrals


class Sink:
    """A relay that defers the mail to one destination. It notes when that was tried, and when it took the last other message."""

    def __init__(self):
        self.tried, self.last = [], 0
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.server = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.serve, "127.0.0.1", 0), self.loop).result()
        self.port = self.server.sockets[0].getsockname()[1]

    def clear(self):
        self.tried, self.last = [], 0

    async def serve(self, reader, writer):
        writer.write(b"220 sink ESMTP\r\n")
        try:
            while line := await reader.readline():
                verb = line[:4].upper()
                if verb == b"MAIL":
                    has_recipients = False
                if verb == b"EHLO":
                    writer.write(b"250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n")
                elif verb == b"RCPT" and SLOW.encode() in line:
                    self.tried.append(time.monotonic())
                    writer.write(b"451 4.7.1 slow down\r\n")
                elif verb == b"RCPT":
                    has_recipients = True
                    writer.write(b"250 2.1.5 ok\r\n")
                elif verb == b"DATA" and not has_recipients:
                    writer.write(b"554 5.5.1 no valid recipients\r\n")
                elif verb == b"DATA":
                    writer.write(b"354 go on\r\n")
                    await reader.readuntil(b"\r\n.\r\n")
                    self.last = time.monotonic()
                    writer.write(b"250 2.0.0 taken\r\n")
                elif verb == b"QUIT":
                    writer.write(b"221 2.0.0 bye\r\n")
                    break
                else:
                    writer.write(b"250 2.0.0 ok\r\n")
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.server.close)


class Pace:
    def __init__(self, instance, sink, count):
        self.instance, self.sink, self.count = instance, sink, count
        self.asked, self.allowed = [], []

    def fill(self, count, *more):
        subprocess.run([program("tests/bench/fill"), self.instance.env["POSTHOUSE_CONFIG"], "", self.instance.sender, str(count), *more],
                       check=True)

    def forget(self):
        """No message waits, and no destination is slowed."""
        self.instance.sql("DELETE FROM posthouse.outbox")
        path = os.path.join(self.instance.dir, "spool", "paces")
        if os.path.exists(path):
            os.unlink(path)
        self.sink.clear()

    def drain(self, *options):
        """Others' messages sent in a second."""
        begin = time.monotonic()
        subprocess.run([program("posthouse-spool"), "--jobs", str(JOBS), *options], check=True, env=self.instance.env)
        return self.count / (self.sink.last - begin) if self.sink.last else 0

    def alone(self):
        self.forget()
        self.fill(self.count)
        return self.drain("--once")

    def beside(self):
        """As many messages to others, and more to the destination that defers."""
        self.forget()
        more = self.count // (EVERY - 1)
        self.fill(self.count + more, f"user@{SLOW}", str(EVERY))
        rate = self.drain("--once")
        self.note()
        return rate

    def note(self):
        """How often the destination was asked, and how often it might have been."""
        lasted = self.sink.tried[-1] - self.sink.tried[0]
        turns = itertools.accumulate(60 / rate for rate in itertools.chain(LADDER, itertools.repeat(LADDER[-1])))
        self.asked.append(len(self.sink.tried))
        self.allowed.append(2 * JOBS + sum(1 for _ in itertools.takewhile(lambda turn: turn <= lasted, turns)))

    def long(self, seconds):
        """Messages for that destination alone, for some time."""
        self.forget()
        self.asked, self.allowed = [], []
        self.fill(200, f"user@{SLOW}", "1")
        self.drain("--for", str(seconds))
        self.note()


def pace(run):
    report = run.report
    report.begin(f"Sending {run.messages} messages beside a destination that defers; one of {EVERY} is for it, {JOBS} jobs")
    sink = Sink()
    try:
        instance = Instance(f"smtp.port={sink.port}", "smtp.dsn=no", "dns.servers=127.0.0.1:1", "log.level=error")
        try:
            p = Pace(instance, sink, run.messages)
            p.alone()
            beside, alone = in_turns(run.rounds, p.beside, p.alone)
            report.compare("rate to other destinations", beside, "the rate without it", alone, goal=0.9)
            report.compare("attempts at it", p.asked, "what its pace allows", p.allowed, unit="", goal=1, at_most=True)
            seconds = 20 if run.quick else 100
            p.long(seconds)
            report.compare(f"attempts at it in {seconds} s", p.asked, "what its pace allows", p.allowed, unit="", goal=1, at_most=True)
        finally:
            instance.stop()
    finally:
        sink.stop()
