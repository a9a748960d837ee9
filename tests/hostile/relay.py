# SPDX-License-Identifier: MIT
"""The hostile relay: an SMTP server that takes mail as it should, or misbehaves in one of these manners, and the attempts with it."""

import os
import socket
import ssl
import subprocess
import threading
import time

EHLO = b"250-relay\r\n250-8BITMIME\r\n250-SIZE 100000000\r\n250-ENHANCEDSTATUSCODES\r\n250 DSN\r\n"
CONTROL = bytes(range(1, 10)) + bytes(range(14, 32)) + b"\x7f\xc2\x85\xff\xfe"


class Message:
    def __init__(self, sender, recipients, data):
        self.sender, self.recipients, self.data = sender, recipients, data


class Relay:
    def __init__(self):
        self.manner = ""
        self.messages = []
        self.passwords = 0
        self.context = None
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def certificate(self, folder):
        """One that nobody vouches for, of another name."""
        if not self.context:
            key, cert = (os.path.join(folder, f"relay.{name}") for name in ("key", "crt"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                            "-subj", "/CN=other.example", "-keyout", key, "-out", cert], check=True, capture_output=True)
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(cert, key)

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            connection.settimeout(60)
            Session(self, connection).run()
        except (OSError, ValueError, IndexError):
            pass
        finally:
            connection.close()

    def received(self, address):
        return [message for message in list(self.messages) if address in message.recipients]


class Session:
    def __init__(self, relay, connection):
        self.relay, self.connection, self.manner = relay, connection, relay.manner
        self.input = connection.makefile("rb")
        self.sender, self.recipients = "", []

    def say(self, line):
        self.connection.sendall(line)

    def hear(self):
        line = self.input.readline(1 << 20)
        if not line:
            raise OSError("closed")
        return line

    def run(self):
        if self.manner == "silent":
            return self.hear()
        if self.manner == "slow":
            return self.drip(b"220-" + b"x" * 400 + b"\r\n")
        self.say(b"220 relay ESMTP\r\n")
        while True:
            verb = self.hear().strip()
            word = verb[:4].upper()
            if word == b"EHLO":
                self.greet()
            elif word == b"STAR":
                self.secure()
            elif word == b"AUTH":
                self.relay.passwords += 1
                self.say(b"235 2.7.0 ok\r\n")
            elif word == b"MAIL":
                self.sender, self.recipients = verb.split(b"<")[1].split(b">")[0].decode(), []
                self.say(b"250 2.1.0 ok\r\n")
            elif word == b"RCPT":
                self.recipient(verb.split(b"<")[1].split(b">")[0].decode())
            elif word == b"DATA":
                self.data()
            elif word == b"QUIT":
                return self.say(b"221 2.0.0 bye\r\n")
            else:
                self.say(b"250 2.0.0 ok\r\n")

    def greet(self):
        if self.manner == "endless reply":
            while True:
                self.say(b"250-more\r\n" * 1000)
        elif self.manner == "endless line":
            while True:
                self.say(b"250-" + b"x" * 65536)
        elif self.manner == "bad certificate":
            self.say(b"250-relay\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n")
        else:
            self.say(EHLO)

    def secure(self):
        self.say(b"220 2.0.0 go on\r\n")
        self.connection = self.relay.context.wrap_socket(self.connection, server_side=True)
        self.input = self.connection.makefile("rb")

    def recipient(self, address):
        if self.manner == "forged codes":
            self.say(b"550-5.999999999999.1 " + CONTROL + b"\r\n550 5.1.1\x1b[2J\x1b]0;title\x07 " + CONTROL + b"y" * 400 + b"\r\n")
        elif self.manner == "long lines":
            self.say(b"550 5.1.1 " + b"y" * 5000 + b"\r\n")
        elif self.manner == "large reply":
            self.say(b"550-" + b"z" * 490 + b"\r\n")
            self.say((b"550-5.1.1 " + b"z" * 490 + b"\r\n") * (10 << 20 >> 9) + b"550 5.1.1 no\r\n")
        elif self.manner == "no number":
            self.say(b"hello there\r\n")
        else:
            self.recipients.append(address)
            self.say(b"250 2.1.5 ok\r\n")

    def data(self):
        self.say(b"354 go on\r\n")
        data = bytearray(b"\r\n")
        while not data.endswith(b"\r\n.\r\n"):  # nothing comes behind it before our reply
            more = self.input.read1(1 << 20)
            if not more:
                raise OSError("closed")
            data += more
        if self.manner == "closes":
            raise OSError("closed after the dot")
        if self.manner == "never answers":
            return self.hear()
        self.relay.messages.append(Message(self.sender, self.recipients, bytes(data[2:-3])))
        self.say(b"250 2.0.0 taken\r\n")

    def drip(self, line):
        """Longer than any timeout in all, and no pause of it is."""
        for byte in line * 100:
            self.say(bytes([byte]))
            time.sleep(0.2)


