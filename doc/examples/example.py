#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Sends an email, or verifies a webhook, with Python alone.
#
#	RESEND_BASE_URL=https://mail.example.org/resend RESEND_API_KEY=ph_... example.py send FROM TO
#	WEBHOOK_SECRET=whsec_... example.py verify ID TIMESTAMP SIGNATURE <BODY
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.request


def send(sender, to):
    request = urllib.request.Request(
        os.environ["RESEND_BASE_URL"] + "/emails",
        json.dumps({"from": sender, "to": [to], "subject": "Hello", "text": "From Python"}).encode(),
        {"Authorization": "Bearer " + os.environ["RESEND_API_KEY"], "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


# body: the bytes of the request as they came. The others: its headers webhook-*.
def verify(body, id, timestamp, signature):
    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    want = "v1," + base64.b64encode(digest).decode()
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("too old")
    if not any(hmac.compare_digest(want, got) for got in signature.split(" ")):
        raise ValueError("wrong signature")
    return "verified"


what, *words = sys.argv[1:]
print(send(*words) if what == "send" else verify(sys.stdin.buffer.read(), *words))
