#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Python's email package as a reader of what we compose: it must get back what the message was made of."""

import email
import email.policy
import os
import pathlib
import subprocess
import sys
import tempfile


def body(message, kind):
    """The text of that kind, or None; a message that has none but this ends in a CRLF that we added."""
    part = message.get_body(preferencelist=(kind,))
    return part and part.get_payload(decode=True)


def read(path):
    """What the reader makes of a message, under the names of the files beside it."""
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.SMTP)
    found = {
        "from": message["From"].addresses[0].display_name.encode(),
        "subject": message["Subject"].encode(),
        "text": body(message, "plain"),
        "html": body(message, "html"),
    }
    inline = [p for p in message.walk() if p.get_content_disposition() == "inline"]
    for i, part in enumerate(inline + list(message.iter_attachments())):
        found[f"filename{i}"] = part.get_filename().encode()
        found[f"data{i}"] = part.get_payload(decode=True)
        if part.get_content_type() == "message/rfc822":
            found[f"data{i}"] = part.get_payload()[0].as_bytes()
    defects = [defect for part in message.walk() for defect in part.defects]
    defects += [defect for value in message.values() for defect in value.defects]
    return message, {key: value for key, value in found.items() if value is not None}, defects


def check(name, got, want):
    if got != want:
        print(f"{name}:\n got {got}\nwant {want}")
    return got == want


def judge(path):
    message, found, defects = read(path)
    made_of = {f.suffix[1:]: f.read_bytes() for f in path.parent.glob(path.stem + ".*") if f != path}
    good = check(f"{path.stem} defects", defects, [])
    good &= check(f"{path.stem} parts", sorted(found), sorted(made_of))
    for key, want in made_of.items():
        good &= check(f"{path.stem} {key}", found.get(key), want)
    good &= check(f"{path.stem} To", [a.addr_spec for a in message["To"].addresses],
                  ["bob@example.org", 'e.v.e@example.org'])
    good &= check(f"{path.stem} Date", message["Date"].datetime.timestamp(), 1700000000)
    good &= check(f"{path.stem} X-Campaign", message["X-Campaign"], "spring")
    good &= check(f"{path.stem} Bcc", message["Bcc"], None)
    return good


def main():
    writer = os.path.join(os.environ.get("builddir", "."), "tests/mail/write_messages")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        paths = sorted(pathlib.Path(folder).glob("composed-*.eml"))
        good = check("number of messages", len(paths), 4)
        for path in paths:
            good &= judge(path)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
