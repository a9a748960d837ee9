#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills workers at the crash points of digests, of requests of workflows and of starts: each event stands in one digest, each execution goes on
once, a request is asked again only if its answer was not recorded, and each start begins each person once.
"""

import collections
import http.server
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request

import faults
from relay import Relay

LONG = "--long" in sys.argv
PEOPLE = 40 if LONG else 8
EVENTS = 3
TIMES = range(1, 9) if LONG else (1, 3)
HOUR = 3600 * 1000
DIGEST_POINTS = ["digest-joined", "step-moved", "commit-after"]
CLOSE_POINTS = ["digest-taken", "commit-before", "commit-after"]
START_POINTS = ["commit-before", "commit-after", "step-sent", "step-moved"]
CAP_POINTS = ["commit-before", "commit-after", "journal-data-after", "reply", "journal-done-after", "journal-cut-before"]
CAP = 2
REQUEST_POINTS = ["request-leased", "request-answered", "commit-before", "commit-after", "step-moved"]
wrong = []


def expect(what, got, want):
    print(f"{'ok   ' if got == want else 'FAULT'} {what}: {got}", flush=True)
    if got != want:
        wrong.append(what)


class Service:
    """Counts the requests of workflows by their paths."""

    def __init__(self):
        self.asked = collections.Counter()
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                service.asked[self.path] += 1
                body = json.dumps({"path": self.path}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a process that was killed
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]


def call(instance, path, body, method="POST"):
    request = urllib.request.Request(instance.env["POSTHOUSE_URL"] + path, json.dumps(body).encode(),
                                     {"Authorization": "Bearer " + instance.env["POSTHOUSE_KEY"]}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def workflow(instance, event, node, handle, subject, **trigger):
    mail = {"id": "m", "type": "send_email", "data": {"from": f"me@{instance.domain}", "subject": subject, "html": "<p>Hi"}}
    out = {"source": node["id"], "target": "m", **({"sourceHandle": handle} if handle else {})}
    return call(instance, "/v1/workflows", {"name": event, "status": "active", "design": {
        "nodes": [{"id": "t", "type": "trigger", "data": {"eventName": event, **trigger}}, node, mail],
        "edges": [{"source": "t", "target": node["id"]}, out]}})


def happen(instance, event, numbers=range(PEOPLE)):
    for number in numbers:
        call(instance, "/v1/events", {"event_name": event, "email": f"{event}{number}@example.net"})


def kill(instance, points, ahead=0):
    """Spools that are killed at each of the points; returns how many were."""
    now = ["--now", str(int(time.time() * 1000) + ahead)] if ahead else []
    return sum(instance.spool("--once", "--jobs", "1", *now, fault=f"{point}:{n}", wait=True).returncode != 0
               for point in points for n in TIMES)


def settle(instance, want, ahead=0):
    """Spools until the number of emails is the one that is wanted, for a minute at most; then once more."""
    now = ["--now", str(int(time.time() * 1000) + ahead)] if ahead else []
    end = time.time() + 60
    while int(instance.sql("SELECT COUNT(*) FROM email")[0][0]) < want and time.time() < end:
        instance.spool("--once", "--jobs", "2", *now, wait=True)
    instance.spool("--once", "--jobs", "2", *now, wait=True)


def digests(instance):
    workflow(instance, "comment", {"id": "d", "type": "digest", "data": {"duration": 1, "unit": "hours"}}, None, "{{step.d.count}}")
    killed = 0
    for number in range(EVENTS):
        happen(instance, "comment")
        killed += kill(instance, DIGEST_POINTS)
    instance.spool("--once", "--jobs", "2", wait=True)
    expect("killed while they gather", killed > 0, True)
    expect("events that wait in digests", instance.sql("SELECT COUNT(*), COUNT(DISTINCT execution_id) FROM digest_event"),
           [[str(PEOPLE * EVENTS), str(PEOPLE)]])
    expect("killed while they close", kill(instance, CLOSE_POINTS, 2 * HOUR) > 0, True)
    settle(instance, PEOPLE, 2 * HOUR)
    expect("digests by their events", instance.sql("SELECT subject, COUNT(*) FROM email GROUP BY 1"), [[str(EVENTS), str(PEOPLE)]])
    expect("executions that gathered, and that went on", instance.sql("SELECT step_id, COUNT(*) FROM execution WHERE status = 3 GROUP BY 1 ORDER BY 1"),
           [["d", str(PEOPLE * (EVENTS - 1))], ["m", str(PEOPLE)]])


def requests(instance, service):
    before = int(instance.sql("SELECT COUNT(*) FROM email")[0][0])
    workflow(instance, "ask", {"id": "r", "type": "request", "data": {"url": f"http://127.0.0.1:{service.port}" "/{{contact.email}}", "body": {"a": 1}}}, "ok",
             "{{step.r.body.path}}")
    killed = 0
    for point in REQUEST_POINTS:
        first = REQUEST_POINTS.index(point) * PEOPLE // len(REQUEST_POINTS)
        happen(instance, "ask", range(first, (REQUEST_POINTS.index(point) + 1) * PEOPLE // len(REQUEST_POINTS)))
        killed += kill(instance, [point])
    settle(instance, before + PEOPLE)
    expect("killed while they ask", killed > 0, True)
    expect("emails behind requests", instance.sql("SELECT COUNT(*), COUNT(DISTINCT subject) FROM email WHERE subject LIKE '/%'"),
           [[str(PEOPLE), str(PEOPLE)]])
    expect("requests that were asked", len(service.asked), PEOPLE)
    expect("no more were asked again than processes were killed", sum(service.asked.values()) <= PEOPLE + killed, True)
    asked = sum(service.asked.values())
    instance.spool("--once", "--jobs", "2", "--now", str(int(time.time() * 1000) + HOUR), wait=True)
    expect("none is asked again after its answer", sum(service.asked.values()) - asked, 0)


def schedules(instance):
    """A tick of each day, which begins the people of an audience."""
    before = int(instance.sql("SELECT COUNT(*) FROM email")[0][0])
    audience = call(instance, "/v1/audiences", {"name": "Daily"})["id"]
    for number in range(PEOPLE):
        call(instance, f"/v1/audiences/{audience}/contacts", {"email": f"daily{number}@example.net"})
    workflow(instance, "schedule.due", {"id": "u", "type": "update_contact", "data": {"set": {"seen": True}}}, None, "Daily",
             schedule={"cron": "0 9 * * *"}, audienceId=audience)
    expect("killed while a schedule begins people", kill(instance, START_POINTS, 24 * HOUR) > 0, True)
    settle(instance, before + PEOPLE, 24 * HOUR)
    expect("starts of the schedule, and people that it began", instance.sql(
        "SELECT (SELECT COUNT(*) FROM workflow_start), COUNT(*), COUNT(DISTINCT contact_id) FROM execution WHERE email LIKE 'daily%'"),
           [["1", str(PEOPLE), str(PEOPLE)]])
    expect("its emails", instance.sql("SELECT COUNT(*) FROM email WHERE subject = 'Daily'"), [[str(PEOPLE)]])


def caps(instance):
    call(instance, "/v1/sending", {"cap": {"mailings": CAP, "days": 7}}, "PUT")
    for number in range(PEOPLE):
        for mailing in range(2 * CAP):
            call(instance, "/v1/emails", {"from": f"me@{instance.domain}", "to": f"cap{number}@example.net", "subject": f"Mailing {mailing}",
                                          "html": "<p>{{unsubscribe_url}}"})
    expect("killed while they have places", kill(instance, CAP_POINTS) > 0, True)
    copies, _ = faults.drain(instance)
    expect("mailings that are left", copies, 0)
    expect("people by the mailings that they got, and that were suppressed", instance.sql(
        "SELECT sent, suppressed, COUNT(*) FROM (SELECT SUM(r.status = 1) sent, SUM(r.status = 8) suppressed FROM recipient r"
        " WHERE r.address LIKE 'cap%' GROUP BY r.address) x GROUP BY 1, 2"), [[str(CAP), str(CAP), str(PEOPLE)]])


def main():
    service = Service()
    instance = faults.Instance([Relay(1)], 10, "spool", f"fetch.ports={service.port}")
    instance.env["DATABASE_SOCKET"] = os.path.join(instance.dir, "database.socket")
    try:
        digests(instance)
        requests(instance, service)
        schedules(instance)
        caps(instance)
    finally:
        instance.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
