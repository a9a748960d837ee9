# SPDX-License-Identifier: MIT
"""The SMTP door beside Postfix's smtpd and cleanup: messages a second with one session and with many, mail that comes in beside mail that is
submitted, and the memory of an idle session."""
import base64
import itertools
import os
import re
import socket
import threading
import time

from instance import Instance, Postfix, free_port
from load import in_turns

SIZE = 5000
A_SESSION = 50  # messages
RECIPIENT = b"ann@example.net"
FRONT = "bench.example"  # has looked at who wrote, so that no answer of DNS is waited for
numbers = itertools.count()
MANY = 32
IDLE_KIB = 4096


class Session:
    """A client that sends as much at once as PIPELINING allows."""

    def __init__(self, port, key, sender):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.sender = sender
        self.wait(1)
        self.socket.sendall(b"EHLO bench\r\n")
        self.wait(1)
        if key:
            self.socket.sendall(b"AUTH PLAIN " + base64.b64encode(b"\0x\0" + key.encode()) + b"\r\n")
            self.wait(1)

    def wait(self, count):
        while count:
            line = self.file.readline()
            if line[:1] not in b"23" or not line:
                raise OSError(f"the server says {line!r}")
            count -= line[3:4] == b" "

    def send(self, recipient=RECIPIENT):
        self.socket.sendall(b"MAIL FROM:<%b>\r\nRCPT TO:<%b>\r\nDATA\r\n" % (self.sender, recipient))
        self.wait(3)
        self.socket.sendall(message(self.sender, recipient))
        self.wait(1)

    def close(self):
        self.socket.sendall(b"QUIT\r\n")
        self.wait(1)
        self.socket.close()


LINES = b"".join(b"%076d\r\n" % i for i in range(SIZE // 78)) + b".\r\n"


def message(sender, recipient):
    """Each is another, as those of real clients are."""
    return (b"Authentication-Results: %b; dmarc=none\r\nFrom: <%b>\r\nTo: <%b>\r\nSubject: A bench\r\nMessage-ID: <%d.%d@example.net>\r\n"
            b"MIME-Version: 1.0\r\n\r\n" % (FRONT.encode(), sender, recipient, os.getpid(), next(numbers))) + LINES


def rate(port, key, sender, sessions, count, recipient=RECIPIENT):
    """Messages a second."""
    faults = []

    def client():
        try:
            left = count // sessions
            while left > 0:
                session = Session(port, key, sender)
                for _ in range(min(left, A_SESSION)):
                    session.send(recipient)
                session.close()
                left -= A_SESSION
        except OSError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=client) for _ in range(sessions)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return count // sessions * sessions / (time.monotonic() - begun)


def private(parent):
    """The private memory of the newest child of a process, in KiB."""
    children = [int(entry) for entry in filter(str.isdigit, os.listdir("/proc")) if parent_of(entry) == parent]
    with open(f"/proc/{max(children)}/smaps_rollup") as file:
        return sum(map(int, re.findall(r"^Private_\w+:\s+(\d+) kB", file.read(), re.M)))


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def idle(port, key, sender, parent):
    """What a session takes once a message has gone through it."""
    session = Session(port, key, sender)
    session.send()
    time.sleep(0.2)
    memory = private(parent)
    session.close()
    return memory


def smtpd(run):
    report = run.report
    report.begin(f"Messages of {SIZE // 1000} KB by SMTP, {A_SESSION} a session, beside Postfix's smtpd and cleanup")
    instance = Instance("log.level=error", f"receiving.authserv_id={FRONT}")
    try:
        instance.give_room()
        # It keeps what it has taken, and does not go on with it.
        postfix = Postfix(free_port(), "smtpd_data_restrictions = check_client_access static:HOLD\n")
        try:
            port = int(instance.env["POSTHOUSE_SMTP"].rpartition(":")[2])
            sender = instance.sender.encode()
            count = 200 if run.quick else 4000
            for sessions in (1, MANY):
                ours, theirs = in_turns(run.rounds, lambda: rate(port, instance.key, sender, sessions, count),
                                        lambda: rate(postfix.port, None, sender, sessions, count))
                report.compare("one session" if sessions == 1 else f"{sessions} sessions", ours, "Postfix", theirs, goal=1.0)
            instance.cli("domain", "receiving", instance.env["POSTHOUSE_DOMAIN"], "on")
            received, submitted = in_turns(run.rounds, lambda: rate(port, None, RECIPIENT, 1, count, b"in@" + sender.partition(b"@")[2]),
                                           lambda: rate(port, instance.key, sender, 1, count))
            report.compare("mail that comes in", received, "submission", submitted, goal=0.7)
            with open(os.path.join(instance.dir, "pids/smtpd")) as file:
                parent = int(file.read().split()[0])
            report.value("private memory of an idle session", idle(port, instance.key, sender, parent), "KiB", goal=IDLE_KIB, at_most=True)
        finally:
            postfix.stop()
    finally:
        instance.stop()
