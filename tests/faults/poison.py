#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Emails and executions that kill whoever works on them: each comes to its end, and nothing else suffers for it.

With --long also the largest email that may be sent, and one that takes processor time without end.
"""

import base64
import http.client
import json
import os
import signal
import sys
import time
import urllib.request

import faults
from relay import Relay

LEASE = 120  # far more than anything takes that does not wait for its end
OTHERS = 100
FAILED = "The message could not be composed: processes that tried it were killed, and a child process for it alone "
STEP_FAILED = FAILED.replace("message", "step").replace("composed", "done") + "was ended by signal 9 (Killed)"
wrong = []


def expect(what, got, want):
    print(f"{'ok   ' if got == want else 'FAULT'} {what}: {got}", flush=True)
    if got != want:
        wrong.append(f"{what}: got {got}, want {want}")


def call(instance, path, body):
    request = urllib.request.Request(instance.env["POSTHOUSE_URL"] + path, json.dumps(body, ensure_ascii=False).encode(),
                                     {"Authorization": "Bearer " + instance.env["POSTHOUSE_KEY"]})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def post(instance, subject, **more):
    return call(instance, "/v1/emails", {"from": f"poison@{instance.domain}", "to": ["user@example.net"], "subject": subject,
                                         "html": f"<p>{subject}", **more})["id"]


def wait(what, ready, seconds=300):
    """How long it took until ready() was true."""
    begin = time.time()
    while not ready():
        if time.time() > begin + seconds:
            wrong.append(f"{what}: not after {seconds} s")
            break
        time.sleep(0.05)
    return time.time() - begin


def number(instance, query):
    return int(instance.sql(query)[0][0])


def key(email):
    return "0x" + email.replace("-", "")


def events(instance, email):
    return [tuple(row) for row in instance.sql(f"SELECT status, COALESCE(smtp_response, '') FROM event WHERE email_id = {key(email)}")]


class Spool:
    """A posthouse-spool that replaces its workers, and what it writes."""

    def __init__(self, instance, fault=None, jobs=1):
        self.path = os.path.join(instance.top, f"log{time.time()}")
        with open(self.path, "w") as log:
            self.process = instance.spool("--for", "0", "--jobs", str(jobs), fault=fault, log=log)

    def deaths(self):
        with open(self.path) as log:
            return log.read().count("was ended by a signal: Killed")

    def end(self, number=signal.SIGTERM):
        os.killpg(self.process.pid, number)
        self.process.wait()
        with open(self.path) as log:
            return log.read()


def one_of_many(instance, relay):
    """A poison among 100 others in one outbox."""
    for i in range(OTHERS):
        post(instance, f"Warm {i}")
    spool = Spool(instance)
    normal = wait("the others alone", lambda: len(relay.dots) == OTHERS)
    spool.end()
    others = [post(instance, f"Other {i}") for i in range(OTHERS // 2)]
    poison = post(instance, "Poison")
    others += [post(instance, f"Other {i}") for i in range(OTHERS // 2)]
    spool = Spool(instance, "compose=Poison")
    took = wait("the others beside a poison", lambda: len(relay.dots) == 2 * OTHERS)
    print(f"normal {normal:.1f} s, beside a poison {took:.1f} s")
    expect("they left within their normal time and a lease", took < normal + LEASE, True)
    wait("the end of the poison", lambda: events(instance, poison))
    expect("its event", events(instance, poison), [("10", FAILED + "was ended by signal 9 (Killed)")])
    expect("workers that it killed", spool.deaths(), 2)
    spool.end()
    # The one whose final dot was sent when a worker died, and whose reply was not read yet.
    uncertain = number(instance, "SELECT COUNT(*) FROM event WHERE smtp_response LIKE 'The process that sent it was ended%'")
    expect("uncertain ones", uncertain <= 1, True)
    expect("copies left besides", number(instance, "SELECT COUNT(*) FROM outbox") - uncertain, 0)
    instance.sql("DELETE FROM outbox")
    sent = [dot.envelope_id for dot in relay.dots[OTHERS:]]
    expect("each other left once", sorted(sent) == sorted(others), True)
    expect("nothing else is told of them", number(instance, "SELECT COUNT(*) FROM event WHERE status <> 1") - uncertain, 1)


def is_marked(instance, owner, copy):
    """Whether the owner's journal says that it composes this copy."""
    folder = os.path.join(instance.dir, "spool")
    for name in os.listdir(folder):
        if name.startswith(owner):
            with open(os.path.join(folder, name), "rb") as file:
                return bytes.fromhex(copy) in file.read(256)
    return False


def innocent(instance, relay):
    """An email that is in hand whenever its process is killed from outside."""
    email = post(instance, "Innocent")
    last = ""
    for deaths in (0, 1):
        spool = Spool(instance, "compose~Innocent")
        wait("a claim", lambda: number(instance, f"SELECT COUNT(*) FROM outbox WHERE owner IS NOT NULL AND deaths = {deaths}"
                                                 f" AND attempts = {deaths} AND owner NOT IN ('{last}')"))
        last, copy = instance.sql("SELECT owner, HEX(id) FROM outbox")[0]
        wait("the mark of a message that is being composed", lambda: is_marked(instance, last, copy))
        spool.end(signal.SIGKILL)
    instance.spool("--once", wait=True)
    expect("an innocent", events(instance, email), [("1", "")])
    expect("the relay has it once", [dot.envelope_id for dot in relay.dots].count(email), 1)


