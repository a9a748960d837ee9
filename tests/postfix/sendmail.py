#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""posthouse sendmail behind a real Postfix, with and without 8BITMIME, that breaks long lines on its way to the next server: both signatures
stay good, 8 bit stays as it is where it may, blind recipients stay blind."""

import contextlib
import email
import email.policy
import os
import shutil
import signal
import smtplib
import socketserver
import subprocess
import sys
import tempfile
import threading

import stage
from stage import BUILD, Instance, answers, check, free_port, until

try:
    import dkim
    import nacl.signing  # which dkimpy needs for Ed25519
except ImportError as missing:
    print(f"{missing}: install python3-dkim and python3-nacl")
    sys.exit(77)

HEAD = "From: Jörg <shop@posthouse.example>\nSubject: {subject}\nTo: ann@next.example\n"
LONG = "x" * 5000
TEXT = "Content-Type: text/plain; charset=utf-8\n"

# Name, header and body, and the text that arrives.
MESSAGES = [
    ("plain", HEAD.format(subject="plain"), "Hello\n", "Hello\n"),
    ("8 bit", HEAD.format(subject="Grüße") + TEXT, "Grüße\n", "Grüße\n"),
    ("8 bit without a type", HEAD.format(subject="none"), "Grüße\n", "Grüße\n"),
    ("long lines", HEAD.format(subject=LONG) + TEXT, f"{LONG}\nGrüße\n", f"{LONG}\nGrüße\n"),
    ("long words", HEAD.format(subject="words " * 900) + f"X-A: {LONG}\n" + TEXT, f"{LONG}\n", f"{LONG}\n"),
    ("parts", HEAD.format(subject="parts") + "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n",
     f"--b\n{TEXT}\nGrüße\n\n--b\nContent-Type: application/x; name=\"ü.x\"\n\nü{LONG}\n--b--\n", "Grüße\n"),
]


class Receiver(socketserver.ThreadingTCPServer):
    """The next server: it offers nothing, and keeps the messages as they come."""

    allow_reuse_address = daemon_threads = True

    class Session(socketserver.StreamRequestHandler):
        def say(self, text):
            self.wfile.write(text.encode() + b"\r\n")

        def handle(self):
            with contextlib.suppress(ConnectionError):
                self.talk()

        def talk(self):
            self.say("220 next.example")
            for line in self.rfile:
                if not line.upper().startswith(b"DATA"):
                    self.say("250 next.example")
                    continue
                self.say("354 go on")
                message = b""
                while (data := self.rfile.readline()) not in (b".\r\n", b""):
                    message += data[data.startswith(b"."):]
                self.server.mails.append(message)
                self.say("250 taken")

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Session)
        self.mails = []
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()


class Postfix(stage.Postfix):
    """It offers 8BITMIME at the first port alone. What is for next.example goes on, in lines of at most 998 octets and in 7 bit."""

    def __init__(self, folder, ports, receiver):
        self.ports, self.receiver = ports, receiver
        super().__init__(folder)
        for port in ports:
            until(f"Postfix at {port}", lambda: answers(port))

    def configure(self):
        self.write_main(f"transport_maps = texthash:{self.dir}/etc/transport\nrelay_domains = next.example\n")
        self.write("boxes", "joe@box.example joe/\n")
        self.write("transport", f"next.example smtp:[127.0.0.1]:{self.receiver.port}\n")
        self.write_master(f"127.0.0.1:{self.ports[0]} inet n - n - - smtpd\n"
                          f"127.0.0.1:{self.ports[1]} inet n - n - - smtpd -o smtpd_discard_ehlo_keywords=8bitmime,chunking")


def records(house):
    """The keys in DNS."""
    return {f"{record['name']}.{house.env['POSTHOUSE_DOMAIN']}.".encode(): record["value"].encode()
            for record in house.run("domain", "show", house.env["POSTHOUSE_DOMAIN"])["dns_records"] if record["for"] == "DKIM"}


def signatures(message, known):
    def good(index):
        try:
            return dkim.DKIM(message).verify(idx=index, dnsfunc=lambda name, timeout=5: known.get(name))
        except dkim.DKIMException as error:
            return str(error)

    return [good(0), good(1)]


def give(house, message, *words):
    done = subprocess.run([os.path.join(BUILD, "posthouse"), "sendmail", "-i", *words], input=message.encode(), capture_output=True,
                          env={**os.environ, **house.env})
    check("sendmail", [done.returncode, done.stderr], [0, b""])


def drain(house):
    subprocess.run([os.path.join(BUILD, "posthouse-spool"), "--once"], check=True, env={**os.environ, **house.env})


def text_of(message):
    parsed = email.message_from_bytes(message, policy=email.policy.default)
    return parsed.get_body(("plain",)).get_content().replace("\r\n", "\n")


def on_the_way(house, port, receiver, known):
    """Behind a Postfix without 8BITMIME: what it sends on is as we signed it."""
    house.start("--set", f"smtp.port={port}", "--no-demo", "--no-spool")
    for name, head, body, want in MESSAGES:
        receiver.mails.clear()
        give(house, f"{head}\n{body}", "-t")
        drain(house)
        until(f"{name} at the next server", lambda: receiver.mails)
        message = receiver.mails[0]
        check(f"{name}: signatures", signatures(message, known), [True, True])
        check(f"{name}: text", text_of(message), want)
        check(f"{name}: 7 bit", message.isascii(), True)
        check(f"{name}: the longest line", max(len(line) for line in message.split(b"\r\n")) <= 998, True)
        check(f"{name}: From", email.message_from_bytes(message, policy=email.policy.default)["From"], "Jörg <shop@posthouse.example>")


def in_8_bit(house, postfix, port, known):
    """A Postfix with 8BITMIME: the body of 8 bit is as it was given."""
    house.start("--set", f"smtp.port={port}", "--no-demo", "--no-spool")
    give(house, HEAD.format(subject="Grüße").replace("ann@next", "joe@box") + TEXT + "\nGrüße =\n", "-t")
    drain(house)
    folder = os.path.join(postfix.boxes, "joe", "new")
    until("in the mailbox", lambda: os.path.isdir(folder) and os.listdir(folder))
    with open(os.path.join(folder, os.listdir(folder)[0]), "rb") as file:
        message = file.read()
    check("8BITMIME: signatures", signatures(message, known), [True, True])
    check("8BITMIME: body", message.partition(b"\n\n")[2].decode(), "Grüße =\n")
    check("8BITMIME: header", message.partition(b"\n\n")[0].isascii(), True)


def blind(house, receiver):
    receiver.mails.clear()
    give(house, "From: shop@posthouse.example\nSubject: blind\n\nx\n", "kim@next.example", "lee@next.example")
    give(house, "From: shop@posthouse.example\nBcc: kim@next.example\nCc: ann@next.example\nSubject: blind\n\nx\n", "-t", "lee@next.example")
    drain(house)
    until("blind", lambda: len(receiver.mails) >= 2)
    for message in receiver.mails:
        check("blind: To", email.message_from_bytes(message)["To"], "undisclosed-recipients:;")
        check("blind: not named", [name in message for name in (b"kim@", b"lee@", b"Bcc")], [False] * 3)


def breaks(port, receiver):
    """This relay does break what does not fit, so that the others could fail."""
    receiver.mails.clear()
    with smtplib.SMTP("127.0.0.1", port) as smtp:
        smtp.sendmail("a@x.example", "ann@next.example", f"Subject: x\r\n\r\n{LONG}\r\n")
    until("broken", lambda: receiver.mails)
    check("broken", LONG.encode() in receiver.mails[0], False)


def main():
    stage.begin()
    folder = tempfile.mkdtemp(prefix="posthouse-sendmail.")
    ports = [free_port(), free_port()]
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        house = Instance(folder)
        stops.append(house)
        receiver = Receiver()
        stops.append(receiver)
        postfix = Postfix(folder, ports, receiver)
        stops.append(postfix)
        known = records(house)
        check("keys", len(known), 2)
        breaks(ports[1], receiver)
        on_the_way(house, ports[1], receiver, known)
        blind(house, receiver)
        in_8_bit(house, postfix, ports[0], known)
        return stage.result(postfix)
    finally:
        for server in reversed(stops):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