def printable(text):
    return all(character.isprintable() for character in text)


def meet(house, manner, **settings):
    """Sends one email to the relay in this manner, then, when it is good again, what is left. Returns what became of it."""
    config = house.variant("impatient", smtp__timeout="2", smtp__data_timeout="3", **settings)
    relay = house.relay
    name = manner.replace(" ", "-")
    address = f"{name}-{time.monotonic_ns()}@example.net"
    email = house.hostile.send(to=address)
    relay.manner = manner
    begin = time.monotonic()
    status = house.spool("--once", "--jobs", "1", "--config", config, wait=house.scale(240, 40))
    took = time.monotonic() - begin
    relay.manner = ""
    house.wake_relays()
    events = house.hostile.told(email)[address]
    replies = [event.get("smtp_response") or "" for event in events]
    codes = [event.get("enhanced_code") or "" for event in events]
    found = [events[-1]["status"] if events else "waits"]
    if not all(printable(text) and len(text) <= 600 for text in replies):
        found.append(f"unclean reply {replies!r:.200}")
    if not all(len(code) <= 12 and set(code) <= set("0123456789.") for code in codes):
        found.append(f"unclean code {codes}")
    if status != 0:
        found.append("the spool did not end" if status is None else f"the spool ended with {status}")
    elif took > house.scale(120, 20):
        found.append(f"the spool took {took:.0f} s")
    if found[0] in ("waits", "delayed"):
        house.sql(f"UPDATE outbox SET ready_at = 0 WHERE email_id = 0x{email.replace('-', '')} AND ready_at IS NOT NULL")
        house.spool("--once", "--jobs", "1")
        found.append("sent then" if relay.received(address) else "not sent then")
    return ", ".join(found)


def misbehave(manner):
    return lambda house: meet(house, manner)


def password(manner):
    """With a password set: it is never sent."""
    def attempt(house):
        house.relay.certificate(house.top)
        before = house.relay.passwords
        found = meet(house, manner, smtp__user="posthouse", smtp__password="secret", smtp__tls="opportunistic", smtp__host="localhost")
        return found + f", {house.relay.passwords - before} passwords"
    return attempt


ATTEMPTS = [
    ("says nothing", misbehave("silent"), "delayed, sent then"),
    ("answers byte by byte", misbehave("slow"), "delayed, sent then"),
    ("answers without end", misbehave("endless reply"), "delayed, sent then"),
    ("answers with a line without end", misbehave("endless line"), "delayed, sent then"),
    ("answers with 10 MB", misbehave("large reply"), ("bounced", "delayed, sent then")),
    ("answers with what is no reply", misbehave("no number"), "delayed, sent then"),
    ("has forged codes and control characters", misbehave("forged codes"), ("bounced", "failed", "delayed, sent then")),
    ("has lines of 5,000 bytes", misbehave("long lines"), ("bounced", "failed", "delayed, sent then")),
    ("closes after the final dot", misbehave("closes"), "delayed, sent then"),
    ("never answers the final dot", misbehave("never answers"), "delayed, sent then"),
    ("has a bad certificate, and wants a password", password("bad certificate"), "delayed, sent then, 0 passwords"),
]
