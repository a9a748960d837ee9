#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""dkimpy as the judge of our signatures: each shape verifies with each key, and none once tampered with."""

import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import dkim
    import nacl.signing  # which dkimpy needs for Ed25519
except ImportError as missing:
    print(f"{missing}: install python3-dkim and python3-nacl")
    sys.exit(77)

# dkimpy does not read RFC 5322 section 4.5.8 (obsolete syntax); libopendkim judges this one.
NOT_FOR_DKIMPY = {"space-before-colon"}

# One of each field that is signed, be it in the message or not.
ADDED = [b"From: Eve <e@example.org>", b"Sender: e@example.org", b"Reply-To: e@example.org", b"Subject: Buy", b"Date: Thu, 1 Jan 1970 00:00:00 +0000",
         b"Message-ID: <e@example.org>", b"To: e@example.org", b"Cc: e@example.org", b"MIME-Version: 1.0", b"Content-Type: text/html",
         b"Content-Transfer-Encoding: base64", b"In-Reply-To: <e@example.org>", b"References: <e@example.org>",
         b"List-Unsubscribe: <https://example.org/>", b"List-Unsubscribe-Post: List-Unsubscribe=One-Click"]

TAMPERINGS = [
    ("body byte", b"Bob.", b"Bub."),
    ("changed Subject", b"Subject: Hello", b"Subject: Hallo"),
    *((f"{field.decode()} in front", b"From: Ann", field + b"\r\nFrom: Ann") for field in ADDED),
    *((f"{field.decode()} at the end", b"\r\n\r\n", b"\r\n" + field + b"\r\n\r\n") for field in ADDED),
]


def verdicts(message, records):
    """What dkimpy says of the first two signatures, ours."""

    def answer(name, timeout=5):
        return records.get(name.decode().rstrip("."))

    def verify(index):
        try:
            return dkim.DKIM(message).verify(idx=index, dnsfunc=answer)
        except dkim.ValidationError:
            return False
        except dkim.DKIMException as error:
            return f"{type(error).__name__}: {error}"

    return [verify(0), verify(1)]


def check(name, got, want):
    if got != want:
        print(f"{name}: got {got}, want {want}")
    return got == want


def judge(folder):
    lines = (folder / "records").read_text().splitlines()
    records = {name: record.encode() for name, record in (line.split(" ", 1) for line in lines)}
    messages = sorted(folder.glob("*.eml"))
    good = check("number of messages", len(messages) > 20, True)
    for path in messages:
        if path.stem in NOT_FOR_DKIMPY:
            continue
        good &= check(path.stem, verdicts(path.read_bytes(), records), [True, True])
    simple = (folder / "simple.eml").read_bytes()
    for name, old, new in TAMPERINGS:
        good &= check(name, old in simple, True)
        good &= check(name, verdicts(simple.replace(old, new, 1), records), [False, False])
    return good


def main():
    writer = os.path.join(os.environ.get("builddir", "."), "tests/mail/write_messages")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        return 0 if judge(pathlib.Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