def limited(instance, how, *endings):
    """The child's limits; so many deaths stand there that no worker tries it."""
    email = post(instance, "Limited")
    instance.sql("UPDATE outbox SET deaths = 2")
    instance.spool("--once", fault=f"compose{how}Limited", wait=True)
    found = events(instance, email)
    expect(f"limit {how}", [(status, text.startswith(FAILED), any(ending in text for ending in endings)) for status, text in found], [("10", True, True)])


def synchronous(instance):
    """A poison that kills the web server's worker, and then one of the spool."""
    instance.options += ["--set", "service.mode=sync"]
    os.environ["POSTHOUSE_FAULT"] = "compose=Sync"
    instance.start()
    try:
        post(instance, "Sync")
    except (OSError, http.client.HTTPException):
        pass
    spool = Spool(instance, "compose=Sync")
    found = "SELECT COUNT(*) FROM event v JOIN email e ON e.id = v.email_id WHERE e.subject = 'Sync' AND v.status = 10"
    wait("the end of a poison in sync mode", lambda: number(instance, found))
    expect("workers of the spool that it killed", spool.deaths(), 1)
    spool.end()
    del os.environ["POSTHOUSE_FAULT"]


def largest(instance, relay):
    """The largest email fits into the limits, in the worst encoding."""
    html = "<p>" + "ä ü" * ((40 << 20) // 5 - 2)
    text = "é" * ((10 << 20) // 2)
    content = base64.b64encode(os.urandom(40 << 20)).decode()
    email = post(instance, "Largest", html=html, text=text, attachments=[{"filename": "a.bin", "content": content}])
    instance.sql("UPDATE outbox SET deaths = 2")
    begin = time.time()
    instance.spool("--once", wait=True)
    print(f"the largest email took {time.time() - begin:.1f} s")
    expect("the largest email", events(instance, email), [("1", "")])


def workflow(instance, event, node):
    mail = {"from": f"me@{instance.domain}", "subject": event, "html": "<p>Hi"}
    call(instance, "/v1/workflows", {"name": event, "status": "active", "design": {
        "nodes": [{"id": "t", "type": "trigger", "data": {"eventName": event}},
                  {"id": "u", "type": "update_contact", "data": {"set": {"seen": True}}},
                  {"id": node, "type": "send_email", "data": mail}],
        "edges": [{"source": "t", "target": "u"}, {"source": "u", "target": node}]}})


def executions(instance):
    """An execution that kills, among 100 others in one batch, and one whose processes were killed from outside."""
    happen = lambda event, i: call(instance, "/v1/events", {"event_name": event, "email": f"{event}{i}@example.net"})
    ended = lambda status, event: number(instance, f"SELECT COUNT(*) FROM execution WHERE status = {status} AND email LIKE '{event}%'")
    mails = lambda event: number(instance, f"SELECT COUNT(*) FROM email WHERE subject = '{event}'")
    workflow(instance, "calm", "c")
    workflow(instance, "fatal", "k")
    for i in range(OTHERS):
        happen("calm", i)
        if i == OTHERS // 2:
            happen("fatal", i)
    spool = Spool(instance, "step=k")
    took = wait("the others beside a step that kills", lambda: ended(3, "calm") == OTHERS)
    expect("executions that went on within a lease", took < LEASE, True)
    wait("the end of the execution that kills", lambda: ended(4, "fatal"))
    expect("workers that it killed", spool.deaths(), 2)
    spool.end()
    expect("its error", instance.sql("SELECT error_step, error_message FROM execution WHERE status = 4"), [["k", STEP_FAILED]])
    expect("it has sent nothing, the others once each", (mails("fatal"), mails("calm")), (0, OTHERS))
    for deaths in (1, 2):
        happen("fatal", 1000 + deaths)
        instance.sql(f"UPDATE execution SET deaths = {deaths} WHERE status = 1")
    instance.spool("--once", wait=True)
    expect("innocent executions", (ended(3, "fatal"), mails("fatal")), (2, 2))
    expect("deaths are forgotten", number(instance, "SELECT SUM(deaths) FROM execution WHERE status = 3"), 0)


def main():
    relay = Relay(1)
    instance = faults.Instance([relay], LEASE, "spool")
    instance.env["DATABASE_SOCKET"] = os.path.join(instance.dir, "database.socket")
    try:
        one_of_many(instance, relay)
        innocent(instance, relay)
        limited(instance, ">", "gave up: ")
        if "--long" in sys.argv:
            # On a busy machine the clock is faster than the processor.
            limited(instance, "~", "was ended by signal 24 ", "did not end within 60 s")
            largest(instance, relay)
        executions(instance)
        synchronous(instance)
    finally:
        instance.stop()
    for line in wrong:
        print("FAULT", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
