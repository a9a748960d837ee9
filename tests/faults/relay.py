# SPDX-License-Identifier: MIT
"""The relay of the fault tests: an SMTP server that misbehaves by chance and writes down every final dot."""

import asyncio
import random
import threading
import time
import uuid


def email_of(envid):
    """The email that an ENVID is of: its id stands in front, a tag behind it."""
    return str(uuid.UUID(envid[:32]))


class Dot:
    """One final dot that came in. acknowledged: the client has said something after our reply, so it had read it."""

    def __init__(self, relay, envelope_id, recipients):
        self.relay = relay
        self.envelope_id = envelope_id  # of the email
        self.recipients = recipients
        self.time = time.monotonic()
        self.accepted = False
        self.acknowledged = False


def count_left(dots):
    """How often a message left, of which these are the dots that were accepted, in their order. A client that dies while it waits for the
    reply may send the message again: both count once.
    """
    return sum(dot.acknowledged for dot in dots[:-1]) + (len(dots) > 0)


class Relay:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.dots = []
        self.trouble = 0.0  # how likely each fault is, at each step
        self.port = 0
        self.name = None  # in the settings
        self.loop = asyncio.new_event_loop()
        self.server = None
        self.connections = set()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.up()

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def up(self):
        async def start(port):
            self.server = await asyncio.start_server(self.serve, "127.0.0.1", port, limit=1 << 20, backlog=512)
            self.port = port

        # Below the ports that the kernel gives to connections: one of those might have it while the relay is down.
        while not self.server:
            try:
                self.call(start(self.port or random.randrange(3000, 9000)))
            except OSError:
                if self.port:
                    raise

    def down(self):
        async def stop():
            self.server.close()
            for writer in list(self.connections):
                writer.transport.abort()

        if self.server:
            self.call(stop())
            self.server = None

    def chance(self, of=1.0):
        return self.trouble > 0 and self.random.random() < self.trouble * of

    async def serve(self, reader, writer):
        self.connections.add(writer)
        try:
            await Session(self, reader, writer).run()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass
        finally:
            self.connections.discard(writer)
            writer.close()


class Drop(ConnectionError):
    pass


class Session:
    def __init__(self, relay, reader, writer):
        self.relay, self.reader, self.writer = relay, reader, writer
        self.last_dot = None

    async def say(self, line):
        if self.relay.chance(0.3):
            await asyncio.sleep(self.relay.random.random() * 0.3)
        self.writer.write(line.encode() + b"\r\n")
        await self.writer.drain()

    async def hear(self):
        line = await self.reader.readuntil(b"\r\n")
        if self.last_dot:
            self.last_dot.acknowledged = True
            self.last_dot = None
        return line.decode("ascii", "replace").strip()

    def maybe_drop(self):
        if self.relay.chance():
            raise Drop()

    async def run(self):
        self.maybe_drop()
        if self.relay.chance():
            await self.say("421 too busy")
            return
        await self.say("220 relay ESMTP")
        while True:
            line = await self.hear()
            self.maybe_drop()
            verb = line[:4].upper()
            if verb == "EHLO":
                await self.say("250-relay\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SIZE 100000000\r\n250-ENHANCEDSTATUSCODES\r\n250 DSN")
            elif verb == "MAIL":
                self.envelope_id = email_of(line.split("ENVID=")[1].split()[0]) if "ENVID=" in line else None
                self.recipients = []
                await self.say("451 4.3.0 not now" if self.relay.chance() else "250 2.1.0 ok")
            elif verb == "RCPT":
                await self.say(self.recipient(line.split("<")[1].split(">")[0]))
            elif verb == "DATA":
                if not await self.data():
                    return
            elif verb == "RSET" or verb == "NOOP":
                await self.say("250 2.0.0 ok")
            elif verb == "QUIT":
                await self.say("221 2.0.0 bye")
                return
            else:
                await self.say("500 5.5.1 what")

    def recipient(self, address):
        if address.startswith("gone"):
            return "550 5.1.1 no such user"
        if self.relay.chance():
            return self.relay.random.choice(["451 4.2.1 greylisted", "452 4.2.2 full", "450 4.2.0 busy"])
        self.recipients.append(address)
        return "250 2.1.5 ok"

    async def data(self):
        if not self.recipients:
            await self.say("554 5.5.1 no valid recipients")
            return True
        if self.relay.chance():
            await self.say("421 4.3.2 shutting down")
            return False
        await self.say("354 go on")
        while True:
            line = await self.reader.readuntil(b"\n")
            if line == b".\r\n":
                break
            if self.relay.chance(0.02):
                raise Drop()
        dot = Dot(self.relay, self.envelope_id, self.recipients)
        refused = self.relay.chance()
        dot.accepted = not refused
        self.relay.dots.append(dot)
        self.maybe_drop()  # it was taken, and nobody is told
        self.last_dot = dot
        await self.say("451 4.3.0 try later" if refused else "250 2.0.0 taken")
        return True
