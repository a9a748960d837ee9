#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Records what a client of Resend writes, for replay.py: stands between the client and an instance (POSTHOUSE_URL, POSTHOUSE_BIN).

record.py run|read OUT CLIENT VERSION SOURCE COMMAND...: runs the command with RESEND_BASE_URL (and RESEND_API_URL, RESEND_API_KEY) set, in a
workspace of its own. The header X-Call of a request, which a driver adds, is the client's own name of the call; without it the name is
made of method and path. Ids of examples, which nobody has, become the thing that their place wants. An answer 501 is recorded; the client
is told a success, so that its example goes on. "read": the command is not the client, but writes what the client's source would."""

import http.server
import json
import os
import re
import subprocess
import sys
import threading
import uuid

import replay

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
HEADERS = ("content-type", "idempotency-key", "x-batch-validation", "user-agent", "accept")
# Members that are not served: the example goes on without them.
UNSERVED = ("capabilities",)
# Resources of paths, and names of members, with what an unknown id behind them means.
PLACES = {"segments": "segment", "audiences": "segment", "topics": "topic", "contacts": "contact", "emails": "email",
          "attachments": "attachment", "domains": "domain_id", "api-keys": "key_id", "templates": "template", "webhooks": "webhook",
          "broadcasts": "broadcast", "contact-properties": "property", "automations": "automation", "runs": "run", "events": "event",
          "suppressions": "suppression", "logs": "log", "segment_id": "segment", "audience_id": "segment", "topic_id": "topic",
          "contact_id": "contact", "template": "template", "template_id": "template", "domain_id": "domain_id",
          "email_id": "email", "broadcast_id": "broadcast"}
# What else an example cannot have: a domain that may send, days to come, and a file that can be fetched.
REPLACED = ((r'("from"\s*:\s*"(?:[^"\\]|\\.)*@)[A-Za-z0-9.-]+', r"\1<<domain>>"),
            (r'("scheduled_?[aA]t"\s*:\s*")20[0-9]{2}-[0-9]{2}-[0-9]{2}', r"\1<<day>>"),
            (r'("path"\s*:\s*")https?:[^"]*', r"\1<<file>>"))

# Requests that are to be refused, and why.
REFUSED = (('"invalid"', "the example shows an error"), ("invalid-email", "the example shows an error"),
           ("user1@resend.dev", "only the test addresses of resend.dev are taken"))


def unserved(body):
    """The members of a request that are not served."""
    try:
        value = json.loads(body or b"null")
    except ValueError:
        return []
    return [name for name in UNSERVED if isinstance(value, dict) and value.get(name) not in (None, "", "opportunistic", "OPPORTUNISTIC")]


class Recorder:
    def __init__(self, session, out, head):
        self.session, self.out, self.known, self.lock = session, out, {}, threading.Lock()
        print(json.dumps(head, ensure_ascii=False), file=out)

    def learn(self, number, answer, path=""):
        """An id of an answer, where it comes first, is its name in later requests."""
        if isinstance(answer, dict):
            for name, value in answer.items():
                self.learn(number, value, f"{path}.{name}")
        elif isinstance(answer, list):
            for index, value in enumerate(answer):
                self.learn(number, value, f"{path}.{index}")
        elif isinstance(answer, str) and UUID.fullmatch(answer):
            self.known.setdefault(answer, f"<<{number}{path}>>")

    def name(self, text, before):
        """The request's text with placeholders for ids. before: what an id at its begin would stand behind."""
        parts, at = [], 0
        for match in UUID.finditer(text):
            parts.append(text[at:match.start()])
            context = (before + text[:match.start()])[-80:]
            words = re.findall(r"[A-Za-z_-]+", UUID.sub("", context))
            place = next((PLACES[word] for word in reversed(words) if word in PLACES), "unknown")
            if place == "event" and "webhooks" in before + text[:match.start()]:
                place = "webhook_event"
            parts.append(self.known.get(match[0], f"<<{place}>>"))
            at = match.end()
        return "".join(parts) + text[at:]

    def record(self, method, path, headers, body, chunked, call):
        row = {"call": call or f"{method} {UUID.sub('{id}', path).partition('?')[0]}", "method": method, "path": self.name(path, ""),
               "headers": headers}
        boundary = headers.get("Content-Type", "").rpartition("boundary=")[2]
        self.known[boundary] = boundary
        if body is not None:
            text = self.name(body.decode("utf-8"), path + " ")
            for pattern, placeholder in REPLACED:
                text = re.sub(pattern, placeholder, text)
            row["body"] = text
        if chunked:
            row["chunked"] = True
        status, answer = self.session.send(row)
        number = len(self.session.answers) - 1
        if status == 501 and (words := unserved(body)):
            row["call"] += " with " + ", ".join(words)
        row["status"], needs = status, " ".join(sorted(replay.members(answer)))
        if status < 300 and needs:
            row["needs"] = needs
        self.learn(number, answer)
        if status >= 400 and status != 501:
            row.update({"refused": why for word, why in REFUSED if word in row.get("body", "")})
            print(f"{row['call']}: {method} {row['path']} {row.get('body')}: {status} {answer}", file=sys.stderr)
        print(json.dumps(row, ensure_ascii=False), file=self.out, flush=True)
        return status, answer

    def serve(self, method, path, headers, body, chunked, call):
        status, answer = self.record(method, path, headers, body, chunked, call)
        if status != 501:
            return status, answer
        if unserved(body):
            status, answer = self.record(method, path, headers, json.dumps(
                {name: below for name, below in json.loads(body).items() if name not in UNSERVED}).encode(), chunked, call)
            if status != 501:
                return status, answer
        row = {name: str(uuid.uuid4()) for name in ("id", "domain_id", "client_id")}
        row.update({name: "a@example.net" for name in ("from", "name", "status", "filename", "content_type", "subject", "url", "message_id")})
        row.update({name: "2026-11-20T08:00:00.000Z" for name in ("created_at", "expires_at")})
        row.update({name: [] for name in ("to", "cc", "bcc", "reply_to", "attachments", "records", "scopes")})
        row.update({name: None for name in ("html", "text", "revoked_at", "revoked_reason")})
        row.update(object="thing", size=1, headers={}, download_url="http://127.0.0.1:1/", raw={"download_url": "http://127.0.0.1:1/"},
                   client={"name": "c", "logo_uri": "u"}, record={"type": "TXT", "name": "n", "value": "v", "ttl": "Auto", "status": "s"})
        return 200, {**row, "has_more": False, "data": [row]}


def handler(recorder):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def body(self):
            if "chunked" in self.headers.get("transfer-encoding", ""):
                parts = []
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts), True
            length = self.headers.get("content-length")
            return (self.rfile.read(int(length)), False) if length not in (None, "0") else (None, False)

        def do(self):
            body, chunked = self.body()
            headers = {name: value for name, value in self.headers.items() if name.lower() in HEADERS}
            with recorder.lock:
                status, answer = recorder.serve(self.command, self.path, headers, body, chunked, self.headers.get("x-call"))
            text = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = do

        def log_message(self, *words):
            pass

    return Handler


def main(how, out, client, version, source, *command):
    house = replay.house_make(os.getpid())
    with open(out, "w", encoding="utf-8") as file:
        recorder = Recorder(replay.Session(house), file, {"client": client, "version": version, "how": how, "source": source})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(recorder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        subprocess.run(command, env={**os.environ, "RESEND_BASE_URL": url, "RESEND_API_URL": url, "RESEND_API_KEY": house.key})
        server.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
