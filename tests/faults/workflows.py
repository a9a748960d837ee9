#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills workers of workflows at each of their crash points, and then looks that each execution has visited each node once and that each
step that sends has put one email into the outbox.
"""

import json
import os
import sys
import urllib.request

import faults
from relay import Relay

POINTS = ["step-sent", "step-effects", "step-moved", "commit-before", "commit-after"]
TIMES = (1, 2, 5, 9)
CONTACTS = 150
DESIGN = {
    "nodes": [{"id": "t", "type": "trigger", "data": {"eventName": "order"}},
              {"id": "a", "type": "send_email", "data": {"subject": "A", "html": "<p>{{n}}</p>"}},
              {"id": "u", "type": "update_contact", "data": {"set": {"seen": True}}},
              {"id": "w", "type": "wait_for_event", "data": {"eventName": "email.sent"}},
              {"id": "b", "type": "send_email", "data": {"subject": "B", "html": "<p>{{n}}</p>"}}],
    "edges": [{"source": "t", "target": "a"}, {"source": "a", "target": "u"}, {"source": "u", "target": "w"},
              {"source": "w", "sourceHandle": "event", "target": "b"}],
}
FACTS = {
    "executions that visited each node once": ("execution WHERE status = 3 AND step_id = 'b' AND step_count = 5", CONTACTS),
    "executions": ("execution", CONTACTS),
    "emails of steps": ("(SELECT DISTINCT execution_id, step_id FROM posthouse.execution_email) e", 2 * CONTACTS),
    "emails": ("email", 2 * CONTACTS),
    "emails that were sent once": ("event WHERE status = 1", 2 * CONTACTS),
    "contacts that were changed": ("person WHERE JSON_VALUE(properties, '$.seen') = 1", CONTACTS),
    "events that came back": ("automation_event WHERE name = 'email.sent'", 2 * CONTACTS),
    "copies left in the outbox": ("outbox", 0),
    "events left in the queue": ("automation_feedback", 0),
    "waits left": ("execution_wait", 0),
}


def call(instance, path, body):
    request = urllib.request.Request(instance.env["POSTHOUSE_URL"] + path, json.dumps(body).encode(),
                                     {"Authorization": "Bearer " + instance.env["POSTHOUSE_KEY"]})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def spool(instance, point=None):
    """True when it came to its end, and was not killed."""
    env = dict(instance.env, POSTHOUSE_FAULT=point) if point else instance.env
    command = [os.path.join(instance.bin, "posthouse-spool"), "--once", "--jobs", "1"]
    return faults.subprocess.run(command, env=env, stderr=faults.subprocess.DEVNULL, check=False).returncode == 0


def main():
    relay = Relay(1)
    instance = faults.Instance([relay], 10, "spool")
    killed, wrong = 0, 0
    try:
        design = json.loads(json.dumps(DESIGN))
        for node in design["nodes"]:
            if node["type"] == "send_email":
                node["data"]["from"] = "me@" + instance.domain
        call(instance, "/v1/workflows", {"name": "Faults", "design": design, "status": "active"})
        # A few before each, so that there is always something to step.
        runs = [f"{point}:{n}" for point in POINTS for n in TIMES]
        for i in range(CONTACTS):
            call(instance, "/v1/events", {"event_name": "order", "email": f"c{i}@example.net", "properties": {"n": i}})
            if i * len(runs) // CONTACTS != (i + 1) * len(runs) // CONTACTS:
                killed += not spool(instance, runs[i * len(runs) // CONTACTS])
        end = faults.time.time() + 120
        while faults.time.time() < end:
            spool(instance)
            if all(count(instance, what) == want for what, want in FACTS.values()):
                break
            faults.time.sleep(0.5)
        for name, (what, want) in FACTS.items():
            got = count(instance, what)
            if got != want:
                wrong += 1
                print(f"FAULT {name}: got {got}, want {want}")
        print(f"killed {killed} of {len(runs)}")
        if killed < len(runs) // 2:
            wrong += 1
            print("FAULT too few were killed")
    finally:
        instance.stop()
    return 1 if wrong else 0


def count(instance, what):
    socket = os.path.join(instance.dir, "database.socket")
    table = what if what.startswith("(") else "posthouse." + what
    out = faults.subprocess.run(["mariadb", "--no-defaults", "-S", socket, "-u", "root", "-N", "-B", "-e",
                                 f"SELECT COUNT(*) FROM {table}"], check=True, capture_output=True, text=True)
    return int(out.stdout)


if __name__ == "__main__":
    sys.exit(main())
