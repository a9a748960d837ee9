#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sends recorded requests of Resend's clients to POSTHOUSE_URL/resend, and holds the answers against what the clients need.

A record is a file of JSON, one value a line. The first has client, version, how (run, or read where the requests were written from
the client's source) and source. Each other one is a request: call (the client's own name of it), method, path, headers, body, status
(that it must have), refused (why it may be 404, 405 or 422), and needs (members of the answer; "data.0.id" is one of the first row). <<N.data.0.id>> stands for a member of the
answer to request N of the record, counted from 0, and <<segment>> for something that MAKE makes first.

replay.py OUT RECORD...: writes a line for each call to OUT, "client<TAB>version<TAB>call<TAB>status", and prints each fault."""

import concurrent.futures
import datetime
import http.client
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse

PLACEHOLDER = re.compile(r"<<([a-z_]+|[0-9]+\.[A-Za-z0-9_.]+)>>")

# How to make each thing that a client's example takes for granted, and where its id is in the last answer.
MAKE = {
    "segment": [("POST", "/segments", {"name": "Made"}), "id"],
    "topic": [("POST", "/topics", {"name": "Made", "default_subscription": "opt_in"}), "id"],
    "contact": [("POST", "/contacts", {"email": "made@example.net", "segments": [{"id": "<<segment>>"}]}), "id"],
    "property": [("POST", "/contact-properties", {"key": "made", "type": "string"}), "id"],
    "email": [("POST", "/emails", {"from": "me@<<domain>>", "to": "made@example.net", "subject": "Made", "text": "Made",
                                   "scheduled_at": "in 1 hour", "attachments": [{"filename": "a.txt", "content": "aGk="}]}), "id"],
    "attachment": [("GET", "/emails/<<email>>/attachments", None), "data.0.id"],
    "domain_id": [("POST", "/domains", {"name": "made.example.org"}), "id"],
    "key_id": [("POST", "/api-keys", {"name": "Made"}), "id"],
    "template": [("POST", "/templates", {"name": "Made", "subject": "Made", "html": "{{{NAME}}}{{{CTA}}}{{{PRODUCT}}}{{{PRICE}}}",
                                         "variables": [{"key": "NAME", "type": "string", "fallback_value": "you"},
                                                       {"key": "CTA", "type": "string", "fallback_value": "-"},
                                                       {"key": "PRODUCT", "type": "string", "fallback_value": "-"},
                                                       {"key": "PRICE", "type": "number", "fallback_value": 1}]}),
                 ("POST", "/templates/<<last>>/publish", None), "id"],
    "webhook": [("POST", "/webhooks", {"endpoint": "https://hook.example.net/", "events": ["domain.created"]}), "id"],
    "webhook_event": [("GET", "/webhooks/<<webhook>>/events?made=<<domain_id>>", None), "data.0.id"],
    "broadcast": [("POST", "/broadcasts", {"segment_id": "<<segment>>", "from": "me@<<domain>>", "subject": "Made", "text": "Made"}),
                  "id"],
    "automation": [("POST", "/automations", {"name": "Made", "status": "enabled",
                                             "steps": [{"key": "start", "type": "trigger", "config": {"event_name": "made"}},
                                                       {"key": "wait", "type": "delay", "config": {"duration": "1 day"}}],
                                             "connections": [{"from": "start", "to": "wait", "type": "default"}]}), "id"],
    "run": [("POST", "/events/send", {"event": "made", "contact_id": "<<contact>>", "payload": {"made": "<<automation>>"}}),
            ("SPOOL", None, None), ("GET", "/automations/<<automation>>/runs", None), "data.0.id"],
    "event": [("POST", "/events", {"name": "made.declared", "schema": {"plan": "string"}}), "id"],
    "suppression": [("POST", "/suppressions", {"email": "suppressed@example.net"}), "id"],
    "log": [("GET", "/logs?made=<<segment>>", None), "data.0.id"],
}
UNKNOWN = "01a1f8d1-2ace-718f-96bc-82c241916947"


class House:
    """A workspace of its own in the instance: its key, its domain, and its connection."""

    def __init__(self, url, key, domain):
        self.host, self.key, self.domain = urllib.parse.urlsplit(url).netloc, key, domain
        self.connection = http.client.HTTPConnection(self.host, timeout=30)

    def call(self, method, path, headers, body, chunked=False):
        """body: bytes, or None. Returns status and what the answer's JSON says, a text where it is none."""
        headers = {"Authorization": "Bearer " + self.key, **headers}
        # http.client announces an empty body of a POST; some clients do not. See doc/install-web-servers.md.
        self.connection.request(method, "/resend" + path, iter([body]) if chunked else body, headers, encode_chunked=chunked)
        answer = self.connection.getresponse()
        text = answer.read()
        try:
            return answer.status, json.loads(text)
        except ValueError:
            return answer.status, text.decode(errors="replace")


