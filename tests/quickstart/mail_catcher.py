#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The mail catcher keeps what it is sent, byte for byte, and speaks SMTP well enough to be trusted with it."""

import os
import pathlib
import signal
import smtplib
import socket
import subprocess
import sys
import tempfile
import time

try:
    import aiosmtpd  # noqa: F401
except ImportError as missing:
    print(f"{missing}: install python3-aiosmtpd")
    sys.exit(77)

CATCHER = pathlib.Path(os.environ["srcdir"], "quickstart.d", "mail-catcher")
LINE = b"." + b"y" * 74 + b"\r\n"

MESSAGES = [
    ("plain", b"Subject: s\r\n\r\nbody\r\n"),
    ("dots", b".X: y\r\n\r\n.\r\n..\r\n.x\r\n\r\n.\r\n"),
    ("no line end but CRLF counts", b"Subject: s\r\n\r\na\n.\nb\r.\rc\r\n"),
    ("eight bits and NUL", b"Subject: s\r\n\r\n\xff\xfe\x00\r\n"),
    ("empty", b""),
    ("a line of 60 MB", b"Subject: s\r\n\r\n" + b"x" * 60_000_000 + b"\r\n"),
    ("60 MB of lines", b"Subject: s\r\n\r\n" + LINE * (60_000_000 // len(LINE))),
]

failures = 0


def check(name, got, want):
    global failures
    if got != want:
        print(f"{name}\n\tgot:  {got!r:.300}\n\twant: {want!r:.300}")
        failures += 1


def start(folder, port=0):
    portfile = folder / "port"
    portfile.unlink(missing_ok=True)
    process = subprocess.Popen([sys.executable, CATCHER, folder / "mail", portfile, str(port)])
    until = time.monotonic() + 240
    while not portfile.exists():
        if process.poll() is not None or time.monotonic() > until:
            sys.exit("the catcher did not come up")
        time.sleep(0.01)
    return process, int(portfile.read_text())


def stop(process):
    process.send_signal(signal.SIGTERM)
    check("status at SIGTERM", process.wait(240), 0)


def take(folder):
    """The one new message, which is then gone."""
    names = list((folder / "mail" / "new").iterdir())
    check("messages kept", len(names), 1)
    content = names[0].read_bytes()
    check("mode", names[0].stat().st_mode & 0o777, 0o600)
    names[0].unlink()
    return content


def messages(folder, port):
    with smtplib.SMTP("127.0.0.1", port) as client:
        client.ehlo()
        size = int(client.esmtp_features.get("size", 0))
        check("SIZE of at least 100 MB", size >= 100_000_000, True)
        check("8BITMIME", client.has_extn("8bitmime"), True)
        check("PIPELINING", client.has_extn("pipelining"), True)
        check("SMTPUTF8", client.has_extn("smtputf8"), False)
        for name, message in MESSAGES:
            client.mail("a@example.com", ["BODY=8BITMIME", f"SIZE={len(message)}"])
            client.rcpt("b@example.net")
            client.rcpt("c+d@example.net")
            check(f"{name}: DATA", client.docmd("DATA")[0], 354)
            client.send((b"\r\n" + message).replace(b"\r\n.", b"\r\n..")[2:] + b".\r\n")
            check(f"{name}: reply", client.getreply()[0], 250)
            trace = b"Return-Path: <a@example.com>\r\nDelivered-To: b@example.net\r\nDelivered-To: c+d@example.net\r\n"
            check(name, take(folder), trace + message)
        check("too large", client.docmd(f"MAIL FROM:<a@example.com> SIZE={size + 1}")[0], 552)


def pipelined(folder, port):
    """Two messages without a return path, each command sent as early as RFC 2920 lets it."""
    with socket.create_connection(("127.0.0.1", port)) as client, client.makefile("rb") as replies:
        envelope = b"MAIL FROM:<>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n"
        client.sendall(b"EHLO client\r\n")
        while replies.readline()[:4] != b"250 ":
            pass
        client.sendall(envelope)
        check("pipelined: envelope", [replies.readline()[:3] for _ in range(3)], [b"250", b"250", b"354"])
        client.sendall(b"A: b\r\n\r\n.\r\n" + envelope)
        check("pipelined: next", [replies.readline()[:3] for _ in range(4)], [b"250", b"250", b"250", b"354"])
        check("pipelined: first", take(folder), b"Return-Path: <>\r\nDelivered-To: b@example.net\r\nA: b\r\n\r\n")
        client.sendall(b"C: d\r\n\r\n.\r\nQUIT\r\n")
        check("pipelined: last", [replies.readline()[:3] for _ in range(2)], [b"250", b"221"])
        check("pipelined: second", take(folder), b"Return-Path: <>\r\nDelivered-To: b@example.net\r\nC: d\r\n\r\n")


def cut_off(folder, port):
    """What never came to its end is not kept."""
    with socket.create_connection(("127.0.0.1", port)) as client, client.makefile("rb") as replies:
        replies.readline()
        client.sendall(b"HELO c\r\nMAIL FROM:<>\r\nRCPT TO:<b@example.net>\r\nDATA\r\n")
        check("cut off", [replies.readline()[:3] for _ in range(4)], [b"250", b"250", b"250", b"354"])
        client.sendall(b"A: b\r\n\r\nhalf\r\n.")
    with smtplib.SMTP("127.0.0.1", port) as client:
        client.noop()
    check("kept of it", list((folder / "mail" / "new").iterdir()), [])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    catcher, port = start(folder)
    messages(folder, port)
    pipelined(folder, port)
    cut_off(folder, port)
    stop(catcher)
    catcher, again = start(folder, port)
    check("the port asked for", again, port)
    other, elsewhere = start(folder, port)
    check("a port of its own where that is taken", elsewhere != port, True)
    stop(other)
    stop(catcher)
sys.exit(failures > 0)
