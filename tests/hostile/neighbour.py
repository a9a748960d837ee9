#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The other tenant, as a process of its own: asks and posts by turns, for tomorrow, and writes how long each request took, until it is ended.

Usage: neighbour.py ADDRESS KEY SENDER. A line for each request: the time when it began, the method, its milliseconds, its status.
"""

import http.client
import json
import os
import sys
import time


def main():
    address, key, sender = sys.argv[1:]
    email = json.dumps({"from": sender, "to": "friend@example.net", "subject": "Hello", "html": "<p>Hello",
                        "scheduled_at": int(time.time() + 86400) * 1000})
    parent = os.getppid()
    while os.getppid() == parent:
        for method, body in (("GET", None), ("POST", email)):
            begin = time.monotonic()
            connection = http.client.HTTPConnection(address, timeout=120)
            try:
                connection.request(method, "/v1/emails", body, {"Authorization": "Bearer " + key})
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except (OSError, http.client.HTTPException):
                status = 0
            connection.close()
            print(f"{begin:.6f} {method} {(time.monotonic() - begin) * 1000:.3f} {status}", flush=True)
            time.sleep(0.01)


try:
    main()
except (KeyboardInterrupt, BrokenPipeError):
    pass