class Session:
    """Fills in placeholders, and keeps what they stand for."""

    def __init__(self, house):
        self.house, self.answers, self.made = house, [], {
            "domain": house.domain, "unknown": UNKNOWN, "file": f"http://{house.host}/dashboard/index.html",
            "day": (datetime.date.today() + datetime.timedelta(2)).isoformat()}

    def value(self, name):
        number, _, path = name.partition(".")
        if path:
            found = member(self.answers[int(number)], path)
            return str(found) if found is not None else f"<<{name}>>"
        if name not in self.made:
            *steps, path = MAKE[name]
            for step in steps:
                self.make(*step, path)
            if not self.made["last"]:
                raise RuntimeError(f"{name} cannot be made")
            self.made[name] = self.made["last"]
        return self.made[name]

    def make(self, method, where, body, path):
        if method == "SPOOL":
            subprocess.run([os.environ["POSTHOUSE_BIN"] + "/posthouse-spool", "--once"], check=True, capture_output=True)
            return
        headers = {"Content-Type": "application/json"} if body is not None else {}
        text = self.fill(json.dumps(body)).encode() if body is not None else None
        until = time.monotonic() + 20
        while True:
            status, answer = self.house.call(method, self.fill(where), headers, text)
            if status >= 300:
                raise RuntimeError(f"{method} {where}: {status} {answer}")
            self.made["last"] = member(answer, path)
            # An entry of the log is written after the answer that it is about.
            if self.made["last"] or method != "GET" or time.monotonic() > until:
                return
            time.sleep(0.05)

    def fill(self, text):
        return PLACEHOLDER.sub(lambda match: self.value(match[1]), text)

    def send(self, row):
        body = self.fill(row["body"]).encode() if "body" in row else None
        status, answer = self.house.call(row["method"], self.fill(row["path"]), row.get("headers", {}), body,
                                         chunked=row.get("chunked", False))
        self.answers.append(answer)
        return status, answer


def member(value, path):
    """The member of an answer, as "data.0.id"; None where there is none."""
    for name in path.split("."):
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return None
    return value


# Members whose own members are not ours.
CONTENTS = ("request_body", "response_body", "payload", "schema", "properties", "config")


def members(value, prefix="", depth=3):
    """The paths of all members of an answer; of an array those of its first element."""
    paths = set()
    if isinstance(value, dict) and depth:
        for name, below in value.items():
            paths |= {prefix + name} | members(below, f"{prefix}{name}.", 0 if name in CONTENTS else depth - 1)
    elif isinstance(value, list) and value:
        paths |= members(value[0], prefix + "0.", depth)
    return paths


def read(path):
    with open(path, encoding="utf-8") as file:
        head, *rows = [json.loads(line) for line in file]
    return head, rows


def status_word(row, status, answer):
    """The word of the matrix: ok, not served, or failed with why."""
    if status == 501:
        return "not served"
    lost = [name for name in row.get("needs", "").split() if name not in members(answer)]
    if status in (404, 405, 422) and "refused" not in row:
        return f"failed: {status}: {answer if isinstance(answer, str) else answer.get('message')}"
    if status != row["status"]:
        return f"failed: {status} in place of {row['status']}: {answer if isinstance(answer, str) else answer.get('message')}"
    return f"failed: the answer lacks {' '.join(lost)}" if lost else "ok"


def replay(house, path):
    """Returns the lines for the matrix, and the faults."""
    head, rows = read(path)
    session, words, faults = Session(house), {}, []
    for number, row in enumerate(rows):
        status, answer = session.send(row)
        word = status_word(row, status, answer)
        if status == 501 and row["status"] != 501:
            word = f"failed: 501 in place of {row['status']}: {answer['message']}"
        elif status != 501 and row["status"] == 501:
            word = f"failed: {status} in place of 501"
        if word.startswith("failed"):
            faults.append(f"{head['client']} {head['version']}, request {number}, {row['call']}, {row['method']} {row['path']}: {word}")
        words.setdefault(row["call"], []).append(word)
    lines, version = [], head["version"] + (" (read)" if head["how"] == "read" else "")
    for call, each in words.items():
        bad = [word for word in each if word.startswith("failed")]
        # A call that is served has requests that ask for more than there is.
        word = bad[0] if bad else "ok" if "ok" in each else "not served"
        lines.append("\t".join((head["client"], version, call, word)))
    return lines, faults


def house_make(number):
    """A workspace that has nothing yet: names of domains, events and properties are its own."""
    def posthouse(*words):
        return subprocess.run([os.environ["POSTHOUSE_BIN"] + "/posthouse", *words], check=True, capture_output=True, text=True).stdout

    name, domain = f"Client {number}", f"client{number}.example"
    posthouse("workspace", "create", name, "--from", f"me@{domain}")
    posthouse("user", "add", f"me@{domain}", "--workspace", name)
    posthouse("domain", "add", domain, "--workspace", name)
    posthouse("domain", "trust", domain, "--workspace", name)
    key = re.search(r"ph_[A-Za-z0-9_-]+", posthouse("key", "create", "--user", f"me@{domain}", "--workspace", name))[0]
    return House(os.environ["POSTHOUSE_URL"], key, domain)


def looks_for_waiting(path):
    """Whether the client looks for an import that waits: a spool that another client needs would work on it meanwhile."""
    with open(path, encoding="utf-8") as file:
        return "/contacts/imports?status=queued" in file.read()


def main(out, paths):
    def run(number):
        results[number] = replay(house_make(number), paths[number])

    results = [None] * len(paths)
    alone = [number for number, path in enumerate(paths) if looks_for_waiting(path)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(run, [number for number in range(len(paths)) if number not in alone]))
    for number in alone:
        run(number)
    with open(out, "w", encoding="utf-8") as file:
        for lines, _ in results:
            print(*lines, sep="\n", file=file)
    faults = [fault for _, more in results for fault in more]
    print(*faults, sep="\n")
    print(f"{sum(len(lines) for lines, _ in results)} calls of {len(paths)} clients, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
