# SPDX-License-Identifier: MIT
"""A receiver of webhooks that notes what it is told, and now and then answers badly."""

import base64
import collections
import hashlib
import hmac
import http.server
import json
import random
import threading
import time


class Receiver:
    """trouble: the share of requests that are refused, cut off or answered late."""

    def __init__(self, seed):
        self.trouble = 0
        self.chance = random.Random(seed)
        self.keys = {}  # path → key
        self.told = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))  # path → event → webhook-id → times
        self.wrong = []
        self.lock = threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.take(self)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a process that was killed
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def note(self, path, headers, body):
        name, at = headers["webhook-id"], headers["webhook-timestamp"]
        code = hmac.new(self.keys[path], f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
        event = json.loads(body)
        with self.lock:
            if headers["webhook-signature"] != "v1," + base64.b64encode(code).decode() or event["id"] != name:
                self.wrong.append(name)
            for one in event["data"] if event["type"] == "batch" else [event]:
                self.told[path][one["id"]][name] += 1

    def take(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        with self.lock:
            trouble = self.chance.random() < self.trouble and self.chance.choice(["refuse", "cut", "late"])
        self.note(request.path, request.headers, body)
        if trouble == "cut":
            request.close_connection = True
            return
        if trouble == "late":
            time.sleep(1.5)
        request.send_response(500 if trouble == "refuse" else 204)
        request.send_header("Content-Length", "0")
        request.end_headers()

    def reckon(self, instance):
        """Holds the recorded events against those that were told."""
        events = [row[0] for row in instance.sql(
            "SELECT LOWER(CONCAT_WS('-', SUBSTR(h, 1, 8), SUBSTR(h, 9, 4), SUBSTR(h, 13, 4), SUBSTR(h, 17, 4), SUBSTR(h, 21)))"
            " FROM (SELECT HEX(id) h FROM event) x")]
        result = collections.Counter(events=len(events))
        faults = [f"{name}: a request has another id or signature" for name in self.wrong]
        for path in self.keys:
            told = self.told[path]
            for event in events:
                names = told.get(event, {})
                result["again"] += sum(names.values()) > 1
                if not names:
                    result["untold"] += 1
                    faults.append(f"{path}: the event {event} was not told")
                elif len(names) > 1:
                    faults.append(f"{path}: the event {event} has several ids: {list(names)}")
            if set(told) - set(events):
                faults.append(f"{path}: {len(set(told) - set(events))} events were told that are not recorded")
        return result, faults
